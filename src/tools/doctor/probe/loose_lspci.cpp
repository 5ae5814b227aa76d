// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <linux/pci_regs.h>
#include <map>

#include "base/text.hpp"
#include "tools/doctor/probe/loose.hpp"

namespace nettune::tools::doctor::probe {
namespace {

/// "Speed 32GT/s, Width x16, ..." of LnkCap and LnkSta.
std::optional<PciLink> link_of(std::string_view line) {
  const auto speed_at = line.find("Speed ");
  const auto width_at = line.find("Width x");
  if (speed_at == std::string_view::npos || width_at == std::string_view::npos) return std::nullopt;
  const std::string_view speed = line.substr(speed_at + 6);
  const std::string_view width = line.substr(width_at + 7);
  const auto whole = parse_int(speed.substr(0, speed.find_first_not_of("0123456789")));
  const auto lanes = parse_int(width.substr(0, width.find_first_not_of("0123456789")));
  if (!whole || !lanes || *lanes <= 0) return std::nullopt;
  const bool half = speed.find(".5GT") < 4;
  return PciLink{static_cast<int>(*whole * 10 + (half ? 5 : 0)), static_cast<int>(*lanes)};
}

int acs_bits(std::string_view line) {
  int bits = 0;
  const std::pair<std::string_view, int> kBits[] = {
      {"SrcValid+", PCI_ACS_SV},   {"TransBlk+", PCI_ACS_TB},    {"ReqRedir+", PCI_ACS_RR},
      {"CmpltRedir+", PCI_ACS_CR}, {"UpstreamFwd+", PCI_ACS_UF}, {"EgressCtrl+", PCI_ACS_EC},
      {"DirectTrans+", PCI_ACS_DT}};
  for (const auto& [word, bit] : kBits)
    if (line.find(word) != std::string_view::npos) bits |= bit;
  return bits;
}

std::string between(std::string_view text, std::string_view left, std::string_view right) {
  const auto begin = text.find(left);
  if (begin == std::string_view::npos) return {};
  const auto rest = text.substr(begin + left.size());
  return std::string(rest.substr(0, rest.find(right)));
}

bool is_hex(std::string_view text, std::size_t size) {
  return text.size() == size &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The class for the words that lspci prints without -nn.
std::string class_of(std::string_view words_of_class) {
  const std::pair<std::string_view, std::string_view> kClasses[] = {
      {"PCI bridge", "0x060400"},
      {"3D controller", "0x030200"},
      {"VGA compatible controller", "0x030000"},
      {"Ethernet controller", "0x020000"},
      {"Infiniband controller", "0x020700"},
      {"Bridge", "0x068000"}};
  for (const auto& [name, number] : kClasses)
    if (words_of_class == name) return std::string(number);
  return {};
}

/// "19:00.0 3D controller [0302]: NVIDIA Corporation Device [10de:2330] (rev a1)"
std::optional<PciFunction> head_of(std::string_view line) {
  const auto blank = line.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  std::string address(line.substr(0, blank));
  if (address.size() == 7) address = cat("0000:", address);
  if (address.size() != 12 || address[4] != ':' || address[7] != ':' || address[10] != '.')
    return std::nullopt;
  const std::string_view rest = line.substr(blank + 1);
  const auto colon = rest.find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  PciFunction function;
  function.address = std::move(address);
  std::string_view klass = rest.substr(0, colon);
  if (const auto open = klass.find(" ["); open != std::string_view::npos) {
    const std::string number = between(klass, "[", "]");
    if (is_hex(number, 4)) function.klass = cat("0x", number, "00");
    klass = klass.substr(0, open);
  }
  if (function.klass.empty()) function.klass = class_of(klass);
  const std::string_view what = rest.substr(colon + 2);
  for (std::size_t at = what.find('['); at != std::string_view::npos; at = what.find('[', at + 1)) {
    const std::string_view id = what.substr(at + 1, 9);
    if (id.size() == 9 && is_hex(id.substr(0, 4), 4) && id[4] == ':' && is_hex(id.substr(5), 4))
      function.id = std::string(id);
  }
  // Without -nn the vendor is a name, and also the device if pci.ids has it.
  const std::string device = between(what, "Device ", " ");
  if (function.id.empty() && what.starts_with("NVIDIA"))
    function.id = cat("10de:", is_hex(device, 4) ? device : "0000");
  if (function.id.empty() && what.starts_with("Mellanox"))
    function.id = what.find("ConnectX-7") != std::string_view::npos ? "15b3:1021" : "15b3:0000";
  function.silent = rest.find("(rev ff)") != std::string_view::npos;
  function.acs = 0;
  return function;
}

void take_bar(std::string_view line, PciFunction& function) {
  const auto index = parse_int(between(line, "Region ", ":"));
  if (!index || line.find("Memory at") == std::string_view::npos) return;
  PciBar bar;
  bar.index = static_cast<int>(*index);
  bar.prefetchable_64 = line.find("(64-bit, prefetchable)") != std::string_view::npos;
  bar.assigned = line.find("<unassigned>") == std::string_view::npos;
  const std::string size = between(line, "[size=", "]");
  const auto number =
      parse_int(std::string_view(size).substr(0, size.find_first_not_of("0123456789")));
  if (!number || size.empty()) return;
  const int shift = size.back() == 'K'   ? 10
                    : size.back() == 'M' ? 20
                    : size.back() == 'G' ? 30
                    : size.back() == 'T' ? 40
                                         : 0;
  bar.size = static_cast<std::uint64_t>(*number) << shift;
  function.bars.push_back(bar);
}

void take_detail(std::string_view line, PciFunction& function) {
  if (line.starts_with("Capabilities: <access denied>"))
    function.acs = not_permitted("lspci was not run by root");
  if (line.ends_with("SMDL=SW_MNG")) function.manages_switch = true;
  if (line.starts_with("LnkCap:")) function.most = link_of(line);
  if (line.starts_with("LnkSta:")) function.now = link_of(line);
  if (line.starts_with("ACSCtl:")) function.acs = acs_bits(line);
  if (line.starts_with("RlxdOrd")) function.relaxed_ordering = line.starts_with("RlxdOrd+");
  if (line.starts_with("MaxPayload ") && line.find("MaxReadReq") != std::string_view::npos)
    if (const auto bytes = parse_int(between(line, "MaxPayload ", " ")))
      function.max_payload = static_cast<int>(*bytes);
  if (line.starts_with("Region ")) take_bar(line, function);
  if (line.starts_with("NUMA node: "))
    if (const auto node = parse_int(trim(line.substr(11))))
      function.numa_node = static_cast<int>(*node);
  if (line.starts_with("Kernel driver in use: ")) function.driver = std::string(line.substr(22));
  if (line.find("Express (v") != std::string_view::npos) {
    if (line.find("Root Port") != std::string_view::npos)
      function.port_type = PCI_EXP_TYPE_ROOT_PORT;
    if (line.find("Upstream Port") != std::string_view::npos)
      function.port_type = PCI_EXP_TYPE_UPSTREAM;
    if (line.find("Downstream Port") != std::string_view::npos)
      function.port_type = PCI_EXP_TYPE_DOWNSTREAM;
  }
}

/// Adds cards whose RDMA devices were not recorded: only their PCI address is known.
void add_cards(Machine& machine) {
  if (!machine.facts.rdma.empty()) return;
  for (const PciFunction& function : *machine.pci) {
    if (!function.id.starts_with("15b3:") || !function.klass.starts_with("0x02")) continue;
    facts::RdmaDevice device;
    device.name = cat("card-", function.address);
    device.pci_address = function.address;
    device.pci_id = function.id;
    machine.facts.rdma.push_back(std::move(device));
  }
}

}  // namespace

void take_lspci(std::string_view text, Machine& machine) {
  std::vector<PciFunction> all;
  std::map<std::string, std::string> bridge_of_bus;  ///< "0000:16" to the bridge above
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty() && line.front() != ' ' && line.front() != '\t') {
      if (auto function = head_of(line)) all.push_back(std::move(*function));
      continue;
    }
    if (all.empty()) continue;
    const std::string_view detail = trim(line);
    if (detail.starts_with("Bus: primary=")) {
      const std::string bus = between(detail, "secondary=", ",");
      bridge_of_bus[cat(all.back().address.substr(0, 5), bus)] = all.back().address;
    }
    take_detail(detail, all.back());
  }
  if (all.empty()) return;
  for (PciFunction& function : all)
    if (const auto found = bridge_of_bus.find(function.address.substr(0, 7));
        found != bridge_of_bus.end())
      function.parent = found->second;
  machine.pci = std::move(all);
  add_cards(machine);
}

