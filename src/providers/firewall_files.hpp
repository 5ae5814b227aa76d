// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/disk.hpp"
#include "core/provider.hpp"

namespace nettune::providers {

/// The files in which firewalld and ufw keep their rules, firewall:file/etc/ufw/user.rules, with
/// the value of a file: setting. A program that writes a rule of ours writes the whole file anew,
/// in its own words and without comments of the site: undo puts the old bytes back behind it. No
/// profile asks for one; they only move along (Effects::touches).
class FirewallFiles final : public Provider {
 public:
  explicit FirewallFiles(Disk& disk) : disk_(disk) {}

  std::string_view kind() const override { return "firewall"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  Effects effects(const Address& address, const Value&, const Value&) override;
  Lifetime lifetime(const Address&) const override { return Lifetime::disk; }
  Result<> write(std::span<const Write> unit, const Contents& contents,
                 const std::string& transaction) override;

 private:
  Reading read_one(const Address& address);
  Result<> write_one(const Write& write, const Contents& contents, const std::string& transaction);

  Disk& disk_;
};

}  // namespace nettune::providers
