// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/provider.hpp"

namespace nettune::kinds::firewall {

/// The rules that allow training traffic and drop the rest (docs/firewall.md). The first part of an
/// address names the manager, and each has a backend, a provider of its own:
///
///     firewall:nft/FAMILY/TABLE/CHAIN#NAME   a rule in another manager's chain  firewall_nft
///     firewall:restrict#NAME                 a rule in table inet nettune       firewall_nft
///     firewall:firewalld/...                 a rich rule of a zone              firewall_firewalld
///     firewall:ufw#RULE                      a rule of ufw                      firewall_ufw
///     firewall:allow#NAME                    required traffic while the manager is not known:
///                                            it can be neither read nor written
class FirewallProvider final : public Provider {
 public:
  struct Backends {
    std::unique_ptr<Provider> nft;
    std::unique_ptr<Provider> firewalld;
    std::unique_ptr<Provider> ufw;
  };
  explicit FirewallProvider(Backends backends);

  std::string_view kind() const override { return "firewall"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  std::string unit(const Address& address) const override;
  std::vector<Address> needs(const Address& address) const override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  bool is_still(const Value& set, const Value& now) const override;
  Lifetime lifetime(const Address& address) const override;
  /// All writes of a unit belong to one backend.
  Result<> write(std::span<const Write> unit, const Contents& contents,
                 const std::string& transaction) override;

 private:
  /// Null for firewall:allow, and for an unknown first part.
  Provider* backend_of(const Address& address) const;

  Backends backends_;
};

}  // namespace nettune::kinds::firewall
