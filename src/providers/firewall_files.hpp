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

/// The files that move along with a permanent rich rule of a zone: its own, and the one before it,
/// which firewalld keeps (firewall/core/io/zone.py).
std::vector<Address> files_of_zone(std::string_view zone);
std::string zone_file(std::string_view zone);  ///< the path of the first of them
/// With a rule of ufw.
Address file_of_ufw(bool ipv6);
std::string ufw_file(bool ipv6);  ///< its path

}  // namespace nettune::providers
