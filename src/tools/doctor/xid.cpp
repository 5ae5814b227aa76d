// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/xid.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "toml/load.hpp"
#include "tools/doctor/log_lines.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/xid_text.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kGpuXid = observable("gpu.xid", "none|reset|reboot|nvlink|power|hardware");
const Observable kGpuXidApplication = observable("gpu.xid-application");

using toml::Node;

Result<std::string> xid_text(const Node& entry, std::string_view key) {
  const Node* const value = entry.find(key);
  if (!value || !value->is(Node::Kind::string) || value->text.empty())
    return toml::fail_at(entry.origin, cat("an Xid needs ", key, " = \"...\""));
  return value->text;
}

Result<XidMeaning> xid_meaning(const Node& table) {
  XidMeaning entry;
  TRY_ASSIGN(const std::string kind, xid_text(table, "class"));
  if (kind != "none" && kind != "application" && kind != "hardware")
    return toml::fail_at(table.origin,
                         cat("class is none, application or hardware, not ", printable(kind)));
  entry.kind = kind == "hardware"      ? XidMeaning::Class::hardware
               : kind == "application" ? XidMeaning::Class::application
                                       : XidMeaning::Class::none;
  TRY_ASSIGN(entry.action, xid_text(table, "action"));
  TRY_ASSIGN(entry.meaning, xid_text(table, "meaning"));
  return entry;
}

Result<XidEntry> xid_entry(const Node& table) {
  XidEntry entry;
  TRY_ASSIGN(static_cast<XidMeaning&>(entry), xid_meaning(table));
  const Node* const says = table.find("says");
  if (!says) return entry;
  for (const auto& [name, saying] : says->entries) {
    TRY_ASSIGN(std::string like, xid_text(saying, "like"));
    TRY_ASSIGN(XidMeaning meaning, xid_meaning(saying));
    entry.says.emplace_back(std::move(like), std::move(meaning));
  }
  return entry;
}

/// Its last line counts: it states what the GPU waits for now.
constexpr int kRecoveryAction = 154;

/// The Xids of one class on one GPU, the first one first.
struct OfGpu {
  struct Seen {
    XidMeaning meaning;
    int times = 0;
  };
  int first = 0;
  std::map<int, Seen> seen;

  void add(int number, const XidMeaning& meaning) {
    if (seen.empty()) first = number;
    Seen& one = seen.try_emplace(number, Seen{meaning, 0}).first->second;
    ++one.times;
  }
};
using OfGpus = std::map<std::string, OfGpu>;

/// The Xids of a log by class and GPU.
struct Sorted {
  OfGpus hardware;
  OfGpus application;

  void add(const std::string& gpu, int number, const XidMeaning& meaning) {
    if (meaning.kind == XidMeaning::Class::hardware) hardware[gpu].add(number, meaning);
    if (meaning.kind == XidMeaning::Class::application) application[gpu].add(number, meaning);
  }
};

/// What is known of an Xid of which only a consequence is in the log. Where it depends on the rest
/// of its line, it counts for the program that ended, not for the GPU.
std::optional<XidMeaning> meaning_of_cause(int number, int consequence) {
  const auto known = built_in_xids().find(number);
  if (known == built_in_xids().end()) return std::nullopt;
  XidMeaning meaning = known->second;
  if (!known->second.says.empty() && meaning.kind == XidMeaning::Class::hardware)
    meaning.kind = XidMeaning::Class::application;
  meaning.meaning += cat(", named by Xid ", consequence);
  return meaning;
}

Sorted sort_xids(const KernelLog& log) {
  std::vector<Xid> xids;
  std::set<std::pair<std::string, int>> logged;
  for (const LogLine& line : log.lines)
    if (auto xid = line.is_foreign ? std::nullopt : parse_xid(line.text)) {
      logged.emplace(xid->pci_address, xid->number);
      xids.push_back(std::move(*xid));
    }
  Sorted sorted;
  std::map<std::string, XidMeaning> recovery;
  for (const Xid& xid : xids) {
    if (xid.caused_by && !logged.contains({xid.pci_address, *xid.caused_by}))
      if (const auto cause = meaning_of_cause(*xid.caused_by, xid.number))
        sorted.add(xid.pci_address, *xid.caused_by, *cause);
    const auto meaning = meaning_of(xid);
    if (meaning && xid.number == kRecoveryAction)
      recovery[xid.pci_address] = *meaning;
    else if (meaning)
      sorted.add(xid.pci_address, xid.number, *meaning);
  }
  for (const auto& [gpu, meaning] : recovery) sorted.add(gpu, kRecoveryAction, meaning);
  return sorted;
}

/// The kind of an action of the catalogue, as rules want it.
std::string kind_of(std::string_view action) {
  constexpr auto kKinds =
      std::to_array<std::pair<std::string_view, std::string_view>>({{"check NVLink", "nvlink"},
                                                                    {"check the power", "power"},
                                                                    {"reset the GPU", "reset"},
                                                                    {"restart the", "reboot"}});
  for (const auto& [begin, kind] : kKinds)
    if (action.starts_with(begin)) return std::string(kind);
  return "hardware";
}

