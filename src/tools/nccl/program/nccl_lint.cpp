// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/program/nccl_lint.hpp"

#include <algorithm>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "checks/lossless.hpp"
#include "core/plan.hpp"
#include "facts/collect.hpp"
#include "tools/nccl/program/surroundings.hpp"
#include "tools/nccl/scripts/places.hpp"
#include "nccl/values.hpp"
#include "node/nccl_job.hpp"
#include "node/planning.hpp"

namespace nettune::cli {

namespace {

using nccl::Assignment;
using nccl::Kind;

Result<std::string> read_input(Context& context, const std::string& file) {
  if (file != "-") return read_named_file(context.disk(), file, nccl::kMaxInputBytes);
  std::string text;
  char buffer[65536];
  ssize_t got = 0;
  while ((got = ::read(STDIN_FILENO, buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > nccl::kMaxInputBytes)
      return fail(Errc::invalid,
                  cat("standard input has more than ", nccl::kMaxInputBytes, " bytes"));
  }
  return text;
}

Result<> read_files(Context& context, const NcclOptions& options, std::vector<Assignment>& into,
                    std::vector<nccl::Unread>& unread) {
  std::optional<Kind> kind;
  if (!options.kind.empty()) {
    kind = nccl::parse_kind(options.kind);
    if (!kind)
      return fail(Errc::invalid, cat("--as takes shell, env, conf, yaml or profile, not \"",
                                     printable(options.kind), "\""));
  }
  for (const std::string& file : options.files) {
    TRY_ASSIGN(const std::string text, read_input(context, file));
    const std::string shown = file == "-" ? "(standard input)" : file;
    TRY_ASSIGN(
        std::vector<Assignment> found,
        nccl::read_assignments(kind.value_or(nccl::guess_kind(file, text)), text, shown, &unread));
    std::ranges::move(found, std::back_inserter(into));
  }
  return {};
}

/// As it comes out on this node: what it writes to nccl.conf.
Result<> read_profile(Context& context, const NcclOptions& options, std::vector<Assignment>& into) {
  const std::string& name = options.profile;
  if (name.empty()) return {};
  TRY_ASSIGN(const profile::Resolved resolved, resolve_profile(context, name));
  for (const JobVariable& variable : resolved.desired.variables)
    into.push_back(
        {variable.name, variable.value, variable.origin.file, variable.origin.line, Kind::profile});
  return {};
}

/// Of the node's places those that hold for every job, whatever starts it, and the login shell's.
bool is_for_all(const nccl::Place& place, const std::string& user_conf) {
  switch (place.source) {
    case nccl::Source::user_conf:
      return place.set.file == user_conf;
    case nccl::Source::node_conf:
    case nccl::Source::pam_environment:
    case nccl::Source::profile_d:
      return true;
    default:
      return false;
  }
}

/// What else this node (or the root of a container) sets for every job.
std::vector<Assignment> read_elsewhere(Context& context, const NcclOptions& options,
                                       const nccl::Version& version) {
  std::vector<Assignment> found;
  if (options.any_node || context.recorded()) return found;
  const std::string& root = options.rootfs;
  const nccl::Surroundings around = root.empty() ? surroundings(version) : nccl::Surroundings();
  nccl::NodePlaces places = nccl::collect_places(context.disk(), absolute_path(root), around);
  const std::string user_conf = nccl::user_conf_file(places, nccl::Start::here);
  for (nccl::Place& place : places.all) {
    if (!is_for_all(place, user_conf)) continue;
    place.set.file = cat(root, place.set.file);
    const auto given = [&](const std::string& one) {
      return absolute_path(one) == absolute_path(place.set.file);
    };
    if (std::ranges::none_of(options.files, given)) found.push_back(std::move(place.set));
  }
  return found;
}

/// Whether the way of RDMA's packets is lossless for this class, on every port that has one.
Result<> judge_class(Context& context, const facts::Facts& node, Linted& linted) {
  const auto is_class = [](const nccl::Finding& finding) {
    return finding.set.name == "NCCL_IB_TC" && !finding.set.computed &&
           finding.judgement.level < nccl::Level::error &&
           finding.judgement.verdict != nccl::Verdict::out_of_range;
  };
  const auto found = std::ranges::find_if(linted.findings, is_class);
  if (found == linted.findings.end()) return {};
  const Assignment set = found->set;
  TRY_ASSIGN(const Providers* const providers, context.providers());
  for (const facts::RdmaDevice& device : node.rdma)
    for (const facts::RdmaPort& port : device.ports) {
      if (port.state != "ACTIVE" || port.link_layer != "Ethernet" || port.netdev.empty()) continue;
      auto readings = read_all(checks::chain_addresses(port.netdev), *providers);
      readings[{std::string(checks::kTrafficClass)}] = {
          Presence::present, std::to_string(nccl::read_number(set.value).value), ""};
      for (const checks::Finding& broken :
           checks::judge_chain(port.netdev, readings, node).findings)
        linted.findings.push_back(
            {set,
             {nccl::Verdict::not_on_this_node, nccl::Level::warning,
              cat(broken.where, ": ", broken.problem), broken.remedy, "docs/fabric.md"}});
    }
  return {};
}

}  // namespace

Result<Linted> lint_nccl(Context& context, const NcclOptions& options) {
  if (options.files.empty() && !options.environment && options.profile.empty())
    return fail(Errc::invalid,
                "nccl lint needs files (- for standard input), --env or --profile NAME; see "
                "nettune nccl --help");
  struct stat status {};
  if (!options.rootfs.empty() &&
      (::stat(options.rootfs.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)))
    return fail(Errc::invalid, cat("--root ", printable(options.rootfs), " is not a directory"));
  TRY_ASSIGN(const nccl::Catalog catalog, read_catalog(context.disk(), options.catalog_file));
  Linted linted;
  TRY_ASSIGN(ChosenVersion chosen, choose_version(context, options.nccl, options.rootfs, catalog));
  linted.version = chosen.version;
  linted.version_from = std::move(chosen.from);
  linted.notes = std::move(chosen.notes);
  std::vector<Assignment> assignments;
  TRY(read_files(context, options, assignments, linted.unread));
  if (options.environment)
    std::ranges::move(nccl::read_environment(surroundings(linted.version).environment),
                      std::back_inserter(assignments));
  TRY(read_profile(context, options, assignments));

  nccl::Job job{&catalog, linted.version};
  std::optional<facts::Facts> live;
  const bool here = !options.any_node && !context.recorded() && options.rootfs.empty();
  if (context.recorded()) {
    TRY_ASSIGN(job.node, context.facts());
  } else if (here) {
    TRY_ASSIGN(live, facts::collect(facts::live()));
    job.node = &*live;
  }
  if (!options.any_node && !context.recorded())
    job.exists = [&](const std::string& path) -> std::optional<bool> {
      return ::access(cat(options.rootfs, path).c_str(), F_OK) == 0;
    };
  job.elsewhere = read_elsewhere(context, options, linted.version);
  linted.findings = nccl::lint(job, assignments);
  if (here) TRY(judge_class(context, *live, linted));
  return linted;
}

Result<Exit> nccl_lint(Context& context, const NcclOptions& options, Output& output) {
  TRY_ASSIGN(const Linted linted, lint_nccl(context, options));
  output.print(options.json ? json::lint(linted) : text::lint(linted, output.style()));
  const bool objects = std::ranges::any_of(linted.findings, [](const nccl::Finding& finding) {
    return finding.judgement.level >= nccl::Level::warning;
  });
  return objects ? Exit::drift : Exit::done;
}

}  // namespace nettune::cli
