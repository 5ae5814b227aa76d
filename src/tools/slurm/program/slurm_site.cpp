// SPDX-License-Identifier: Apache-2.0
#include "tools/slurm/program/slurm_site.hpp"

#include <string_view>

#include "base/text.hpp"
#include "profile/source.hpp"

namespace nettune::tools::slurm::program {

namespace {

Result<std::optional<int>> number_in(const toml::Node& table, std::string_view key, int least,
                                     int most) {
  const toml::Node* const node = table.find(key);
  if (!node) return std::nullopt;
  if (node->integer < least || node->integer > most)
    return toml::fail_at(node->origin, cat("slurm: ", key, " must be ", least, " to ", most,
                                           ", not ", node->integer));
  return static_cast<int>(node->integer);
}

/// An absolute path; `fallback` where the key is absent.
Result<std::string> path_in(const toml::Node& table, std::string_view key, std::string fallback) {
  const toml::Node* const node = table.find(key);
  if (!node) return fallback;
  if (!node->text.starts_with('/'))
    return toml::fail_at(node->origin, cat("slurm: ", key, " must be an absolute path, not \"",
                                           printable(node->text), "\""));
  return node->text;
}

}  // namespace

Result<HealthSite> read_health_site(node::Context& context) {
  TRY_ASSIGN(const profile::Site read,
             profile::read_site(context.disk(), context.profile_sources()));
  const auto flag = [&](std::string_view key, bool fallback) {
    const toml::Node* const node = read.slurm.find(key);
    return node ? node->boolean : fallback;
  };
  HealthSite site;
  site.rules.drain = flag("drain", site.rules.drain);
  site.rules.comment = flag("comment", site.rules.comment);
  constexpr int kMostSeen = 1000;
  constexpr int kMostNodes = 100'000;
  constexpr int kAll_percent = 100;
  TRY_ASSIGN(const auto seen, number_in(read.slurm, "seen", 1, kMostSeen));
  TRY_ASSIGN(const auto nodes, number_in(read.slurm, "most_nodes", 0, kMostNodes));
  TRY_ASSIGN(site.rules.most_percent, number_in(read.slurm, "most_percent", 0, kAll_percent));
  site.rules.seen = seen.value_or(site.rules.seen);
  site.rules.most_nodes = nodes.value_or(site.rules.most_nodes);
  TRY_ASSIGN(site.metrics, path_in(read.slurm, "metrics", ""));
  TRY_ASSIGN(site.scontrol, path_in(read.slurm, "scontrol", site.scontrol));
  return site;
}

}  // namespace nettune::tools::slurm::program
