// SPDX-License-Identifier: Apache-2.0
#include "cli/nccl_lint.hpp"

#include <algorithm>
#include <cstdlib>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "checks/lossless.hpp"
#include "cli/planning.hpp"
#include "core/plan.hpp"
#include "facts/collect.hpp"
#include "nccl/library.hpp"
#include "nccl/values.hpp"

namespace nettune::cli {

namespace {

using nccl::Assignment;
using nccl::Kind;

constexpr std::uint64_t kMaxCatalogBytes = std::uint64_t{1} << 20;
/// From here ~ is $HOME, before it is what the password file says (src/misc/param.cc).
constexpr nccl::Version kHomeOfEnvironment{2, 30, 3};
/// From here NCCL_CONF_FILE takes the place of ~/.nccl.conf.
constexpr nccl::Version kNamedFile{2, 23, 4};

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

Result<nccl::Catalog> read_catalog(Context& context) {
  const std::string& given = context.arguments().catalog_file;
  const std::string file = given.empty() ? NETTUNE_DATADIR "/catalog/nccl.toml" : given;
  TRY_ASSIGN(const std::string text, read_named_file(context.disk(), file, kMaxCatalogBytes));
  return nccl::parse_catalog(text, file);
}

std::vector<nccl::Library> libraries(const std::string& rootfs) {
  nccl::Places places{rootfs};
  if (rootfs.empty()) {
    for (const std::string_view directory : split(environment("LD_LIBRARY_PATH"), ':'))
      if (directory.starts_with('/')) places.first.emplace_back(directory);
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
      if (std::string prefix = environment(name); prefix.starts_with('/'))
        places.prefixes.push_back(std::move(prefix));
  }
  return nccl::find_libraries(places);
}

Result<> choose_version(const Arguments& arguments, const nccl::Catalog& catalog, Linted& linted) {
  const nccl::Version newest = catalog.releases.back();
  if (arguments.nccl.find('/') != std::string::npos) {
    TRY_ASSIGN(linted.version, nccl::library_version(arguments.nccl));
    linted.version_from = arguments.nccl;
  } else if (!arguments.nccl.empty()) {
    const auto version = nccl::parse_version(arguments.nccl);
    if (!version)
      return fail(Errc::invalid,
                  cat("--nccl takes a release such as ", newest.text(),
                      ", or the path of a libnccl.so.2, not \"", printable(arguments.nccl), "\""));
    linted.version = *version;
    linted.version_from = "--nccl";
  } else if (const auto found = arguments.facts_file.empty() ? libraries(arguments.rootfs)
                                                             : std::vector<nccl::Library>();
             !found.empty()) {
    linted.version = found[0].version;
    linted.version_from = found[0].path;
    for (const nccl::Library& other : found)
      if (other.version != found[0].version)
        linted.notes.push_back(cat(other.path, " is ", other.version.text(),
                                   ": a job that loads it needs --nccl ", other.version.text()));
  } else {
    linted.version = newest;
    linted.version_from =
        "no libnccl.so.2 was found: the newest that is known; --nccl X.Y.Z for another";
  }
  if (linted.version > newest)
    linted.notes.push_back(
        cat("the catalogue ends with ", newest.text(), ": what came later is not known"));
  if (linted.version < catalog.releases.front())
    linted.notes.push_back(cat("the catalogue begins with ", catalog.releases.front().text()));
  return {};
}

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

Result<> read_files(Context& context, std::vector<Assignment>& into,
                    std::vector<nccl::Unread>& unread) {
  const Arguments& arguments = context.arguments();
  std::optional<Kind> kind;
  if (!arguments.kind.empty()) {
    kind = nccl::parse_kind(arguments.kind);
    if (!kind)
      return fail(Errc::invalid, cat("--as takes shell, env, conf, yaml or profile, not \"",
                                     printable(arguments.kind), "\""));
  }
  for (const std::string& file : arguments.files) {
    TRY_ASSIGN(const std::string text, read_input(context, file));
    const std::string shown = file == "-" ? "(standard input)" : file;
    TRY_ASSIGN(
        std::vector<Assignment> found,
        nccl::read_assignments(kind.value_or(nccl::guess_kind(file, text)), text, shown, &unread));
    std::ranges::move(found, std::back_inserter(into));
  }
  return {};
}

void read_environment(std::vector<Assignment>& into) {
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == text.npos) continue;
    into.push_back({std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)),
                    "environment", 0, Kind::environment});
  }
}

