// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "core/provider.hpp"
#include "kernel/command.hpp"

namespace nettune::providers {

/// How the backend reaches ufw and the kernel; tests put some of their own in place.
struct UfwCalls {
  std::function<Result<kernel::Finished>(const kernel::CommandLine&)> run;
  /// Whether the kernel has ufw's chain for what comes in, which its rules stand in.
  std::function<Result<bool>(bool ipv6)> has_chain;
  UfwCalls();
};

/// Rules of ufw, firewall:ufw#RULE, "present" or absent. RULE is one that formats::ufw_rules()
/// makes, in the words of ufw's command line. Read from the files in which ufw keeps its rules, so
/// that a look starts no Python; written by the ufw command, at the head of its rules, where no
/// denial of the site stands before it. ufw then loads the chains with its rules anew
/// (_reload_user_rules(), ufw/backend_iptables.py): for that moment no new connection comes in,
/// while those that are there go on.
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

}  // namespace nettune::providers
