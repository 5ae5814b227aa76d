// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/disk.hpp"
#include "core/provider.hpp"
#include "core/state.hpp"
#include "facts/facts.hpp"
#include "firewall/live_ruleset.hpp"
#include "node/request.hpp"
#include "node/state_view.hpp"
#include "profile/profile.hpp"

namespace nettune::node {

/// What a command works with. Everything expensive is made on first use: `check` must not pay for
/// facts, nor `list` for providers.
class Context {
 public:
  explicit Context(Locations locations);

  const Locations& locations() const { return locations_; }
  Disk& disk() { return *disk_; }
  State& state() { return state_; }

  /// True with --facts: the plan is for a recorded node, and nothing of this machine may enter the
  /// result.
  bool recorded() const { return !locations_.facts_file.empty(); }
  /// True with --root: an image is prepared, and this machine plays no part.
  bool image() const { return !locations_.root.empty(); }
  bool is_root() const;

  /// A saved plan has its own --set values.
  void use_set(std::map<std::string, std::string> set) { locations_.set = std::move(set); }

  /// The sources of profiles, site values and --set. The owner of the first --profiles directory,
  /// else of the --site file, is trusted: naming it expresses trust.
  profile::Sources profile_sources();
  Result<const facts::Facts*> facts();
  /// facts(), and what only people and comparisons need (facts::describe()); recorded ones as they
  /// are.
  Result<facts::Facts> described_facts();
  Result<const Providers*> providers();
  /// The values of a recorded node (--state, or those in --facts).
  Result<std::map<Address, Reading>> recorded_values();
  /// The packet filter of this machine, read once for facts, providers and checks.
  firewall::LiveRuleset& ruleset() { return *ruleset_; }
  /// Drops facts, values and rules, so that the next use reads them again.
  void forget();
  /// State::stamp(). Empty for a recorded node, and if the state may not be read.
  Result<std::string> state_stamp();
  /// Empty for a recorded node.
  Result<StateView> look_at_state(OnDamage on_damage = OnDamage::fail);

 private:
  Result<facts::Facts> read_facts();
  Result<Providers> make_providers();

  Locations locations_;
  std::unique_ptr<Disk> disk_;
  std::unique_ptr<Disk> roots_disk_;  ///< for the providers
  std::shared_ptr<firewall::LiveRuleset> ruleset_;
  State state_;
  std::optional<facts::Facts> facts_;
  std::optional<Providers> providers_;
};

/// `path`, relative to the working directory.
std::string absolute_path(const std::string& path);

/// The content of a file named on the command line. Errc::not_found or Errc::invalid if it does not
/// exist, is larger than `limit` or is not a regular file.
Result<std::string> read_named_file(Disk& disk, const std::string& path, std::uint64_t limit);

}  // namespace nettune::node
