// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "core/provider.hpp"
#include "kernel/firewalld.hpp"

namespace nettune::kinds::firewall {

/// Access to firewalld; tests substitute their own.
struct FirewalldCalls {
  using Layer = kernel::FirewalldLayer;
  using Changes = std::span<const kernel::FirewalldChange>;
  std::function<Result<std::vector<std::string>>(Layer, const std::string& zone)> rules =
      kernel::firewalld_rules;
  std::function<Result<>(Layer, const std::string& zone, Changes)> change =
      kernel::change_firewalld;
};

/// Rich rules of firewalld, "present" or absent:
///
///     firewall:firewalld/permanent/ZONE#RICH-RULE     in the file of the zone
///     firewall:firewalld/runtime/ZONE#RICH-RULE       in the kernel, now
///
/// An element is a rule as firewalld_rules() writes it, in firewalld's own form. Both take
/// effect at once; nothing is reloaded, so other runtime changes stay. While firewalld does not
/// run, permanent rules are read from the file of their zone, and none can be written.
class FirewalldFirewall final : public Provider {
 public:
  explicit FirewalldFirewall(Disk& disk, FirewalldCalls calls = {})
      : disk_(disk), calls_(std::move(calls)) {}

  std::string_view kind() const override { return "firewall"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  /// One connection for all rules of a zone.
  std::string unit(const Address& address) const override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  /// A runtime rule is there again after every start, because its permanent one is.
  Lifetime lifetime(const Address&) const override { return Lifetime::disk; }
  Result<> write(std::span<const Write> unit, const Contents&, const std::string&) override;

 private:
  Disk& disk_;
  FirewalldCalls calls_;
};

}  // namespace nettune::kinds::firewall
