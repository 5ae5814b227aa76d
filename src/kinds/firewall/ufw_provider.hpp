// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "core/provider.hpp"
#include "kernel/command.hpp"

namespace nettune::kinds::firewall {

/// The comment of nettune's rules: its mark.
inline constexpr std::string_view kUfwComment = "nettune";

/// Access to ufw and the kernel; tests substitute their own.
struct UfwCalls {
  std::function<Result<kernel::Finished>(const kernel::CommandLine&)> run;
  /// Whether the kernel has ufw's chain for incoming traffic, which has its rules.
  std::function<Result<bool>(bool ipv6)> has_chain;
  UfwCalls();
};

/// Rules of ufw, firewall:ufw#RULE, "present" or absent. RULE is one that ufw_rules()
/// makes, in the words of ufw's command line. Rules are read from ufw's files, so that reading
/// starts no Python. They are written by the ufw command, at the head of its rules, before any deny
/// rule of the site. ufw then loads the chains with its rules again (_reload_user_rules(),
/// ufw/backend_iptables.py): for a moment no new connections are accepted; existing ones continue.
class UfwFirewall final : public Provider {
 public:
  explicit UfwFirewall(Disk& disk, UfwCalls calls = {}) : disk_(disk), calls_(std::move(calls)) {}

  std::string_view kind() const override { return "firewall"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  Lifetime lifetime(const Address&) const override { return Lifetime::disk; }
  Result<> write(std::span<const Write> unit, const Contents&, const std::string&) override;

 private:
  Disk& disk_;
  UfwCalls calls_;
};

}  // namespace nettune::kinds::firewall
