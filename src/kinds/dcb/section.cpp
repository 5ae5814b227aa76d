// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>
#include <map>

#include "base/text.hpp"
#include "kinds/common/device_items.hpp"
#include "kinds/dcb/grammar.hpp"
#include "kinds/dcb/kind.hpp"

namespace nettune::kinds::dcb {
namespace {

/// What a set asks of ETS, for what only two keys together can show.
struct Ets {
  const profile::Item* bandwidths = nullptr;
  DcbNumbers bw;
  DcbNumbers tsa;
};
using EtsOfSets = std::map<std::string, Ets>;

DcbKey key_of(const profile::Item& item) {
  return dcb::dcb_key(item.key.substr(0, item.key.find('#'))).value_or(DcbKey::app);
}

std::string written(const toml::Node& value) {
  if (!value.is(toml::Node::Kind::array))
    return value.is(toml::Node::Kind::integer) ? std::to_string(value.integer) : value.text;
  std::vector<std::string> members;
  for (const toml::Node& member : value.items)
    members.push_back(member.is(toml::Node::Kind::integer) ? std::to_string(member.integer)
                                                           : member.text);
  return members.empty() ? "none" : join(members, ",");
}

Result<std::string> wanted(const profile::Item& item, const toml::Node& value, EtsOfSets& sets) {
  const DcbKey key = key_of(item);
  const auto numbers = dcb::parse_dcb_value(key, written(value));
  if (!numbers)
    return toml::fail_at(value.origin, cat(profile::label(item), " cannot be ", toml::shown(value),
                                           ": ", numbers.error().text));
  if (key == DcbKey::ets_tsa) sets[item.section].tsa = *numbers;
  if (key == DcbKey::ets_bw) {
    sets[item.section].bw = *numbers;
    sets[item.section].bandwidths = &item;
  }
  return dcb::dcb_value_text(key, *numbers).value_or("");
}

/// IEEE 802.1Q shares 100 per cent among the classes that use ETS; what is said of others is lost
/// in some drivers (mlx5e_dcbnl_ieee_getets() reads 0 for them) and would not read back.
Result<> check_ets(const Ets& ets) {
  if (ets.bandwidths == nullptr) return {};
  const profile::Item& item = *ets.bandwidths;
  std::uint64_t sum = 0;
  bool any = ets.tsa.empty();
  for (std::size_t tc = 0; tc < ets.bw.size(); ++tc) {
    const bool shares = ets.tsa.empty() || ets.tsa[tc] == 2;  // IEEE_8021QAZ_TSA_ETS
    any = any || shares;
    sum += ets.bw[tc];
    if (!shares && ets.bw[tc] != 0)
      return toml::fail_at(item.value.origin,
                           cat(profile::label(item), " gives class ", tc, ' ', ets.bw[tc],
                               " per cent, but its ets-tsa is not \"ets\"; write 0 there"));
  }
  const bool none = sum == 0 && (ets.tsa.empty() || !any);
  if (sum == 100 || none) return {};
  return toml::fail_at(item.value.origin,
                       cat(profile::label(item), " sums to ", sum, "; it must be 100"));
}

Result<> compose_dcb(profile::Composer& composer) {
  EtsOfSets sets;
  for (const profile::Item* const item : composer.merged().with_prefix("dcb:")) {
    TRY_ASSIGN(const std::optional<common::DeviceItem> parts, common::device_item(composer, *item));
    if (!parts) continue;
    TRY_ASSIGN(const std::string want, wanted(*item, parts->value, sets));
    for (const facts::NetDevice* const device : parts->devices)
      TRY(composer.add(common::setting_for(*item, *parts, *device, want)));
  }
  for (const auto& [section, ets] : sets) TRY(check_ets(ets));
  return {};
}

constexpr auto kDcbRules = std::to_array<profile::Rule>({
    {"profile/dcb", profile::kTable, "Data Center Bridging, by device set"},
    {"profile/dcb/*", profile::kTable, "Settings of every device in the set"},
    {"profile/dcb/*/dcbx", profile::kStrings | profile::kRounded,
     "DCBX: who negotiates, and which versions", "host lld-managed cee ieee static"},
    {"profile/dcb/*/pfc",
     profile::kIntegers | profile::kRounded,
     "Lossless priorities, 0 to 7; [] for none",
     {},
     false,
     {.least = 0, .most = 7}},
    {"profile/dcb/*/pfc-delay",
     profile::kInteger | profile::kVariable | profile::kRounded,
     "0 to 65535; the meaning depends on the driver; mlx5 takes metres of cable",
     {},
     false,
     {.least = 0, .most = 65535}},
    {"profile/dcb/*/ets-prio-tc",
     profile::kIntegers | profile::kRounded,
     "Traffic class, 0 to 7, for each of the 8 priorities",
     {},
     false,
     {.least = 0, .most = 7, .members = 8}},
    {"profile/dcb/*/ets-tsa",
     profile::kStrings | profile::kRounded,
     "Algorithm of each of the 8 classes",
     "strict cbs ets vendor",
     false,
     {.members = 8}},
    {"profile/dcb/*/ets-bw",
     profile::kIntegers | profile::kRounded,
     "Per cent for each of the 8 classes: 0 if it is not ets, 100 in total",
     {},
     false,
     {.least = 0, .most = 100, .members = 8}},
    {"profile/dcb/*/maxrate",
     profile::kIntegers | profile::kRounded,
     "Rate limit of each of the 8 classes in kbit/s, 0 for none",
     {},
     false,
     {.least = 0, .members = 8}},
    {"profile/dcb/*/buffer-prio",
     profile::kIntegers | profile::kRounded,
     "Buffer of each of the 8 priorities",
     {},
     false,
     {.least = 0, .most = 7, .members = 8}},
    {"profile/dcb/*/buffer-size",
     profile::kIntegers | profile::kRounded,
     "Bytes of each of the 8 buffers",
     {},
     false,
     {.least = 0, .most = std::numeric_limits<std::uint32_t>::max(), .members = 8}},
    {"profile/dcb/*/app", profile::kTable, "APP table entries: dscp-26 = 3; other entries stay"},
    {"profile/dcb/*/app/*",
     profile::kInteger | profile::kIntegers | profile::kVariable | profile::kOptional,
     "Priority of a DSCP, port or EtherType",
     {},
     false,
     {.least = 0,
      .most = 7,
      .keys = "^(dscp-([0-9]|[1-5][0-9]|6[0-3])|(dgram|stream|port)-[0-9]{1,5}|"
              "ethertype-0x[0-9a-f]{1,4})$"}},
});

Result<> check_dcb_entry(std::string_view name, const Origin& origin) {
  if (dcb::parse_dcb_protocol(name)) return {};
  return toml::fail_at(origin,
                       cat("\"", printable(name.substr(0, 80)),
                           "\" is not an APP table entry; entries are dscp-0 to dscp-63, dgram-, "
                           "stream- and port- with a number up to 65535, and ethertype-0x8915"));
}

/// Entries of the APP table are an item each: others write into it as well.
Result<bool> take_app(profile::ItemCollector& out, const std::string& set, const std::string& key,
                      const toml::Node& value) {
  if (key != "app") return false;
  for (const auto& [entry, priority] : value.entries) {
    TRY(check_dcb_entry(entry, priority.origin));
    TRY(out.add(cat("dcb:", set, ":app#", entry), cat("dcb.", set), cat("app#", entry),
                "profile/dcb/*/app/*", priority));
  }
  return true;
}

}  // namespace

constinit const profile::Section kDcbSection = {.name = "dcb",
                                                .rules = kDcbRules,
                                                .collect = profile::collect_of_devices,
                                                .take_key = dcb::take_app,
                                                .compose = dcb::compose_dcb};

}  // namespace nettune::kinds::dcb
