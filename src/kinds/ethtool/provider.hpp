// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/provider.hpp"
#include "kernel/ethtool_settings.hpp"
#include "kinds/common/settle.hpp"

namespace nettune::providers {

/// How the ethtool provider reaches the kernel; tests put a kernel of their own in place.
struct EthtoolCalls {
  std::function<Result<kernel::EthtoolState>(const std::string&, kernel::EthtoolGroup)> get;
  std::function<Result<>(const std::string&, kernel::EthtoolGroup, const kernel::EthtoolChange&)>
      set;
};
/// The kernel's own, over one session that is opened when it is first needed.
EthtoolCalls kernel_ethtool();

/// What an interface has beside its link: pause, rings, channels, coalescing, features and private
/// flags, as ethtool:IF:KEY (docs/fabric.md). Each group of an interface is one message of the
/// kernel, and so one unit; a read asks for the groups that are addressed, each once.
class EthtoolProvider final : public Provider {
 public:
  /// What the last read() found, for effects() and needs().
  using States = std::map<std::pair<std::string, kernel::EthtoolGroup>, kernel::EthtoolState>;

  /// `sys` is where /sys stands: it shows what is hardware, what stands on what, and whether a link
  /// is back after a write.
  explicit EthtoolProvider(std::string sys, EthtoolCalls calls = kernel_ethtool(),
                           SettleLimits limits = {})
      : sys_(std::move(sys)), calls_(std::move(calls)), limits_(limits) {}

  std::string_view kind() const override { return "ethtool"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  std::string unit(const Address& address) const override;
  std::vector<Address> needs(const Address& address) const override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  Lifetime lifetime(const Address& address) const override;
  Result<> write(std::span<const Write> unit, const Contents&, const std::string&) override;

 private:
  std::string sys_;
  EthtoolCalls calls_;
  SettleLimits limits_;
  States states_;
};

}  // namespace nettune::providers
