// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/ab_options.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "conf/environment.hpp"
#include "profile/profile.hpp"
#include "tools/measure/program/ab_command.hpp"

namespace nettune::tools::measure::program {
namespace {

constexpr std::string_view kCurrent = "current";

Failure wrong_use(std::string text) { return cli::usage(std::move(text), "ab"); }

Result<std::size_t> number_in(const AbOptions& options, const std::string& text,
                              std::string_view option, std::size_t fallback, std::int64_t least,
                              std::int64_t most) {
  if (text.empty()) return fallback;
  const auto value = parse_int(text);
  if (value && *value >= least && *value <= most) return static_cast<std::size_t>(*value);
  return cli::usage(
      cat(option, " takes a number from ", least, " to ", most, ", not '", printable(text), "'"),
      options.program);
}

/// "90", "90s", "15m", "2h".
Result<double> seconds_in(const AbOptions& options, const std::string& text,
                          std::string_view option, double fallback) {
  if (text.empty()) return fallback;
  std::string_view number = text;
  std::int64_t unit = 1;
  if (number.ends_with('s') || number.ends_with('m') || number.ends_with('h')) {
    unit = number.back() == 'm' ? 60 : number.back() == 'h' ? 3600 : 1;
    number.remove_suffix(1);
  }
  constexpr std::int64_t kMost_s = std::int64_t{7} * 24 * 3600;
  const auto value = parse_int(number);
  if (value && *value >= 1 && *value <= kMost_s / unit) return static_cast<double>(*value * unit);
  return cli::usage(
      cat(option, " takes a time such as 90s, 15m or 2h, not '", printable(text), "'"),
      options.program);
}

Result<Arm> arm_of(const std::string& word) {
  Arm arm;
  if (word == kCurrent) return arm;
  const auto equals = word.find('=');
  if (word.starts_with(kEnv) && equals != word.npos) {
    TRY(add_variable(arm, std::string_view(word).substr(kEnv.size(), equals - kEnv.size()),
                     word.substr(equals + 1)));
    return arm;
  }
  if (const auto good = profile::check_name(word); !good)
    return wrong_use(
        cat("'", printable(word), "' is not a profile, not \"current\" and not env.NAME=VALUE"));
  arm.profile = word;
  return arm;
}

Result<> add_set(Arm& arm, const std::map<std::string, std::string>& set) {
  for (const auto& [name, value] : set) {
    if (name.starts_with(kEnv)) {
      TRY(add_variable(arm, std::string_view(name).substr(kEnv.size()), value));
    } else if (arm.profile.empty()) {
      return wrong_use(cat("--set ", printable(name),
                           " is a variable of a profile, and \"current\" "
                           "has none; name a profile, or use env.NAME=VALUE"));
    } else {
      arm.set[name] = value;
    }
  }
  return {};
}

Result<node::Exit> run(node::Context& context, const AbOptions& options, cli::Output& output) {
  if (options.peer_stdio) return switch_on_stdio(context, options);
  if (!options.judge_file.empty()) return judge_file(context, options, output);
  TRY_ASSIGN(const Arms arms, arms_of(options));
  TRY_ASSIGN(const AbRequest request, request_of(options));
  return compare(context, options, arms, request, output);
}

}  // namespace

Result<> add_variable(Arm& arm, std::string_view name, const std::string& value,
                      std::string_view program) {
  if (name == conf::kArmMark)
    return cli::usage(cat(kEnv, name, ": nettune sets this one itself"), program);
  if (const auto good = conf::check_variable_name(name); !good)
    return cli::usage(cat(kEnv, printable(name), ": ", good.error().text), program);
  arm.env[std::string(name)] = value;
  return {};
}

Result<double> delta_of(const std::string& text, std::string_view program) {
  constexpr double kUsual = 0.02;
  if (text.empty()) return kUsual;
  const bool is_percent = text.ends_with('%');
  const double value =
      read_number(std::string_view(text).substr(0, text.size() - (is_percent ? 1 : 0)))
          .value_or(0) /
      (is_percent ? 100 : 1);
  if (value >= 0.001 && value <= 0.5) return value;
  return cli::usage(cat("--delta takes 0.1% to 50%, not '", printable(text), "'"), program);
}

Result<Arms> arms_of(const AbOptions& options) {
  if (options.arms.empty() || options.arms.size() > 2)
    return wrong_use("name what to compare: nettune ab A B -- COMMAND");
  Arms out;
  TRY_ASSIGN(out.a, arm_of(options.arms[0]));
  TRY_ASSIGN(out.b, arm_of(options.arms.back()));
  const bool two = options.arms.size() == 2;
  if (!two && options.set.empty())
    return wrong_use(
        "a single name is compared with itself under --set; give --set NAME=VALUE, or also name B");
  if (two) TRY(add_set(out.a, options.set));
  TRY(add_set(out.b, options.set));
  return out;
}

Result<AbRequest> request_of(const AbOptions& options) {
  AbRequest request;
  const auto wrong = [&](std::string text) { return cli::usage(std::move(text), options.program); };
  const bool own = options.with == "test";
  if (!options.with.empty() && !own)
    return wrong(cat("--with takes test, not '", printable(options.with), "'"));
  if (options.command.empty())
    return wrong(cat("name the ", own ? "peer" : "command", " after --: nettune ", options.line,
                     own ? " --with test -- HOST" : " -- ./bench"));
  if (own) {
    if (!options.metric.empty() || options.lower_is_better)
      return wrong("--with test has its own metric, bandwidth");
    // argv[0] says which command this program is.
    request.file = "/proc/self/exe";
    request.words = {"nettune-test", "--json", "--share"};
    request.words.insert(request.words.end(), options.command.begin(), options.command.end());
    request.metric = Metric::of_test();
    request.uses_variables = std::ranges::find(request.words, "--nccl") != request.words.end();
    if (!request.uses_variables) request.measured.insert(static_cast<int>(node::Exit::drift));
  } else {
    request.file = options.command[0];
    request.words = options.command;
    if (!options.metric.empty()) {
      TRY_ASSIGN(request.metric, Metric::parse(options.metric));
    }
  }
  TRY_ASSIGN(request.repeats,
             number_in(options, options.repeats, "--repeats", own ? 1 : 3, 1, 100));
  TRY_ASSIGN(request.failures, number_in(options, options.failures, "--failures", 0, 0, 1000));
  TRY_ASSIGN(request.blocks,
             number_in(options, options.blocks, "--blocks", 0, kSmallest, kLargest));
  TRY_ASSIGN(request.run_s, seconds_in(options, options.run_time, "--run-time", request.run_s));
  TRY_ASSIGN(request.most_s, seconds_in(options, options.most_time, "--max-time", request.most_s));
  request.share = options.share;
  request.also = options.also;
  return request;
}

cli::Options measuring_options(AbOptions& into) {
  return {
      {"--", "COMMAND ...", "The command to measure, by its run time or --metric", &into.command},
      {"--with", "test", "Measure with nettune test; its arguments follow --", &into.with, false,
       [](node::Context&, auto) { return std::vector<std::string>{"test"}; }},
      {"--metric", "WHERE",
       "Where the number is in the command's output: a regular expression, or a JSON path "
       "($.a.b[0])",
       &into.metric},
      {"--lower-is-better", "", "A lower metric is better", &into.lower_is_better},
      {"--delta", "PERCENT", "The smallest difference that matters (2%)", &into.delta},
      {"--repeats", "N", "Runs in each half; the median is used (3)", &into.repeats},
      {"--failures", "N", "Runs of an arm that may fail and are repeated (0)", &into.failures},
      {"--blocks", "N", "Maximum blocks, 8 to 64 (default: as the noise requires)", &into.blocks},
      {"--run-time", "TIME", "Maximum duration of one run (10m)", &into.run_time},
      {"--max-time", "TIME", "Maximum duration of the whole comparison (15m)", &into.most_time},
      {"--seed", "N", "Seed for the order of the halves (random)", &into.seed},
      {"--share", "", "Compare even if another job is running here", &into.share},
  };
}

cli::Command ab_program(AbOptions& into) {
  cli::Options options = measuring_options(into);
  options.insert(options.begin(),
                 {"arm", "A B", "A and B: a profile, \"current\", or env.NAME=VALUE", &into.arms});
  options.insert(
      options.end(),
      {{"--evidence", "FILE", "Save all blocks to FILE, after each one", &into.evidence_file},
       {"--judge", "FILE", "Judge saved evidence again; measure nothing", &into.judge_file},
       {"--also", "HOST", "Also switch this node, over ssh; may be repeated", &into.also},
       {"--peer-stdio", "", "Internal: the switched side, started by nettune", &into.peer_stdio}});
  return {
      "ab",
      &into,
      std::move(options),
      [&into](node::Context& context, cli::Output& output) { return run(context, into, output); },
  };
}

}  // namespace nettune::tools::measure::program
