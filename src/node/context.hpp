// SPDX-License-Identifier: Apache-2.0
#pragma once

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

namespace nettune::cli {

/// What a command works with. Everything costly is made when it is first asked for: `check` must
/// not pay for facts, nor `list` for providers.
class Context {
 public:
  explicit Context(Locations locations);

  const Locations& locations() const { return locations_; }
  Disk& disk() { return *disk_; }
  State& state() { return state_; }

  /// True when a node is planned for that was recorded with --facts: nothing of this machine may
  /// then come into the answer.
  bool recorded() const { return !locations_.facts_file.empty(); }
  /// True when an image is prepared (--root) and this machine plays no part.
  bool image() const { return !locations_.root.empty(); }
  bool is_root() const;

  /// A saved plan brings the --set values that it was made with.
  void use_set(std::map<std::string, std::string> set) { locations_.set = std::move(set); }

  /// Where profiles, site values and --set come from. The owner of the directory that --profiles
  /// names first, else of the file that --site names, is trusted: naming it is the decision.
  profile::Sources profile_sources();
  Result<const facts::Facts*> facts();
  Result<const Providers*> providers();
  /// Of this machine's packet filter; what facts, providers and checks look at, read once for all.
  firewall::LiveRuleset& ruleset() { return *ruleset_; }
  /// Facts, values and rules are read again when they are next asked for.
  void forget();
  /// As State::stamp(). Empty for a recorded node, and where the state may not be read.
  Result<std::string> state_stamp();
  /// Empty for a recorded node.
  Result<StateView> look_at_state(OnDamage on_damage = OnDamage::fail);

 private:
  Result<facts::Facts> read_facts();
  Result<Providers> make_providers();

  Locations locations_;
  std::unique_ptr<Disk> disk_;
  std::unique_ptr<Disk> roots_disk_;  ///< of the providers
  std::shared_ptr<firewall::LiveRuleset> ruleset_;
  State state_;
  std::optional<facts::Facts> facts_;
  std::optional<Providers> providers_;
};

/// `path` seen from the working directory.
std::string absolute_path(const std::string& path);

/// The content of a file that the command line names; Errc::not_found or Errc::invalid when it is
/// not there, is larger than `limit` or is no regular file.
Result<std::string> read_named_file(Disk& disk, const std::string& path, std::uint64_t limit);

}  // namespace nettune::cli
