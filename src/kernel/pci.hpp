// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <linux/pci_regs.h>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/sysfs.hpp"

namespace nettune::kernel {

/// Configuration space is little endian; nothing beyond what was read.
class PciSpace {
 public:
  explicit PciSpace(std::string_view bytes) : bytes_(bytes) {}

  std::size_t size() const { return bytes_.size(); }
  std::optional<std::uint32_t> get(std::size_t at, std::size_t width) const {
    if (at > bytes_.size() || bytes_.size() - at < width) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = width; i > 0; --i)
      value = value << 8 | static_cast<std::uint8_t>(bytes_[at + i - 1]);
    return value;
  }

  /// A read without an answering device returns ones.
  bool is_silent() const {
    return size() >= PCI_STD_HEADER_SIZEOF &&
           bytes_.substr(0, PCI_STD_HEADER_SIZEOF).find_first_not_of('\xff') == bytes_.npos;
  }

  /// The position of a capability; 0 if there is none.
  std::size_t capability(std::uint32_t id) const {
    if ((get(PCI_STATUS, 2).value_or(0) & PCI_STATUS_CAP_LIST) == 0) return 0;
    std::size_t at = get(PCI_CAPABILITY_LIST, 1).value_or(0) & ~3U;
    // The walk also ends in a cyclic list.
    for (int left = 48; left > 0 && at >= PCI_STD_HEADER_SIZEOF; --left) {
      const auto head = get(at, 2);
      if (!head) return 0;
      if ((*head & 0xffU) == id) return at;
      at = *head >> 8 & ~3U;
    }
    return 0;
  }
  std::size_t extended(std::uint32_t id) const {
    std::size_t at = kConventional;
    for (int left = 480; left > 0 && at >= kConventional; --left) {
      const auto head = get(at, 4);
      if (!head || *head == 0 || *head == 0xffffffffU) return 0;
      if (PCI_EXT_CAP_ID(*head) == id) return at;
      at = PCI_EXT_CAP_NEXT(*head);
    }
    return 0;
  }

  static constexpr std::size_t kConventional = 256;

 private:
  std::string_view bytes_;
};

/// The device of a path as the kernel takes it for pci=disable_acs_redir: an address without or
/// with a domain, and the devices below it ("0000:3a:00.0/00.0/04.0"; pci_dev_str_match_path(),
/// drivers/pci/pci.c, 6.12). Its address now; nothing if there is none.
std::optional<std::string> find_by_pci_path(const Directory& root, std::string_view path);

/// What a port does with traffic between peers.
struct PortAcs {
  std::optional<bool> redirects;  ///< nothing: not readable, which takes CAP_SYS_ADMIN
  bool has_acs = false;
};
PortAcs read_port_acs(const Directory& root, const std::string& pci_address);

}  // namespace nettune::kernel