/// "pci 0000:84:00.0: [10de:2b85] type 00 class 0x030000 ..." and its BARs.
void take_boot_lines(const KernelLog& log, Machine& machine) {
  if (machine.pci) return;
  std::vector<PciFunction> all;
  for (const LogLine& line : log.lines) {
    const auto at = line.text.find("pci 0000:");
    if (at == std::string::npos) continue;
    const std::string_view rest = std::string_view(line.text).substr(at + 4);
    if (rest.size() < 14 || rest[12] != ':') continue;
    const std::string address(rest.substr(0, 12));
    const std::string_view what = rest.substr(14);
    auto found = std::ranges::find(all, address, &PciFunction::address);
    if (what.starts_with('[') && what.find("] type ") == 10 &&
        what.find(" class 0x") != std::string_view::npos && found == all.end()) {
      PciFunction function;
      function.address = address;
      function.id = std::string(what.substr(1, 9));
      function.klass = cat("0x", between(what, "class 0x", " "));
      function.acs = unknown("the kernel log does not say it");
      all.push_back(std::move(function));
    } else if (found != all.end() && what.starts_with("BAR ")) {
      const auto index = parse_int(what.substr(4, 1));
      const std::string range = between(what, "[mem 0x", " ");
      const auto dash = range.find("-0x");
      std::uint64_t first = 0;
      std::uint64_t last = 0;
      if (!index || dash == std::string::npos) continue;
      std::from_chars(range.data(), range.data() + dash, first, 16);
      std::from_chars(range.data() + dash + 3, range.data() + range.size(), last, 16);
      if (last > first)
        found->bars.push_back({static_cast<int>(*index), first, last - first + 1,
                               what.find("64bit pref") != std::string_view::npos, true});
    }
  }
  if (!all.empty()) machine.pci = std::move(all);
}

}  // namespace nettune::tools::doctor::probe
