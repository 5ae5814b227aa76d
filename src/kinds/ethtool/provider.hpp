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

namespace nettune::kinds::ethtool {

/// Access to the kernel; tests substitute their own.
struct EthtoolCalls {
  std::function<Result<kernel::EthtoolState>(const std::string&, kernel::EthtoolGroup)> get;
  std::function<Result<>(const std::string&, kernel::EthtoolGroup, const kernel::EthtoolChange&)>
      set;
};
/// The real kernel, over one session that is opened on first use.
EthtoolCalls kernel_ethtool();

/// The settings of an interface besides its link: pause, rings, channels, coalescing, features and
/// private flags, as ethtool:IF:KEY (docs/fabric.md). Each group of an interface is one kernel
/// message, and so one unit; a read asks once for each group that it needs.
class EthtoolProvider final : public Provider {
 public:
  /// The result of the last read(), for effects() and needs().
  using States = std::map<std::pair<std::string, kernel::EthtoolGroup>, kernel::EthtoolState>;

  /// `sys` is the path of /sys: it shows what is hardware, upper and lower devices, and whether a
  /// link is back after a write.
  explicit EthtoolProvider(std::string sys, EthtoolCalls calls = kernel_ethtool(),
                           common::SettleLimits limits = {})
      : sys_(std::move(sys)), calls_(std::move(calls)), limits_(limits) {}

  std::string_view kind() const override { return "ethtool"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  std::string unit(const Address& address) const override;
  std::vector<Address> needs(const Address& address) const override;
  void combine(std::span<const Write> unit, std::span<Effects* const> effects) override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  Lifetime lifetime(const Address& address) const override;
  Result<> write(std::span<const Write> unit, const Contents&, const std::string&) override;

 private:
  std::string sys_;
  EthtoolCalls calls_;
  common::SettleLimits limits_;
  States states_;
};

}  // namespace nettune::kinds::ethtool
