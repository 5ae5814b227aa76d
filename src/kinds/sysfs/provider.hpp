// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/provider.hpp"
#include "kernel/sysctl_tree.hpp"
#include "kinds/sysfs/table.hpp"

namespace nettune::kinds::sysfs {

/// Attributes of sysfs: sysfs:KEY of the host, sysfs:IF:KEY of an interface, from the table. If one
/// setting has several files (queues, CPUs), the value is one text if all files have the same,
/// otherwise one for each in the order of their numbers, separated by ';'. Writing needs root, or
/// CAP_NET_ADMIN for attributes of an interface.
class SysfsProvider final : public Provider {
 public:
  /// `sys` is the path of /sys.
  explicit SysfsProvider(std::string sys) : sys_(sys), tree_(std::move(sys)) {}

  std::string_view kind() const override { return "sysfs"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  bool lists(const Address& address, const std::string& value) override;
  Result<> write(std::span<const Write> unit, const Contents&, const std::string&) override;

 private:
  /// The choices that the kernel lists for a file; nothing if it lists none.
  std::vector<std::string> choices_of(const SysfsRow& row, const std::string& file);
  /// Why the kernel will refuse the value; "" if nothing says so.
  std::string not_offered(const Address& address, const SysfsRow& row, const std::string& value);
  Reading read_one(const Address& address);
  /// The files of a setting, in the order of their numbers.
  std::vector<std::string> files_of(const Address& address, const SysfsRow& row);

  std::string sys_;
  kernel::SysctlTree tree_;
};

}  // namespace nettune::kinds::sysfs
