// SPDX-License-Identifier: Apache-2.0
#include "doctor/xid.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "doctor/observe.hpp"
#include "doctor/xid_text.hpp"
#include "toml/load.hpp"

namespace nettune::doctor {
namespace {

using profile::Node;

Result<std::string> xid_text(const Node& entry, std::string_view key) {
  const Node* const value = entry.find(key);
  if (!value || !value->is(Node::Kind::string) || value->text.empty())
    return profile::fail_at(entry.origin, cat("an Xid needs ", key, " = \"...\""));
  return value->text;
}

Result<XidEntry> xid_entry(const Node& table) {
  XidEntry entry;
  TRY_ASSIGN(const std::string kind, xid_text(table, "class"));
  if (kind != "none" && kind != "application" && kind != "hardware")
    return profile::fail_at(table.origin,
                            cat("class is none, application or hardware, not ", printable(kind)));
  entry.kind = kind == "hardware"      ? XidEntry::Class::hardware
               : kind == "application" ? XidEntry::Class::application
                                       : XidEntry::Class::none;
  TRY_ASSIGN(entry.action, xid_text(table, "action"));
  TRY_ASSIGN(entry.meaning, xid_text(table, "meaning"));
  return entry;
}

/// The Xids of one class on one GPU, the first one first.
struct OfGpu {
  int first = 0;
  std::map<int, int> counts;
};

void tell_class(const std::map<std::string, OfGpu>& by_gpu, const char* what, const char* value,
                const std::string& where, Sightings& out) {
  if (by_gpu.empty()) {
    out.add(what, "", "none", cat("no such Xid in ", where));
    return;
  }
  for (const auto& [address, of_gpu] : by_gpu) {
    std::vector<std::string> parts;
    const auto part = [&](int number, int times) {
      const XidEntry& entry = built_in_xids().at(number);
      return cat(number, " (", entry.meaning, "; ", entry.action, ")",
                 times > 1 ? cat(", ", times, " times") : "");
    };
    parts.push_back(part(of_gpu.first, of_gpu.counts.at(of_gpu.first)));
    for (const auto& [number, times] : of_gpu.counts)
      if (number != of_gpu.first) parts.push_back(part(number, times));
    auto& seen = out.add(what, cat("GPU ", address), value, cat("Xid ", join(parts, ", Xid ")));
    seen.concerns = {address, address + ".0"};
  }
}

}  // namespace

Result<XidCatalogue> parse_xid_catalogue(std::string_view text) {
  TRY_ASSIGN(const Node root, profile::parse_toml(text, "catalog/xid.toml"));
  XidCatalogue catalogue;
  const Node* const table = root.find("xid");
  if (!table || root.entries.size() != 1)
    return profile::fail_at(root.origin, "the catalogue of Xids has tables [xid.NUMBER]");
  for (const auto& [key, value] : table->entries) {
    const auto number = parse_int(key);
    if (!number || *number < 0 || *number > 100'000)
      return profile::fail_at(value.origin, cat("\"", printable(key), "\" is not an Xid"));
    TRY_ASSIGN(catalogue[static_cast<int>(*number)], xid_entry(value));
  }
  return catalogue;
}

const XidCatalogue& built_in_xids() {
  static const XidCatalogue catalogue = parse_xid_catalogue(kXidCatalogue).value_or(XidCatalogue());
  return catalogue;
}

std::optional<Xid> parse_xid(std::string_view line) {
  constexpr std::string_view kHead = "NVRM: Xid (PCI:";
  const auto at = line.find(kHead);
  if (at == std::string_view::npos) return std::nullopt;
  line.remove_prefix(at + kHead.size());
  const auto close = line.find("): ");
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view address = line.substr(0, close);
  line.remove_prefix(close + 3);
  const auto number = parse_int(line.substr(0, line.find_first_not_of("0123456789")));
  if (!number || *number > 100'000 || has_control_characters(address)) return std::nullopt;
  return Xid{std::string(address), static_cast<int>(*number)};
}

void observe_xids(const Machine& machine, Sightings& out) {
  if (!machine.log) {
    for (const char* const what : {"gpu.xid", "gpu.xid-application"})
      out.gap(what, "",
              nvidia_gpus(machine).empty() ? not_applicable("there is no NVIDIA GPU here")
                                           : machine.log.gap);
    return;
  }
  std::map<std::string, OfGpu> hardware;
  std::map<std::string, OfGpu> application;
  for (const LogLine& line : machine.log->lines) {
    const auto xid = parse_xid(line.text);
    if (!xid) continue;
    const auto known = built_in_xids().find(xid->number);
    if (known == built_in_xids().end() || known->second.kind == XidEntry::Class::none) continue;
    OfGpu& of_gpu =
        (known->second.kind == XidEntry::Class::hardware ? hardware
                                                         : application)[xid->pci_address];
    if (of_gpu.counts.empty()) of_gpu.first = xid->number;
    ++of_gpu.counts[xid->number];
  }
  if (hardware.empty() && application.empty() && nvidia_gpus(machine).empty()) {
    for (const char* const what : {"gpu.xid", "gpu.xid-application"})
      out.gap(what, "", not_applicable("there is no NVIDIA GPU here"));
    return;
  }
  tell_class(hardware, "gpu.xid", "hardware", machine.log->found_in, out);
  tell_class(application, "gpu.xid-application", "application", machine.log->found_in, out);
}

}  // namespace nettune::doctor
