// SPDX-License-Identifier: Apache-2.0
#include "cli/advising.hpp"

#include <map>
#include <set>

#include "base/text.hpp"
#include "cli/devices.hpp"
#include "facts/collect.hpp"
#include "kernel/sysfs.hpp"
#include "profile/source.hpp"

namespace nettune::cli {

namespace {

bool has_rdma() {
  const auto devices = kernel::Directory::open("/sys/class/infiniband");
  return devices && !devices->list("").empty();
}

/// The catalogues that count, by file name.
Result<std::map<std::string, std::string>> catalogues(Disk& disk) {
  std::map<std::string, std::string> paths;
  for (const std::string directory : {"/etc/nettune/checks", NETTUNE_DATADIR "/checks"}) {
    TRY_ASSIGN(const auto there, disk.info(directory));
    if (!there) continue;
    TRY_ASSIGN(const std::vector<std::string> names, disk.list(directory));
    for (const std::string& name : names)
      if (name.ends_with(".toml")) paths.emplace(name, cat(directory, '/', name));
  }
  return paths;
}

Result<std::vector<checks::Rule>> read_rules(Disk& disk) {
  TRY_ASSIGN(const auto paths, catalogues(disk));
  std::vector<checks::Rule> rules;
  for (const auto& [name, path] : paths) {
    TRY_ASSIGN(const auto text, profile::read_trusted(disk, path, 0));
    if (!text) continue;
    TRY_ASSIGN(std::vector<checks::Rule> more, checks::parse_rules(*text, path));
    rules.insert(rules.end(), more.begin(), more.end());
  }
  return rules;
}

}  // namespace

Result<Advised> advise(Context& context, const Look& look) {
  Advised advised;
  if (!has_rdma()) return advised;
  std::set<std::string> names;
  for (const Address& address : look.addresses)
    if (std::string name = device_in(address); !name.empty()) names.insert(std::move(name));
  if (names.empty()) return advised;
  const auto rules = read_rules(context.disk());
  if (!rules) {
    const Error& error = rules.error();
    advised.notes.push_back(cat("no advice: ", error.file.empty() ? "" : cat(error.file, ":"),
                                error.line > 0 ? cat(error.line, ": ") : " ", error.text));
    return advised;
  }
  if (rules->empty()) {
    advised.notes.emplace_back(
        "no advice: there are no rules in /etc/nettune/checks or " NETTUNE_DATADIR "/checks");
    return advised;
  }
  TRY_ASSIGN(const facts::Facts facts, facts::collect_ports(facts::live()));
  TRY_ASSIGN(const auto observations, facts::observe(facts, names, facts::live_observations()));
  advised.advice = checks::judge(*rules, observations);
  return advised;
}

}  // namespace nettune::cli