void tell_class(const OfGpus& by_gpu, const Observable& what, bool is_hardware,
                const std::string& where, Sightings& out) {
  if (by_gpu.empty()) {
    out.add(what, "", "none", cat("no such Xid in ", where));
    return;
  }
  for (const auto& [address, of_gpu] : by_gpu) {
    std::vector<std::string> parts;
    const auto part = [&](int number) {
      const auto& [entry, times] = of_gpu.seen.at(number);
      parts.push_back(cat(number, " (", entry.meaning, "; ", entry.action, ")",
                          times > 1 ? cat(", ", times, " times") : ""));
    };
    part(of_gpu.first);
    for (const auto& [number, one] : of_gpu.seen)
      if (number != of_gpu.first) part(number);
    auto& seen =
        out.add(what, cat("GPU ", address),
                is_hardware ? kind_of(of_gpu.seen.at(of_gpu.first).meaning.action) : "application",
                cat("Xid ", join(parts, ", Xid ")));
    seen.concerns = {address, address + ".0"};
  }
}

}  // namespace

Result<XidCatalogue> parse_xid_catalogue(std::string_view text) {
  TRY_ASSIGN(const Node root, toml::parse_toml(text, "catalog/xid.toml"));
  XidCatalogue catalogue;
  const Node* const table = root.find("xid");
  if (!table || root.entries.size() != 1)
    return toml::fail_at(root.origin, "the catalogue of Xids has tables [xid.NUMBER]");
  for (const auto& [key, value] : table->entries) {
    const auto number = parse_int(key);
    if (!number || *number < 0 || *number > 100'000)
      return toml::fail_at(value.origin, cat("\"", printable(key), "\" is not an Xid"));
    TRY_ASSIGN(catalogue[static_cast<int>(*number)], xid_entry(value));
  }
  return catalogue;
}

const XidCatalogue& built_in_xids() {
  static const XidCatalogue catalogue =
      parse_xid_catalogue(nettune::doctor::kXidCatalogue).value_or(XidCatalogue());
  return catalogue;
}

std::optional<Xid> parse_xid(std::string_view line) {
  constexpr std::string_view kHead = "NVRM: Xid (";
  if (!line.starts_with(kHead)) return std::nullopt;
  line.remove_prefix(kHead.size());
  if (line.starts_with("PCI:")) line.remove_prefix(4);
  const auto close = line.find("): ");
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view where = line.substr(0, close);  // "0000:38:00 GPU-I:05"
  line.remove_prefix(close + 3);
  const auto end = line.find_first_not_of("0123456789");
  const auto number = parse_int(line.substr(0, end));
  if (!number || *number > 100'000 || has_control_characters(where)) return std::nullopt;
  Xid xid;
  xid.pci_address = std::string(where.substr(0, where.find(' ')));
  xid.number = static_cast<int>(*number);
  line = end == std::string_view::npos ? "" : line.substr(end);
  if (line.starts_with(", ")) line.remove_prefix(2);
  constexpr std::string_view kUnknown = "pid='<unknown>', name=<unknown>, ";
  if (line.starts_with(kUnknown)) line.remove_prefix(kUnknown.size());
  if (!line.starts_with("pid=")) xid.message = std::string(line);
  constexpr std::string_view kCause = " caused by previous Xid ";
  if (const auto at = line.rfind(kCause); xid.number == 45 && at != std::string_view::npos)
    if (const auto cause = parse_int(line.substr(at + kCause.size())); cause && *cause < 100'000)
      xid.caused_by = static_cast<int>(*cause);
  return xid;
}

std::optional<XidMeaning> meaning_of(const Xid& xid) {
  const auto known = built_in_xids().find(xid.number);
  if (known == built_in_xids().end()) return std::nullopt;
  for (const auto& [like, meaning] : known->second.says)
    if (is_like(like, xid.message)) return meaning;
  return known->second;
}

void observe_xids(const Machine& machine, Sightings& out) {
  if (!machine.log) {
    for (const Observable& what : {kGpuXid, kGpuXidApplication})
      out.gap(what, "", nvidia_gpus(machine).empty() ? gap_without_gpu(machine) : machine.log.gap);
    return;
  }
  const auto [hardware, application] = sort_xids(*machine.log);
  if (hardware.empty() && application.empty() && nvidia_gpus(machine).empty()) {
    for (const Observable& what : {kGpuXid, kGpuXidApplication})
      out.gap(what, "", gap_without_gpu(machine));
    return;
  }
  tell_class(hardware, kGpuXid, true, machine.log->found_in, out);
  tell_class(application, kGpuXidApplication, false, machine.log->found_in, out);
}

}  // namespace nettune::tools::doctor
