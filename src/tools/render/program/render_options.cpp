// SPDX-License-Identifier: Apache-2.0
#include "tools/render/program/render_options.hpp"

#include "base/text.hpp"
#include "cli/candidates.hpp"
#include "node/output_file.hpp"
#include "tools/render/inputs.hpp"
#include "tools/render/program/print_render.hpp"
#include "tools/render/program/template_files.hpp"
#include "tools/render/program/verify_nodes.hpp"
#include "tools/render/taken.hpp"

namespace nettune::tools::render::program {

namespace {

constexpr std::int64_t kMostGpus = 64;
constexpr std::int64_t kLastPort = 65535;

Failure wrong(std::string text) { return cli::usage(std::move(text), "render"); }

Result<std::optional<std::int64_t>> number(std::string_view option, const std::string& text,
                                           std::int64_t least, std::int64_t most) {
  if (text.empty()) return std::nullopt;
  const auto value = parse_int(text);
  if (value && *value >= least && *value <= most) return value;
  return wrong(
      cat(option, " takes a number from ", least, " to ", most, ", not \"", printable(text), "\""));
}

/// What schedulers and containers are to get.
Result<> add_given(const RenderOptions& options, Request& request) {
  if (!options.time.empty()) {
    TRY_ASSIGN(request.time_s, render::parse_time(options.time));
  }
  if (!options.mem.empty()) {
    TRY_ASSIGN(request.mem_mib, render::parse_memory(options.mem));
  }
  request.partition = options.partition;
  request.account = options.account;
  request.queue = options.queue;
  for (const std::string& one : options.mounts) {
    TRY_ASSIGN(Mount mount, render::parse_mount(one));
    request.mounts.push_back(std::move(mount));
  }
  for (const std::string& one : options.env) {
    TRY_ASSIGN(GivenVariable variable, render::parse_variable(one));
    std::erase_if(request.env, [&](const auto& known) { return known.name == variable.name; });
    request.env.push_back(std::move(variable));
  }
  for (const std::string& one : options.scheduler_options) {
    TRY_ASSIGN(std::string option, render::parse_option(one));
    request.options.push_back(std::move(option));
  }
  return {};
}

Result<Request> request_of(const RenderOptions& options) {
  Request request;
  request.kind = options.kind;
  if (!options.nodes.empty()) {
    if (!options.count.empty()) return wrong("--nodes and --count cannot be combined");
    TRY_ASSIGN(request.nodes, render::parse_nodes(options.nodes));
  }
  TRY_ASSIGN(request.count, number("--count", options.count, 1, kMostNodes));
  TRY_ASSIGN(request.gpus, number("--gpus", options.gpus, 1, kMostGpus));
  TRY_ASSIGN(request.port, number("--port", options.port, 1024, kLastPort));
  if (options.image.starts_with('-'))
    return wrong("--image begins with a dash, so docker would take it for an option");
  request.image = options.image;
  request.job = options.job;
  request.expect = options.expect;
  request.explain = !options.no_explain;
  request.preflight = !options.no_preflight;
  for (const std::string_view port : split(options.ports, ',')) request.ports.emplace_back(port);
  request.resources = options.resources;
  request.program = options.program;
  TRY(add_given(options, request));
  return request;
}

Result<node::Exit> list(node::Context& context, const RenderOptions& options, cli::Output& output) {
  const TemplateSources sources = template_sources(options.template_directories);
  std::vector<ListedTemplate> all;
  for (const std::string& kind : template_kinds(context.disk(), sources)) {
    const auto form = read_template(context.disk(), sources, kind);
    const Error* const error = form ? nullptr : &form.error();
    all.push_back(
        {kind,
         error == nullptr      ? form->summary
         : error->file.empty() ? error->text
                               : cat(Origin{error->file, error->line}.text(), ": ", error->text),
         error != nullptr, form ? render::taken_options(*form) : std::vector<std::string>()});
  }
  output.print(options.json ? json::templates(all) : text::templates(all, output.style()));
  return node::Exit::done;
}

/// A template, and its inputs.
struct Order {
  Template form;
  Inputs inputs;
};

Result<Order> order_of(node::Context& context, const RenderOptions& options,
                       const Request& request) {
  TRY_ASSIGN(
      Template form,
      read_template(context.disk(), template_sources(options.template_directories), options.kind));
  TRY(render::check_taken(form, request));
  std::optional<FromProfile> profile;
  if (!options.profile.empty()) {
    TRY_ASSIGN(profile,
               render::from_profile(context.disk(), context.profile_sources(), options.profile));
  } else if (!options.set.empty()) {
    return wrong("--set sets a profile variable; name the profile");
  }
  TRY_ASSIGN(Inputs inputs, render::inputs_of(request, profile ? &*profile : nullptr));
  return Order{std::move(form), std::move(inputs)};
}

Result<Made> make(node::Context& context, const RenderOptions& options) {
  TRY_ASSIGN(const Request request, request_of(options));
  TRY_ASSIGN(Order order, order_of(context, options, request));
  auto& [form, inputs] = order;
  Made made{options.kind,
            form.files.front().path,
            render::digest_of(form, inputs).substr(0, 16),
            options.output_file,
            {}};
  inputs.values["digest"] = {made.digest, "all values and the template", false};
  TRY_ASSIGN(made.rendered, render::render(form, inputs));
  if (made.file.empty() || options.explain) return made;
  const bool script = form.context == Context::shell || form.context == Context::sbatch;
  TRY(node::write_output_file(made.file, made.rendered.text, script ? 0755 : 0644));
  return made;
}

/// Asks the nodes whether the job could start.
Result<node::Exit> verify(node::Context& context, const RenderOptions& options,
                          cli::Output& output) {
  TRY_ASSIGN(const Request request, request_of(options));
  if (request.nodes.empty()) return wrong("--verify asks the job's nodes; name them: --nodes a,b");
  TRY_ASSIGN(const Order order, order_of(context, options, request));
  const auto& [form, inputs] = order;
  VerifyRequest asked{
      {request.nodes, inputs.values.at("master").text, inputs.values.at("port").text,
       request.nodes.size() > 1 && form.context == Context::shell &&
           render::uses_any(form, {"nodes.rank"})},
      options.profile,
      context.locations().set,
      options.ssh};
  TRY_ASSIGN(const auto answers, ask_nodes(asked));
  const auto checks = render::verify(asked.meeting, answers);
  output.print(options.json
                   ? json::verified(options.kind, asked.meeting, checks)
                   : text::verified(asked.meeting, checks, options.verbose > 0, output.style()));
  node::Exit exit = node::Exit::done;
  for (const render::Check& check : checks) {
    if (check.verdict == render::Check::Verdict::fault) exit = node::worse(exit, node::Exit::drift);
    if (check.verdict == render::Check::Verdict::unknown)
      exit = node::worse(exit, node::Exit::unknown);
  }
  return exit;
}

Result<node::Exit> run(node::Context& context, const RenderOptions& options, cli::Output& output) {
  if (options.list) return list(context, options, output);
  if (options.names) {
    if (options.json) return wrong("--names has no JSON form");
    output.print(text::template_names(output.style()));
    return node::Exit::done;
  }
  if (options.verify_stdio) return answer_on_stdio(context);
  if (options.kind.empty())
    return wrong("nettune render needs the name of a template; --list shows them");
  if (options.verify) return verify(context, options, output);
  TRY_ASSIGN(const Made made, make(context, options));
  if (options.json)
    output.print(json::made(made));
  else if (options.explain)
    output.print(text::explained(made, output.style()));
  else if (made.file.empty())
    output.print(made.rendered.text);
  return node::Exit::done;
}

std::vector<std::string> candidates(node::Context& context, std::span<const std::string> words) {
  if (words.size() < 2) return template_kinds(context.disk(), template_sources({}));
  return words.size() == 2 ? cli::profile_names(context) : std::vector<std::string>();
}

}  // namespace

cli::Command render_program(RenderOptions& into) {
  return {
      "render",
      &into,
      {
          {"kind", "", "What to generate; --list shows the choices", &into.kind},
          {"profile", "", "The profile to take values from", &into.profile},
          {"--", "PROGRAM ARGUMENT...", "What the job runs: train.py --epochs 3", &into.program},
          {"--nodes", "LIST", "The nodes: a,b or gpu[01-08] or a=10.0.0.1,b=10.0.0.2", &into.nodes},
          {"--count", "N", "Number of nodes, if a scheduler chooses them", &into.count},
          {"--gpus", "N", "GPUs per node, with one process each", &into.gpus},
          {"--image", "NAME", "The container image", &into.image},
          {"--job", "NAME", "Name of the job (default: from the program's name)", &into.job},
          {"--port", "N", "Rendezvous port (29500, or one the firewall allows)", &into.port},
          {"--expect", "LIST", "What nccl explain should expect after the job", &into.expect},
          {"--no-explain", "", "Do not write or explain NCCL logs", &into.no_explain},
          {"--no-preflight", "", "Do not run nettune doctor before the job", &into.no_preflight},
          {"--resource", "NAME=COUNT", "An extra resource for each pod: rdma/hca=1",
           &into.resources},
          {"--time", "TIME", "The longest it may take: 90m, 12h, 2d or 1-12:00:00", &into.time},
          {"--partition", "NAME", "Slurm's partition", &into.partition},
          {"--account", "NAME", "Slurm's account", &into.account},
          {"--queue", "NAME", "The queue of Kueue or Volcano", &into.queue},
          {"--mem", "SIZE", "Memory per node: 512G (Slurm: all of it)", &into.mem},
          {"--mount", "SOURCE:TARGET[:ro]", "A directory or volume for containers; may be repeated",
           &into.mounts},
          {"--env", "NAME=VALUE", "A variable of the job; may be repeated", &into.env},
          {"--option", "OPTION", "For sbatch, docker, mpirun: --option=--constraint=h100",
           &into.scheduler_options},
          {"--ports", "LIST", "The switch's ports: Ethernet0,Ethernet4", &into.ports},
          {"-o,--output", "FILE", "Write to this file (default: standard output)",
           &into.output_file},
          {"--explain", "", "Only show where each value comes from", &into.explain},
          {"--verify", "", "Only ask the nodes whether the job could start", &into.verify},
          {"--ssh", "PROGRAM", "With --verify: how to reach a node (ssh)", &into.ssh},
          {"--verify-stdio", "", "", &into.verify_stdio},
          {"--templates", "DIR", "Search DIR for templates first; may be repeated",
           &into.template_directories},
          {"--list", "", "List the templates", &into.list},
          {"--names", "", "List the names that templates may use", &into.names},
      },
      [&into](node::Context& context, cli::Output& output) { return run(context, into, output); },
      candidates,
  };
}

}  // namespace nettune::tools::render::program
