// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <linux/pci_regs.h>

#include "facts/observe_parts.hpp"

namespace nettune::facts {
namespace {

/// Configuration space is little endian; nothing beyond what was read.
class Config {
 public:
  explicit Config(std::string_view bytes) : bytes_(bytes) {}

  std::size_t size() const { return bytes_.size(); }
  std::optional<std::uint32_t> get(std::size_t at, std::size_t width) const {
    if (at > bytes_.size() || bytes_.size() - at < width) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = width; i > 0; --i)
      value = value << 8 | static_cast<std::uint8_t>(bytes_[at + i - 1]);
    return value;
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

/// False for a root port: traffic between root ports passes the root complex in any case.
bool is_switch_port(const PciConfig& config) {
  // NOLINTNEXTLINE(misc-redundant-expression): 5 and 6, which clang-tidy 14 takes for the same.
  return config.port_type == PCI_EXP_TYPE_UPSTREAM || config.port_type == PCI_EXP_TYPE_DOWNSTREAM;
}

/// A read without an answering device returns ones.
bool is_all_ones(std::string_view bytes) {
  return bytes.size() >= PCI_STD_HEADER_SIZEOF &&
         std::ranges::all_of(bytes.substr(0, PCI_STD_HEADER_SIZEOF),
                             [](char byte) { return byte == '\xff'; });
}

}  // namespace

PciConfig parse_pci_config(std::string_view bytes) {
  const Config config(bytes);
  PciConfig found;
  found.is_silent = is_all_ones(bytes);
  if (found.is_silent) return found;
  const std::size_t express = config.capability(PCI_CAP_ID_EXP);
  if (express != 0) {
    const auto control = config.get(express + PCI_EXP_DEVCTL, 2);
    // 128 bytes, doubled this many times (PCI Express Base Specification, 7.5.3.4).
    if (control) {
      found.max_read_request = 128 << (*control >> 12 & 7U);
      found.max_payload = 128 << (*control >> 5 & 7U);
      found.relaxed_ordering = (*control & PCI_EXP_DEVCTL_RELAX_EN) != 0;
    }
    const auto flags = config.get(express + PCI_EXP_FLAGS, 2);
    if (flags) found.port_type = static_cast<int>(*flags >> 4 & 0xfU);
  }
  if (config.size() <= Config::kConventional) return found;
  found.acs = 0;
  if (const std::size_t acs = config.extended(PCI_EXT_CAP_ID_ACS))
    if (const auto control = config.get(acs + PCI_ACS_CTRL, 2))
      found.acs = static_cast<int>(*control);
  found.redirects = is_switch_port(found) && (*found.acs & PCI_ACS_RR) != 0;
  return found;
}

}  // namespace nettune::facts
