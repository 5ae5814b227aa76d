// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/program/nccl_lint.hpp"

#include <algorithm>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "checks/lossless.hpp"
#include "core/plan.hpp"
#include "facts/collect.hpp"
#include "nccl/values.hpp"
#include "node/nccl_job.hpp"
#include "node/planning.hpp"
#include "tools/nccl/program/annotations.hpp"
#include "tools/nccl/program/surroundings.hpp"
#include "tools/nccl/scripts/effective_value.hpp"

namespace nettune::tools::nccl::program {

namespace {

using nettune::nccl::Assignment;
using nettune::nccl::Kind;

Result<std::string> read_input(node::Context& context, const std::string& file) {
  if (file != "-") return node::read_named_file(context.disk(), file, scripts::kMaxInputBytes);
  std::string text;
  char buffer[65536];
  ssize_t got = 0;
  while ((got = ::read(STDIN_FILENO, buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > scripts::kMaxInputBytes)
      return fail(Errc::invalid,
                  cat("standard input has more than ", scripts::kMaxInputBytes, " bytes"));
  }
  return text;
}

/// The file is for GPUs of AMD: RCCL has ranges of its own (128 channels from ROCm 6.2 on; rccl,
/// src/include/device.h, MAXCHANNELS).
bool is_for_rocm(std::string_view text) {
  static constexpr std::string_view kMarks[] = {"ROCR_VISIBLE_DEVICES",
                                                "HIP_VISIBLE_DEVICES",
                                                "HSA_",
                                                "RCCL",
                                                "rccl",
                                                "ROCm",
                                                "rocm",
                                                "ROCM_"};
  return std::ranges::any_of(kMarks,
                             [&](std::string_view mark) { return text.find(mark) != text.npos; });
}

Result<> read_files(node::Context& context, const NcclOptions& options,
                    std::vector<Assignment>& into, std::vector<scripts::UnreadLine>& unread,
                    std::set<std::string>& rocm_files) {
  std::optional<Kind> kind;
  if (!options.kind.empty()) {
    kind = nettune::nccl::parse_kind(options.kind);
    if (!kind)
      return fail(Errc::invalid, cat("--as takes shell, env, conf, yaml or profile, not \"",
                                     printable(options.kind), "\""));
  }
  for (const std::string& file : options.files) {
    TRY_ASSIGN(const std::string text, read_input(context, file));
    const std::string shown = file == "-" ? "(standard input)" : file;
    if (is_for_rocm(text)) rocm_files.insert(shown);
    TRY_ASSIGN(std::vector<Assignment> found,
               scripts::read_assignments(kind.value_or(scripts::guess_kind(file, text)), text,
                                         shown, &unread));
    std::ranges::move(found, std::back_inserter(into));
  }
  return {};
}

/// As it comes out on this node: what it writes to nccl.conf.
Result<> read_profile(node::Context& context, const NcclOptions& options,
                      std::vector<Assignment>& into) {
  const std::string& name = options.profile;
  if (name.empty()) return {};
  TRY_ASSIGN(const profile::Resolved resolved, node::resolve_profile(context, name));
  for (const JobVariable& variable : resolved.desired.variables)
    into.push_back(
        {variable.name, variable.value, variable.origin.file, variable.origin.line, Kind::profile});
  return {};
}

/// Of the node's places those that hold for every job, whatever starts it, and the login shell's.
bool is_for_all(const scripts::VariablePlace& place, const std::string& user_conf) {
  switch (place.source) {
    case scripts::Source::user_conf:
      return place.set.file == user_conf;
    case scripts::Source::node_conf:
    case scripts::Source::pam_environment:
    case scripts::Source::profile_d:
      return true;
    default:
      return false;
  }
}

/// What else this node (or the root of a container) sets for every job.
std::vector<Assignment> read_elsewhere(node::Context& context, const NcclOptions& options,
                                       const nettune::nccl::Version& version) {
  std::vector<Assignment> found;
  if (options.any_node || context.recorded()) return found;
  const std::string& root = options.rootfs;
  const scripts::Surroundings around =
      root.empty() ? surroundings(version) : scripts::Surroundings();
  scripts::NodePlaces places =
      scripts::collect_variable_places(context.disk(), node::absolute_path(root), around);
  const std::string user_conf = scripts::user_conf_file(places, scripts::Start::here);
  for (scripts::VariablePlace& place : places.all) {
    if (!is_for_all(place, user_conf)) continue;
    place.set.file = cat(root, place.set.file);
    const auto given = [&](const std::string& one) {
      return node::absolute_path(one) == node::absolute_path(place.set.file);
    };
    if (std::ranges::none_of(options.files, given)) found.push_back(std::move(place.set));
  }
  return found;
}

/// Ranges of NCCL for the number of channels are none of RCCL's.
void forgive_channels(const std::set<std::string>& rocm_files, Linted& linted) {
  for (nettune::nccl::Finding& one : linted.findings) {
    const bool is_range = one.judgement.verdict == nettune::nccl::Verdict::out_of_range;
    const std::string& name = one.set.name;
    const bool is_count = name.ends_with("NCHANNELS") || name.ends_with("CTAS");
    if (!is_range || !is_count || !rocm_files.contains(one.set.file)) continue;
    one.judgement.level = nettune::nccl::Level::note;
    one.judgement.why =
        "the file is for ROCm: NCCL would not take so many, RCCL has a limit of its own (128 from "
        "ROCm 6.2 on)";
    one.judgement.instead.clear();
  }
}

/// Whether the way of RDMA's packets is lossless for this class, on every port that has one.
Result<> judge_class(node::Context& context, const facts::Facts& node, Linted& linted) {
  const auto is_class = [](const nettune::nccl::Finding& finding) {
    return finding.set.name == "NCCL_IB_TC" && !finding.set.computed &&
           finding.judgement.level < nettune::nccl::Level::error &&
           finding.judgement.verdict != nettune::nccl::Verdict::out_of_range;
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
          Presence::present, std::to_string(nettune::nccl::read_number(set.value).value), ""};
      for (const checks::Finding& broken :
           checks::judge_chain(port.netdev, readings, node).findings)
        linted.findings.push_back(
            {set,
             {nettune::nccl::Verdict::not_on_this_node, nettune::nccl::Level::warning,
              cat(broken.where, ": ", broken.problem), broken.remedy, "docs/fabric.md"}});
    }
  return {};
}

/// What is good is none, and a line that was not understood is a note.
std::vector<Annotation> annotations_of(const Linted& linted) {
  std::vector<Annotation> all;
  for (const nettune::nccl::Finding& finding : linted.findings) {
    const nettune::nccl::Judgement& judgement = finding.judgement;
    if (judgement.level == nettune::nccl::Level::ok) continue;
    all.push_back(
        {judgement.level, std::string(nettune::nccl::verdict_word(judgement.verdict)),
         finding.set.file, static_cast<std::size_t>(finding.set.line),
         cat(printable(finding.set.name), "=", printable(finding.set.value), ": ", judgement.why,
             judgement.instead.empty() ? "" : cat("; instead: ", judgement.instead))});
  }
  for (const scripts::UnreadLine& one : linted.unread)
    all.push_back({nettune::nccl::Level::note, "not_understood", one.file,
                   static_cast<std::size_t>(one.line),
                   cat("not understood: ", printable(one.text), " (", one.why, ")")});
  return all;
}

}  // namespace

Result<Linted> lint_nccl(node::Context& context, const NcclOptions& options) {
  if (options.files.empty() && !options.environment && options.profile.empty())
    return fail(Errc::invalid,
                "nccl lint needs files (- for standard input), --env or --profile NAME; see "
                "nettune nccl --help");
  struct stat status {};
  if (!options.rootfs.empty() &&
      (::stat(options.rootfs.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)))
    return fail(Errc::invalid, cat("--root ", printable(options.rootfs), " is not a directory"));
  TRY_ASSIGN(const nettune::nccl::Catalog catalog,
             node::read_catalog(context.disk(), options.catalog_file));
  Linted linted;
  TRY_ASSIGN(node::ChosenVersion chosen,
             node::choose_version(context, options.nccl, options.rootfs, catalog));
  linted.version = chosen.version;
  linted.version_from = std::move(chosen.from);
  linted.notes = std::move(chosen.notes);
  std::vector<Assignment> assignments;
  std::set<std::string> rocm_files;
  TRY(read_files(context, options, assignments, linted.unread, rocm_files));
  if (options.environment)
    std::ranges::move(scripts::read_environment(surroundings(linted.version).environment),
                      std::back_inserter(assignments));
  TRY(read_profile(context, options, assignments));

  nettune::nccl::Job job{&catalog, linted.version};
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
  linted.findings = nettune::nccl::lint(job, assignments);
  forgive_channels(rocm_files, linted);
  if (here) TRY(judge_class(context, *live, linted));
  return linted;
}

Result<node::Exit> nccl_lint(node::Context& context, const NcclOptions& options,
                             cli::Output& output) {
  TRY_ASSIGN(const Linted linted, lint_nccl(context, options));
  if (!options.format.empty())
    output.print(annotations_text(options.format, annotations_of(linted)));
  else
    output.print(options.json ? json::lint(linted) : text::lint(linted, output.style()));
  const bool objects =
      std::ranges::any_of(linted.findings, [](const nettune::nccl::Finding& finding) {
        return finding.judgement.level >= nettune::nccl::Level::warning;
      });
  return objects ? node::Exit::drift : node::Exit::done;
}

}  // namespace nettune::tools::nccl::program
