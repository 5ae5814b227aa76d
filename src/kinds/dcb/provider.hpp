// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/provider.hpp"
#include "kernel/dcbnl.hpp"
#include "kinds/common/settle.hpp"
#include "kinds/dcb/driver_quirks.hpp"
#include "kinds/dcb/messages.hpp"
#include "kinds/dcb/values.hpp"

namespace nettune::kinds::dcb {

/// Access to the kernel; tests substitute their own.
struct DcbCalls {
  std::function<std::vector<Result<kernel::Dcb>>(std::span<const std::string>)> get =
      kernel::get_dcb;
  std::function<Result<int>(const std::string&, const kernel::DcbSet&)> set = kernel::set_dcb;
  common::SettleLimits settle = {};
};

/// Data Center Bridging of network interfaces: dcb:eth1:pfc, dcb:eth1:app#dscp-26, ... (listed in
/// docs/fabric.md). One GET for each interface answers a whole read(). All that one message carries
/// is one unit: PFC, ETS, rates, buffers. APP entries of one selector are one unit of several
/// messages, since a profile sets all 64 DSCPs or none, and a card may lack other selectors.
///
/// Values have Lifetime::runtime. mlx5 and bnxt keep some of them in the firmware over a reload of
/// the driver, but no card keeps them over a loss of power, and the effect of a reboot depends on
/// the card. So after a reboot the values before it are not a base for an undo.
///
/// Writing needs CAP_NET_ADMIN in the initial user namespace.
class DcbProvider final : public Provider {
 public:
  /// `sys` is the path of sysfs: it shows the driver, and when a link is back.
  explicit DcbProvider(std::string sys, DcbCalls calls = {})
      : sys_(std::move(sys)), calls_(std::move(calls)) {}

  std::string_view kind() const override { return "dcb"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  std::string unit(const Address& address) const override;
  std::vector<Address> needs(const Address& address) const override;
  std::vector<Address> given_back_after(const Address& address) const override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  Result<> write(std::span<const Write> unit, const Contents&, const std::string&) override;

 private:
  /// An interface at the last read(), which effects() and needs() use.
  struct Seen {
    Result<kernel::Dcb> dcb;
    std::string driver;
    const DriverQuirks* quirks = nullptr;
  };
  std::string driver_of(const std::string& interface) const;
  static Reading reading_of(const Seen& seen, const DcbTarget& target);
  std::string hint_for(const std::string& interface, const kernel::Dcb& now,
                       const DriverQuirks& quirks, const DcbMessage& message) const;
  Result<> send(const std::string& interface, const kernel::Dcb& now, const DriverQuirks& quirks,
                const std::vector<DcbMessage>& messages) const;

  std::string sys_;
  DcbCalls calls_;
  std::map<std::string, Seen, std::less<>> seen_;
};

}  // namespace nettune::kinds::dcb
