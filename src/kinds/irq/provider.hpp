// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/provider.hpp"
#include "kernel/sysctl_tree.hpp"

namespace nettune::kinds::irq {

/// The CPUs to which an interrupt of a device may go, as irq:IF:INDEX: the index among the device's
/// message-signaled interrupts, by number. The kernel gives other numbers after each boot, and when
/// a driver makes its interrupts anew; which one is meant is looked up at each access. The value is
/// a list, "0-31,64-95". Writing needs root.
class IrqProvider final : public Provider {
 public:
  /// The paths of /sys and /proc/irq.
  IrqProvider(std::string sys, std::string proc_irq)
      : sys_(std::move(sys)), tree_(proc_irq), proc_irq_(std::move(proc_irq)) {}

  std::string_view kind() const override { return "irq"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  /// Where an interrupt really goes, if its list does not say so.
  std::string no_effect(const Address& address, const Value& value, const Later&) override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  Result<> write(std::span<const Write> unit, const Contents&, const std::string&) override;

 private:
  /// The interrupts of a device; nothing if it has none.
  using Numbers = std::optional<std::vector<int>>;
  Numbers numbers_of(std::string_view device) const;
  Reading read_one(const Address& address, const Numbers& numbers);
  /// Why the kernel will refuse the value; "" if nothing says so.
  std::string not_offered(const std::string& value) const;

  std::string sys_;
  kernel::SysctlTree tree_;
  std::string proc_irq_;
};

/// What a refused write means; "" if nothing more is known than the error. `barred`: this process
/// may not write the file at all.
std::string_view refusal_hint(int error, bool barred);

}  // namespace nettune::kinds::irq
