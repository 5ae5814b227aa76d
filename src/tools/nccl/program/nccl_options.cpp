// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/program/nccl_options.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "cli/candidates.hpp"
#include "tools/nccl/program/annotations.hpp"
#include "tools/nccl/program/nccl_explain.hpp"
#include "tools/nccl/program/nccl_lint.hpp"

namespace nettune::tools::nccl::program {

namespace {

/// `nettune nccl NAME ...`, each in a file of its own.
struct Sub {
  std::string_view name;
  Result<node::Exit> (*run)(node::Context&, const NcclOptions&, cli::Output&);
  /// An option of the command line that this one does not have; "" for none.
  std::string_view (*foreign)(const NcclOptions&);
};

std::string_view foreign_to_lint(const NcclOptions& options) {
  return options.expect.empty() ? "" : "--expect";
}

std::string_view foreign_to_explain(const NcclOptions& options) {
  if (!options.kind.empty()) return "--as";
  if (options.environment) return "--env";
  if (!options.profile.empty()) return "--profile";
  if (!options.nccl.empty()) return "--nccl";
  if (!options.catalog_file.empty()) return "--catalog";
  if (!options.facts_file.empty()) return "--facts";
  if (options.any_node) return "--any-node";
  return options.rootfs.empty() ? "" : "--root";
}

constexpr std::array kSubs = {Sub{"lint", nccl_lint, foreign_to_lint},
                              Sub{"explain", nccl_explain, foreign_to_explain}};

std::vector<std::string> sub_names() {
  std::vector<std::string> names;
  for (const Sub& sub : kSubs) names.emplace_back(sub.name);
  return names;
}

Result<node::Exit> run(node::Context& context, const NcclOptions& options, cli::Output& output) {
  const auto* const found = std::ranges::find(kSubs, options.what, &Sub::name);
  if (found == kSubs.end())
    return fail(Errc::invalid,
                cat("nettune nccl has no \"", printable(options.what),
                    "\"; it has: ", join(sub_names(), ", "), "; see nettune nccl --help"));
  if (const auto option = found->foreign(options); !option.empty())
    return fail(Errc::invalid, cat(option, " is not an option of nettune nccl ", options.what,
                                   "; see nettune nccl --help"));
  TRY(check_format(options.format));
  if (options.json && !options.format.empty())
    return fail(Errc::invalid, "--json and --format exclude each other");
  return found->run(context, options, output);
}

std::vector<std::string> candidates(node::Context& context, std::span<const std::string> words) {
  if (words.size() < 2) return sub_names();
  const std::string& previous = words[words.size() - 2];
  if (previous == "--as") return {"shell", "env", "conf", "yaml", "profile"};
  if (previous == "--format") return {"github", "sarif"};
  if (previous == "--expect") return {"ib", "gdr", "p2p", "nvls", "net:"};
  if (previous == "--profile") return cli::profile_names(context);
  return {};
}

}  // namespace

cli::Command nccl_program(NcclOptions& into) {
  return {
      "nccl",
      &into,
      {
          {"what", "lint|explain", "Check variables, or show what a job used", &into.what, true},
          {"file", "",
           "lint: scripts, env-files, YAML, nccl.conf, profiles; explain: logs, plain or gzip; - "
           "is standard input",
           &into.files},
          {"--as", "KIND", "File type: shell, env, conf, yaml, profile (default: guess)",
           &into.kind},
          {"--env", "", "Check the current environment", &into.environment},
          {"--profile", "NAME", "Check what a profile sets on this node", &into.profile},
          {"--nccl", "VERSION",
           "The NCCL release to check for, or the path of a libnccl.so.2 (default: auto-detect)",
           &into.nccl},
          {"--catalog", "FILE", "Use another catalogue of variables", &into.catalog_file},
          {"--facts", "FILE", "Check for a recorded node (nettune facts --json)", &into.facts_file},
          {"--any-node", "", "Do not check against this node: the files are for others",
           &into.any_node},
          {"--root", "DIR", "Look for NCCL and nccl.conf in a container image's root",
           &into.rootfs},
          {"--expect", "LIST",
           "explain: fail unless every rank used it: ib, gdr, p2p, nvls, net:NAME", &into.expect,
           false,
           [](node::Context&, auto) {
             return std::vector<std::string>{"ib", "gdr", "p2p", "nvls", "net:"};
           }},
          {"--format", "FORMAT", "Annotations of files for a CI: github, sarif", &into.format},
      },
      [&into](node::Context& context, cli::Output& output) { return run(context, into, output); },
      candidates,
  };
}

}  // namespace nettune::tools::nccl::program
