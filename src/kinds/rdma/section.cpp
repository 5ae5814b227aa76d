// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>
#include <map>

#include "base/text.hpp"
#include "kinds/common/device_items.hpp"
#include "kinds/rdma/dcqcn.hpp"
#include "kinds/rdma/kind.hpp"

namespace nettune::kinds::rdma {
namespace {

Result<std::string> rdma_text(const profile::Item& item, const toml::Node& value) {
  if (value.is(toml::Node::Kind::integer)) return std::to_string(value.integer);
  if (item.key == "cma-roce-mode") return value.text;
  return toml::fail_at(value.origin, cat(profile::label(item), " cannot be ", toml::shown(value),
                                         "; it must be an integer"));
}

/// The type of service and the traffic class have 8 bits.
constexpr profile::Bounds kByte = {.least = 0, .most = std::numeric_limits<std::uint8_t>::max()};
/// Parameters of DCQCN are 32 bits wide.
constexpr profile::Bounds kWord = {.least = 0,
                                   .most = std::numeric_limits<std::uint32_t>::max(),
                                   .pattern = "\\$\\{",
                                   .keys = "^cc-[a-z0-9_-]+$"};

class RdmaSection {
 public:
  explicit RdmaSection(profile::Composer& composer) : composer_(composer) {}

  Result<> compose() {
    for (const profile::Item* const item : composer_.merged().with_prefix("rdma:"))
      composer_.mistakes().take(add_item(*item));
    for (auto& [address, group] : groups_) TRY(composer_.add(std::move(group)));
    return {};
  }

 private:
  Result<> add_item(const profile::Item& item) {
    TRY_ASSIGN(const std::optional<common::DeviceItem> parts, common::device_item(composer_, item));
    if (!parts) return {};
    TRY_ASSIGN(const std::string text, rdma_text(item, parts->value));
    // Members of a bond share a port.
    std::map<Address, Setting> settings;
    for (const facts::NetDevice* const interface : parts->devices)
      if (composer_.facts().rdma_ports_of(interface->name).empty())
        composer_.note(
            cat(profile::label(item), ": ", interface->name, " has no RDMA port; left out"));
    for (const facts::PortOfDevice& port : parts->set->ports)
      add_port(item, port, text, parts->optional, settings);
    for (auto& [address, setting] : settings) TRY(composer_.add(std::move(setting)));
    return {};
  }

  void add_port(const profile::Item& item, const facts::PortOfDevice& port, const std::string& text,
                bool optional, std::map<Address, Setting>& settings) {
    Setting setting;
    setting.address = {cat("rdma:", port.device->name, '/', port.port->number, ':', item.key)};
    setting.want = text;
    setting.optional = optional;
    setting.origin = item.value.origin;
    setting.device = port.device->identity;
    if (item.key.starts_with("cma-")) add_group(setting, port.device->name);
    settings.emplace(setting.address, std::move(setting));
  }

  /// What rdma_cm holds can be read and written only while its group is there. It is optional where
  /// all that is in it is.
  void add_group(const Setting& inner, const std::string& device) {
    Setting group = inner;
    group.address = {cat("rdma:", device, ":cma")};
    group.want = "present";
    const auto [found, fresh] = groups_.emplace(group.address, std::move(group));
    if (!fresh && !inner.optional) found->second.optional = false;
  }

  profile::Composer& composer_;
  std::map<Address, Setting> groups_;
};

Result<> compose_rdma(profile::Composer& composer) { return RdmaSection(composer).compose(); }

constexpr auto kRdmaRules = std::to_array<profile::Rule>({
    {"profile/rdma", profile::kTable, "Traffic settings of RDMA devices, by device set"},
    {"profile/rdma/*", profile::kTable, "Settings of the RDMA port of every device in the set"},
    {"profile/rdma/*/cma-roce-mode", profile::kString | profile::kOptional,
     "GID type that rdma_cm uses", "RoCE v2|IB/RoCE v1"},
    {"profile/rdma/*/cma-roce-tos",
     profile::kInteger | profile::kVariable | profile::kOptional,
     "Type of service of rdma_cm's connections, 0 to 255",
     {},
     false,
     kByte},
    {"profile/rdma/*/traffic-class",
     profile::kInteger | profile::kVariable | profile::kOptional,
     "Traffic class of all queue pairs, 0 to 255; OFED only",
     {},
     false,
     kByte},
    {"profile/rdma/*/*",
     profile::kInteger | profile::kString | profile::kTable,
     "cc-NAME: A DCQCN parameter",
     {},
     false,
     kWord},
    {"profile/rdma/*/*/value",
     profile::kInteger | profile::kVariable,
     "The value",
     {},
     true,
     {.least = kWord.least, .most = kWord.most}},
    {"profile/rdma/*/*/optional", profile::kBoolean, profile::kOptionalHelp},
});

/// The schema lists the keys of [rdma.SET] that are one each; all others are cc-NAME.
Result<bool> check_rdma_key(profile::ItemCollector&, const std::string&, const std::string& key,
                            const toml::Node&) {
  std::vector<std::string> known;
  for (const profile::Rule* const rule : profile::rules_below("profile/rdma/*"))
    if (!rule->path.ends_with('*'))
      known.emplace_back(rule->path.substr(rule->path.rfind('/') + 1));
  for (const DcqcnParameter& parameter : rdma::dcqcn_parameters())
    known.push_back(cat("cc-", parameter.name));
  if (std::ranges::find(known, key) != known.end()) return false;
  return fail(Errc::invalid, cat("has no key \"", printable(key), "\"",
                                 nearest(key, known) ? toml::did_you_mean(key, known)
                                                     : cat("; known there: ", join(known, ", "))));
}

}  // namespace

constinit const profile::Section kRdmaSection = {.name = "rdma",
                                                 .rules = kRdmaRules,
                                                 .collect = profile::collect_of_devices,
                                                 .take_key = rdma::check_rdma_key,
                                                 .compose = rdma::compose_rdma};

}  // namespace nettune::kinds::rdma
