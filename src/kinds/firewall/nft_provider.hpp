// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/provider.hpp"
#include "firewall/live_ruleset.hpp"
#include "firewall/rules/opening.hpp"

namespace nettune::kinds::firewall {

/// The backend of firewall:nft/FAMILY/TABLE/CHAIN#NAME and firewall:restrict#NAME (firewall.hpp):
/// rules of nf_tables, found by the tag nettune:NAME in their comment, at any handle or place. A
/// value is the text of a rules::Opening;
///
///     behind a drop: accept ...      a rule before it in its chain drops some of that traffic
///     not in force: drop ...         its chain or table was changed, or a rule before it accepts
///                                    packets
///     edited: sha256:...             it was changed to something that nettune did not write
///
/// Allow rules are one transaction of the kernel, drop rules another. The drop rules are in table
/// inet nettune, which is made with the first and removed with the last of them.
class NftFirewall final : public Provider {
 public:
  /// `sys` is the path of /sys: it shows which modules are loaded.
  NftFirewall(std::shared_ptr<nettune::firewall::LiveRuleset> ruleset, std::string sys)
      : ruleset_(std::move(ruleset)), sys_(std::move(sys)) {}

  std::string_view kind() const override { return "firewall"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  std::string unit(const Address& address) const override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  /// Behind a drop or not in force, it still counts as set.
  bool is_still(const Value& set, const Value& now) const override;
  Result<> write(std::span<const Write> unit, const Contents&, const std::string&) override;

 private:
  Result<> attempt(std::span<const Write> unit);
  void add_module_effects(const Address& address, Effects& effects);

  std::shared_ptr<nettune::firewall::LiveRuleset> ruleset_;
  std::string sys_;
};

}  // namespace nettune::kinds::firewall