/// As it comes out on this node: what it writes to nccl.conf.
Result<> read_profile(Context& context, std::vector<Assignment>& into) {
  const std::string& name = context.arguments().profile;
  if (name.empty()) return {};
  TRY_ASSIGN(const profile::Resolved resolved, resolve_profile(context, name));
  for (const Setting& setting : resolved.desired.settings) {
    if (setting.address.kind() != "nccl.conf" || !setting.want) continue;
    const std::string variable(setting.address.rest());
    if (!nccl::is_variable_name(variable)) continue;
    into.push_back(
        {variable, *setting.want, setting.origin.file, setting.origin.line, Kind::profile});
  }
  return {};
}

/// What else this node (or the root of a container) sets for every job.
std::vector<Assignment> read_elsewhere(Context& context, const nccl::Version& version) {
  const Arguments& arguments = context.arguments();
  std::vector<Assignment> found;
  if (arguments.any_node || context.recorded()) return found;
  const std::string& root = arguments.rootfs;
  std::vector<std::string> files = {cat(root, "/etc/nccl.conf"), cat(root, "/etc/environment")};
  for (const std::string& name :
       context.disk().list(cat(root, "/etc/profile.d")).value_or(std::vector<std::string>()))
    if (name.ends_with(".sh")) files.push_back(cat(root, "/etc/profile.d/", name));
  if (root.empty()) {
    std::string home = environment("HOME");
    if (const passwd* const user = ::getpwuid(::getuid()); user && version < kHomeOfEnvironment)
      home = user->pw_dir;
    const std::string named = version < kNamedFile ? "" : environment("NCCL_CONF_FILE");
    if (!named.empty())
      files.push_back(named);
    else if (!home.empty())
      files.push_back(cat(home, "/.nccl.conf"));
  }
  for (const std::string& file : files) {
    const auto given = [&](const std::string& one) { return absolute_path(one) == file; };
    if (std::ranges::any_of(arguments.files, given)) continue;
    const auto text = context.disk().read(absolute_path(file), nccl::kMaxInputBytes);
    if (!text || !*text) continue;
    auto assignments = nccl::read_assignments(nccl::guess_kind(file, **text), **text, file);
    if (assignments) std::ranges::move(*assignments, std::back_inserter(found));
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

Result<Linted> lint_nccl(Context& context) {
  const Arguments& arguments = context.arguments();
  if (arguments.files.empty() && !arguments.environment && arguments.profile.empty())
    return fail(Errc::invalid,
                "nccl lint needs files (- for standard input), --env or --profile NAME; see "
                "nettune nccl --help");
  struct stat status {};
  if (!arguments.rootfs.empty() &&
      (::stat(arguments.rootfs.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)))
    return fail(Errc::invalid, cat("--root ", printable(arguments.rootfs), " is not a directory"));
  TRY_ASSIGN(const nccl::Catalog catalog, read_catalog(context));
  Linted linted;
  TRY(choose_version(arguments, catalog, linted));
  std::vector<Assignment> assignments;
  TRY(read_files(context, assignments, linted.unread));
  if (arguments.environment) read_environment(assignments);
  TRY(read_profile(context, assignments));

  nccl::Job job{&catalog, linted.version};
  std::optional<facts::Facts> live;
  const bool here = !arguments.any_node && !context.recorded() && arguments.rootfs.empty();
  if (context.recorded()) {
    TRY_ASSIGN(job.node, context.facts());
  } else if (here) {
    TRY_ASSIGN(live, facts::collect(facts::live()));
    job.node = &*live;
  }
  if (!arguments.any_node && !context.recorded())
    job.exists = [&](const std::string& path) -> std::optional<bool> {
      return ::access(cat(arguments.rootfs, path).c_str(), F_OK) == 0;
    };
  job.elsewhere = read_elsewhere(context, linted.version);
  linted.findings = nccl::lint(job, assignments);
  if (here) TRY(judge_class(context, *live, linted));
  return linted;
}

Result<Exit> nccl_lint(Context& context, Output& output) {
  TRY_ASSIGN(const Linted linted, lint_nccl(context));
  output.print(context.arguments().json ? json::lint(linted) : text::lint(linted, output.style()));
  const bool objects = std::ranges::any_of(linted.findings, [](const nccl::Finding& finding) {
    return finding.judgement.level >= nccl::Level::warning;
  });
  return objects ? Exit::drift : Exit::done;
}

}  // namespace nettune::cli
