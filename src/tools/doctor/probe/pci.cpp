// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <set>

#include "base/text.hpp"
#include "facts/observe_parts.hpp"
#include "facts/parts.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

constexpr std::size_t kConfigBytes = 4096;
constexpr std::size_t kConfigOfUsers = 64;

/// "16.0" of "16.0 GT/s PCIe", in tenths.
std::optional<int> gts_tenths(const std::string& text) {
  const auto blank = text.find(" GT/s");
  if (blank == std::string::npos || blank == 0 || blank > 5) return std::nullopt;
  const std::string number = text.substr(0, blank);
  const auto dot = number.find('.');
  const auto whole = parse_int(number.substr(0, dot));
  const auto part = dot == std::string::npos ? std::optional<std::int64_t>(0)
                                             : parse_int(number.substr(dot + 1, 1));
  if (!whole || !part || *whole < 0 || *whole > 10'000) return std::nullopt;
  return static_cast<int>(*whole * 10 + *part);
}

std::optional<PciLink> read_link(const Directory& root, const std::string& path,
                                 const char* which) {
  const auto speed = gts_tenths(root.line(cat(path, '/', which, "_link_speed")).value_or(""));
  const auto lanes = root.number(cat(path, '/', which, "_link_width"));
  if (!speed || !lanes || *lanes <= 0 || *lanes > 32) return std::nullopt;
  return PciLink{*speed, static_cast<int>(*lanes)};
}

std::optional<std::uint64_t> hex_field(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size())
    return std::nullopt;
  return value;
}

/// Flags in include/linux/ioport.h.
constexpr std::uint64_t kMemory = 0x200;
constexpr std::uint64_t kPrefetch = 0x2000;
constexpr std::uint64_t kUnset = 0x20000000;
constexpr std::uint64_t kMemory64 = 0x100000;

/// Each of the first six lines of `resource` is a BAR: first address, last address, flags.
std::vector<PciBar> read_bars(const Directory& root, const std::string& path) {
  std::vector<PciBar> bars;
  const auto text = root.read(path + "/resource", kConfigBytes);
  if (!text) return bars;
  int index = 0;
  for (const std::string_view line : split(*text, '\n')) {
    constexpr int kBars = 6;
    if (index == kBars) break;
    const auto fields = words(line);
    const int here = index++;
    if (fields.size() != 3) continue;
    const auto first = hex_field(fields[0]);
    const auto last = hex_field(fields[1]);
    const auto flags = hex_field(fields[2]);
    if (!first || !last || !flags || (*flags & kMemory) == 0 || *last < *first) continue;
    const bool is_64 = (*flags & kPrefetch) != 0 && (*flags & kMemory64) != 0;
    bars.push_back(
        {here, *first, *last - *first + 1, is_64, *first != 0 && (*flags & kUnset) == 0});
  }
  return bars;
}

PciFunction read_function(const Directory& root, const std::string& address) {
  const std::string path = facts::pci_path(address);
  PciFunction function;
  function.address = address;
  function.id = facts::read_pci_id(root, path);
  function.klass = root.line(path + "/class").value_or("");
  function.driver = root.link_name(path + "/driver").value_or("");
  const auto bridges = facts::bridges_above(root, address);
  if (!bridges.empty()) function.parent = bridges.back();
  function.parent_known = root.link(path).has_value();
  function.virtual_function = root.link(path + "/physfn").has_value();
  function.numa_node = facts::read_numa_node(root, path);
  function.numa_known = root.number(path + "/numa_node").has_value();
  return function;
}

/// Parses "Undefined 0\nDLP 2\n...\nTOTAL_ERR_FATAL 2". Unsupported requests do not count: probing
/// for devices causes them.
std::optional<std::int64_t> read_aer(const Directory& root, const std::string& file) {
  const auto text = root.read(file, kConfigBytes);
  if (!text) return std::nullopt;
  std::int64_t sum = 0;
  for (const std::string_view line : split(*text, '\n')) {
    const auto fields = words(line);
    if (fields.size() != 2 || fields[0].starts_with("TOTAL_") || fields[0] == "UnsupReq") continue;
    sum += parse_int(fields[1]).value_or(0);
  }
  return sum;
}

void read_errors(const Directory& root, const std::string& path, PciFunction& function) {
  const auto fatal = read_aer(root, path + "/aer_dev_fatal");
  const auto others = read_aer(root, path + "/aer_dev_nonfatal");
  if (fatal && others) function.aer_uncorrected = *fatal + *others;
  function.aer_corrected = read_aer(root, path + "/aer_dev_correctable");
  if (const auto most = root.number(path + "/sriov_totalvfs"))
    function.most_vfs = static_cast<int>(*most);
  if (const auto now = root.number(path + "/sriov_numvfs")) function.vfs = static_cast<int>(*now);
}

void read_config(const Directory& root, PciFunction& function) {
  const std::string path = facts::pci_path(function.address);
  // Reading it would wake the device.
  if (root.line(path + "/power/runtime_status").value_or("") == "suspended") {
    function.acs = unknown("it is asleep and was not woken up");
    return;
  }
  const auto bytes = root.read(path + "/config", kConfigBytes);
  if (!bytes) {
    function.acs = unknown("its configuration space could not be read");
    return;
  }
  const facts::PciConfig config = facts::parse_pci_config(*bytes);
  function.silent = config.is_silent;
  function.port_type = config.port_type;
  // These fields are reserved in a virtual function.
  if (!function.virtual_function) {
    function.max_payload = config.max_payload;
    function.relaxed_ordering = config.relaxed_ordering;
  }
  if (config.acs)
    function.acs = *config.acs;
  else if (bytes->size() <= kConfigOfUsers)
    function.acs =
        not_permitted("without root the kernel shows only 64 bytes of the configuration space");
  else
    function.acs = unknown("it has no extended configuration space");
}

}  // namespace

void read_pci(const Place& place, Machine& machine) {
  const Directory& root = place.root;
  if (!root.exists("sys/bus/pci/devices")) {
    machine.pci = place.live ? not_applicable("this machine has no PCI bus")
                             : unknown("the recording has no PCI bus");
    return;
  }
  std::vector<PciFunction> all;
  for (const std::string& address : root.list("sys/bus/pci/devices"))
    if (facts::is_pci_address(address)) all.push_back(read_function(root, address));
  // Only functions that are judged are read in full: GPUs, RDMA cards and the bridges above them.
  std::set<std::string> interesting;
  for (const facts::RdmaDevice& device : machine.facts.rdma) interesting.insert(device.pci_address);
  for (const PciFunction& function : all)
    if (function.is_nvidia_gpu() ||
        (function.id.starts_with("15b3:") && function.klass.starts_with("0x02")))
      interesting.insert(function.address);
  std::set<std::string> bridges;
  for (const PciFunction& function : all)
    if (interesting.contains(function.address))
      for (std::string& bridge : facts::bridges_above(root, function.address))
        bridges.insert(std::move(bridge));
  interesting.merge(bridges);
  for (PciFunction& function : all) {
    if (!interesting.contains(function.address)) continue;
    const std::string path = facts::pci_path(function.address);
    function.now = read_link(root, path, "current");
    function.most = read_link(root, path, "max");
    if (function.is_nvidia_gpu()) {
      function.bars = read_bars(root, path);
      function.resizable_bar = root.exists(path + "/resource1_resize");
    }
    read_config(root, function);
    read_errors(root, path, function);
  }
  machine.pci = std::move(all);
}

}  // namespace nettune::tools::doctor::probe
