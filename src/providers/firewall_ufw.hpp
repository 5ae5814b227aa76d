// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/provider.hpp"

namespace nettune::providers {

/// The backend of firewall:ufw (see firewall.hpp).
class UfwFirewall final : public Provider {
 public:
  std::string_view kind() const override { return "firewall"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  Result<> write(std::span<const Write> unit, const Contents&, const std::string&) override;
};

}  // namespace nettune::providers
