// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/provider.hpp"
#include "kinds/boot/boot_files.hpp"
#include "kinds/common/kind.hpp"

namespace nettune::kinds::boot {

/// Arguments of the kernel: boot:iommu with the value "pt", boot:hugepages#2M, boot:pci#realloc.
/// They are written for GRUB and in effect at the next boot. Where another boot loader starts the
/// kernel, /proc/cmdline is all that there is: nettune only checks it.
class BootProvider final : public Provider {
 public:
  BootProvider(Disk& disk, const common::Places& places, bool live)
      : disk_(disk), files_(disk, live), places_(places), live_(live) {}

  std::string_view kind() const override { return "boot"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  std::string unit(const Address&) const override { return "boot:"; }
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  Lifetime lifetime(const Address&) const override { return Lifetime::disk; }
  std::string takes_effect(const Address&) const override;
  InEffect in_effect(const Address& address, const Value& written) override;
  bool staged() const override { return true; }
  std::string directory(const Address&) const override;
  Result<> write(std::span<const Write> unit, const Contents&,
                 const std::string& transaction) override;
  Result<> place(std::span<const Write> unit, const std::string& transaction) override;
  Result<> discard(std::span<const Write> unit, const std::string& transaction) override;

 private:
  std::vector<std::string> command_line() const;
  std::vector<Reading> read_command_line(std::span<const Address> addresses,
                                         const std::string& why) const;

  Disk& disk_;
  BootFiles files_;
  common::Places places_;
  bool live_;
};

}  // namespace nettune::kinds::boot
