// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "facts/observe_parts.hpp"
#include "facts/parts.hpp"

namespace nettune::facts {
namespace {

constexpr std::size_t kConfigSize = 4096;
constexpr const char* kNeedsRoot = "its configuration space is not readable; run as root";
constexpr const char* kNoSlot = "its slot is not visible here (a virtual machine?)";
constexpr const char* kSilent = "its configuration space reads as all ones; it is asleep or gone";

PciConfig read_config(const kernel::Directory& root, const std::string& pci_address) {
  const auto bytes = root.read(pci_path(pci_address) + "/config", kConfigSize);
  return bytes ? parse_pci_config(*bytes) : PciConfig();
}

/// "16.0" of "16.0 GT/s PCIe", in tenths; nothing for "Unknown".
std::optional<std::int64_t> tenths(const std::string& text) {
  const auto dot = text.find('.');
  const auto blank = text.find(" GT/s");
  if (dot == std::string::npos || blank != dot + 2) return std::nullopt;
  const auto whole = parse_int(text.substr(0, dot));
  const auto part = parse_int(text.substr(dot + 1, 1));
  if (!whole || !part || *whole < 0 || *whole > 10'000) return std::nullopt;
  return *whole * 10 + *part;
}

/// One end of a PCI Express link, or the common capability of both.
struct Width {
  std::int64_t speed_tenths = 0;  ///< GT/s
  std::int64_t lanes = 0;

  std::string text() const {
    return cat(speed_tenths / 10, '.', speed_tenths % 10, " GT/s x", lanes);
  }
};

std::optional<Width> read_width(const kernel::Directory& root, const std::string& path,
                                const std::string& which) {
  const auto speed = tenths(root.line(cat(path, '/', which, "_link_speed")).value_or(""));
  const auto lanes = root.number(cat(path, '/', which, "_link_width"));
  // These fields are reserved for a virtual function. sysfs reports unknown as 255.
  if (!speed || !lanes || *lanes <= 0 || *lanes > 32) return std::nullopt;
  return Width{*speed, *lanes};
}

/// The emulated slot of a hypervisor (QEMU, VMware) says nothing about the card's real slot.
bool is_emulated(const kernel::Directory& root, const std::string& bridge) {
  const std::string id = read_pci_id(root, pci_path(bridge));
  return id.starts_with("1b36:") || id.starts_with("15ad:");
}

std::optional<Width> read_slot(const kernel::Directory& root,
                               const std::vector<std::string>& bridges) {
  if (bridges.empty() || is_emulated(root, bridges.back())) return std::nullopt;
  return read_width(root, pci_path(bridges.back()), "max");
}

void observe_link(const kernel::Directory& root, const std::string& pci_address,
                  const std::vector<std::string>& bridges, const Tell& tell) {
  const std::string path = pci_path(pci_address);
  const auto now = read_width(root, path, "current");
  const auto card = read_width(root, path, "max");
  if (!now || !card) {
    const std::string why = "the device does not report its PCIe link (a virtual function?)";
    tell(kPciLink, std::nullopt, why);
    tell(kPciSlot, std::nullopt, why);
    return;
  }
  const std::optional<Width> slot = read_slot(root, bridges);
  Width both = *card;
  if (slot) {
    both.speed_tenths = std::min(both.speed_tenths, slot->speed_tenths);
    both.lanes = std::min(both.lanes, slot->lanes);
  }
  const bool full = now->speed_tenths >= both.speed_tenths && now->lanes >= both.lanes;
  const std::string runs = cat("its PCIe link runs at ", now->text());
  if (!slot) {
    // The slot may not be capable of more.
    if (full)
      tell(kPciLink, "full", runs);
    else
      tell(kPciLink, std::nullopt,
           cat(runs, ", the card supports ", card->text(), ", and ", kNoSlot));
    tell(kPciSlot, std::nullopt, kNoSlot);
    return;
  }
  tell(kPciLink, full ? "full" : "reduced",
       full ? runs : cat(runs, ", but card and slot support ", both.text()));
  const bool fits = slot->speed_tenths >= card->speed_tenths && slot->lanes >= card->lanes;
  tell(kPciSlot, fits ? "full" : "reduced",
       cat("the card supports ", card->text(), ", its slot ", slot->text()));
}

}  // namespace

std::vector<std::string> bridges_above(const kernel::Directory& root,
                                       const std::string& pci_address) {
  // ../../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0
  const auto target = root.link(pci_path(pci_address));
  std::vector<std::string> bridges;
  if (!target) return bridges;
  for (const std::string_view part : split(*target, '/'))
    if (is_pci_address(part) && part != pci_address) bridges.emplace_back(part);
  return bridges;
}

void observe_acs(const kernel::Directory& root, const std::string& pci_address, const Tell& tell) {
  constexpr const Observable& kWhat = kPciAcsRedirect;
  const std::vector<std::string> bridges = bridges_above(root, pci_address);
  if (bridges.empty() || is_emulated(root, bridges.front()))
    return tell(kWhat, std::nullopt, "its bridges are not visible here (a virtual machine?)");
  std::vector<std::string> redirecting;
  const char* unseen = nullptr;
  for (const std::string& bridge : bridges) {
    const PciConfig config = read_config(root, bridge);
    if (!config.redirects) unseen = config.is_silent ? kSilent : kNeedsRoot;
    if (config.redirects.value_or(false)) redirecting.push_back(bridge);
  }
  if (!redirecting.empty())
    return tell(
        kWhat, "on",
        cat(redirecting.size() == 1 ? "the bridge " : "the bridges ", join(redirecting, ", "),
            " above it redirect", redirecting.size() == 1 ? "s" : "",
            " peer-to-peer traffic to the root complex (ACS, P2P request redirect)"));
  if (unseen) return tell(kWhat, std::nullopt, cat("for the bridges above it: ", unseen));
  tell(kWhat, "off", "no switch above it redirects peer-to-peer traffic");
}

void observe_pci(const kernel::Directory& root, const std::string& pci_address, const Tell& tell) {
  // A virtual function has neither a link nor a read size of its own; if its physical function is
  // visible, that one is read.
  const auto physical = root.link_name(pci_path(pci_address) + "/physfn");
  const std::string& address = physical && is_pci_address(*physical) ? *physical : pci_address;
  const std::vector<std::string> bridges = bridges_above(root, address);
  observe_link(root, address, bridges, tell);
  const PciConfig config = read_config(root, address);
  const auto bytes = config.max_read_request;
  const bool has_link = read_width(root, pci_path(address), "max").has_value();
  if (bytes && has_link)
    tell(kPciMaxReadRequest, std::to_string(*bytes),
         cat("it reads memory in requests of at most ", *bytes, " bytes (MaxReadReq of ", address,
             ")"));
  else
    tell(kPciMaxReadRequest, std::nullopt,
         bytes              ? "a virtual function does not report it"
         : config.is_silent ? kSilent
                            : kNeedsRoot);
  observe_acs(root, address, tell);
}

}  // namespace nettune::facts
