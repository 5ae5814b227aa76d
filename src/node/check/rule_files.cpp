// SPDX-License-Identifier: Apache-2.0
#include "node/check/rule_files.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "profile/source.hpp"

namespace nettune::node::check {

namespace {

/// A later file's rule hides an earlier file's rule with the same id.
void add_rules(std::vector<checks::Rule> more, std::vector<checks::Rule>& rules) {
  for (checks::Rule& rule : more) {
    const auto known = std::ranges::find(rules, rule.id, &checks::Rule::id);
    if (known == rules.end())
      rules.push_back(std::move(rule));
    else
      *known = std::move(rule);
  }
}

}  // namespace

Result<std::vector<checks::Rule>> read_rules(Disk& disk, const checks::Observables& observables) {
  const std::string of_site = "/etc/nettune/checks";
  const std::string of_package = NETTUNE_DATADIR "/checks";
  std::map<std::string, std::string> paths;  ///< by file name
  std::vector<std::string> order;            ///< the site's own files come last
  for (const std::string& directory : {of_site, of_package}) {
    TRY_ASSIGN(const auto there, disk.info(directory));
    if (!there) continue;
    TRY_ASSIGN(const std::vector<std::string> names, disk.list(directory));
    for (const std::string& name : names)
      if (name.ends_with(".toml")) paths.emplace(name, cat(directory, '/', name));
  }
  for (const bool site : {false, true})
    for (const auto& [name, path] : paths)
      if (path.starts_with(cat(of_site, '/')) == site) order.push_back(path);
  std::vector<checks::Rule> rules;
  for (const std::string& path : order) {
    TRY_ASSIGN(const auto text, profile::read_trusted(disk, path, 0));
    if (!text) continue;
    TRY_ASSIGN(std::vector<checks::Rule> more, checks::parse_rules(*text, path, observables));
    add_rules(std::move(more), rules);
  }
  if (rules.empty())
    return fail(Errc::not_found, cat("there are no rules in ", of_site, " or ", of_package));
  return rules;
}

Result<std::vector<checks::Rule>> read_rules_of(Disk& disk, const std::string& directory,
                                                const checks::Observables& observables) {
  TRY_ASSIGN(const std::vector<std::string> names, disk.list(directory));
  std::vector<checks::Rule> rules;
  for (const std::string& name : names) {
    if (!name.ends_with(".toml")) continue;
    constexpr std::uint64_t kLargest = std::uint64_t{1} << 20;
    const std::string path = cat(directory, '/', name);
    TRY_ASSIGN(const auto text, disk.read(path, kLargest));
    if (!text) continue;
    TRY_ASSIGN(std::vector<checks::Rule> more, checks::parse_rules(*text, path, observables));
    add_rules(std::move(more), rules);
  }
  if (rules.empty())
    return fail(Errc::not_found, cat("there are no rules in ", printable(directory)));
  return rules;
}

}  // namespace nettune::node::check
