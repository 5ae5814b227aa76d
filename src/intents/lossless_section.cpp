// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.hpp"
#include "intents/intents.hpp"
#include "intents/lossless.hpp"
#include "kinds/dcb/driver_quirks.hpp"
#include "profile/section.hpp"

namespace nettune::intents {
namespace {

using kinds::dcb::DriverQuirks;

constexpr std::int64_t kDscps = 64;
constexpr std::size_t kPriorities = 8;
/// UDP port of RoCEv2 (IANA, roce).
constexpr std::string_view kRocePort = "dgram-4791";

/// The settings of one intent on one device.
class Layers {
 public:
  Layers(profile::Composer& composer, const Lossless& intent, const facts::NetDevice& device,
         const DriverQuirks& card)
      : composer_(composer), intent_(intent), device_(device), card_(card) {}

  Result<> add() {
    const std::string flag = cat("ethtool:", device_.name, ":flag-", card_.firmware_agent_flag);
    if (!card_.firmware_agent_flag.empty()) TRY(put(flag, "off"));
    TRY(add_pause());
    TRY(put(dcb("dcbx"), "host,ieee"));
    TRY(add_map());
    if (intent_.bandwidth_pct > 0) TRY(add_classes());
    TRY(put(dcb("pfc"), std::to_string(intent_.priority)));
    if (intent_.cable_m && card_.delay_is_cable)
      TRY(put(dcb("pfc-delay"), std::to_string(*intent_.cable_m)));
    return {};
  }

 private:
  std::string dcb(std::string_view key) const { return cat("dcb:", device_.name, ':', key); }

  Result<> put(std::string address, std::string want, bool optional = false) {
    Setting setting;
    setting.address = {std::move(address)};
    setting.want = std::move(want);
    setting.optional = optional;
    setting.origin = intent_.origin;
    setting.device = device_.identity;
    return composer_.add(std::move(setting));
  }

  /// A link is paused as a whole or by priority (IEEE 802.1Q, 36.1.1); the former would also stop
  /// the other classes.
  Result<> add_pause() {
    for (const std::string_view key : {"autoneg", "rx", "tx"})
      if (key != "autoneg" || card_.pause_autoneg)
        TRY(put(cat("ethtool:", device_.name, ":pause-", key), "off"));
    return {};
  }

  Result<> add_map() {
    for (std::int64_t dscp = 0; dscp < kDscps; ++dscp)
      if (card_.all_dscps || dscp == intent_.dscp || dscp == intent_.cnp_dscp)
        TRY(put(dcb(cat("app#dscp-", dscp)), std::to_string(intent_.priority_of(dscp))));
    if (card_.names_roce_port)
      TRY(put(dcb(cat("app#", kRocePort)), std::to_string(intent_.priority)));
    return {};
  }

  Result<> add_classes() {
    std::array<std::size_t, kPriorities> class_of{};
    for (std::size_t priority = 0; priority < kPriorities; ++priority)
      class_of[priority] = intent_.class_of(static_cast<std::int64_t>(priority));
    std::array<std::string, kPriorities> algorithms;
    algorithms.fill("strict");
    algorithms[Lossless::rest] = algorithms[Lossless::lossless] = "ets";
    std::array<std::int64_t, kPriorities> shares{};
    shares[Lossless::rest] = 100 - intent_.bandwidth_pct;
    shares[Lossless::lossless] = intent_.bandwidth_pct;
    TRY(put(dcb("ets-prio-tc"), list(class_of)));
    TRY(put(dcb("ets-tsa"), list(algorithms)));
    return put(dcb("ets-bw"), list(shares));
  }

  template <class Members>
  static std::string list(const Members& members) {
    std::string text;
    for (const auto& member : members) text += cat(text.empty() ? "" : ",", member);
    return text;
  }

  profile::Composer& composer_;
  const Lossless& intent_;
  const facts::NetDevice& device_;
  const DriverQuirks& card_;
};

/// Why a device cannot have the class; empty if it can.
std::string obstacle(const facts::NetDevice& device, const DriverQuirks* card,
                     const Lossless& intent, std::string_view set) {
  if (device.link_layer != "Ethernet")
    return cat(device.name, " is ", device.link_layer.empty() ? "not Ethernet" : device.link_layer,
               ", and only Ethernet needs a lossless class");
  if (card == nullptr)
    return cat(
        "the driver of ", device.name, " (", device.driver.empty() ? "none" : device.driver,
        ") is not known to support a lossless class; known drivers: ", kinds::dcb::known_drivers());
  if (card->needs_ets && intent.bandwidth_pct == 0)
    return cat(card->driver, " of ", device.name,
               " accepts PFC only together with ETS; set bandwidth_pct in [lossless.", set, "]");
  return {};
}

Result<> compose_lossless(profile::Composer& composer) {
  for (const profile::Item* const item : composer.merged().with_prefix("lossless:"))
    TRY(composer.value_of(*item));
  TRY_ASSIGN(const auto intents, lossless_intents(composer.merged(), composer.variables_alone()));
  for (const auto& [name, intent] : intents) {
    TRY_ASSIGN(const profile::DeviceSet* const set, composer.expander().set(name, intent.origin));
    if (set->members.empty())
      composer.note(cat("[lossless.", name, "]: the device set ", name, " is empty; skipped"));
    for (const facts::NetDevice* const device : set->members) {
      const DriverQuirks* const card = kinds::dcb::find_driver_quirks(device->driver);
      const std::string why = obstacle(*device, card, intent, name);
      if (why.empty())
        TRY(Layers(composer, intent, *device, *card).add());
      else
        composer.misfit(why, intent.origin);
    }
  }
  return {};
}

/// A DSCP has six bits (RFC 2474), a priority three (IEEE 802.1Q). mlx5 silently ignores a cable of
/// 0 m and from 1000 m on (mlx5e_dcbnl_ieee_setpfc, en_dcbnl.c, Linux 6.1 and 6.12).
constexpr auto kLosslessRules = std::to_array<profile::Rule>({
    {"profile/lossless", profile::kTable, "RDMA over Ethernet in a lossless class (PFC)"},
    {"profile/lossless/*", profile::kTable, "The class, on every device in the set"},
    {"profile/lossless/*/dscp",
     profile::kInteger | profile::kVariable,
     "DSCP of RDMA data, 0 to 63",
     {},
     false,
     {.least = 0, .most = 63}},
    {"profile/lossless/*/priority",
     profile::kInteger | profile::kVariable,
     "Priority of RDMA data, 0 to 7; PFC pauses it",
     {},
     false,
     {.least = 0, .most = 7}},
    {"profile/lossless/*/cnp_dscp",
     profile::kInteger | profile::kVariable,
     "DSCP of congestion notifications; with cnp_priority",
     {},
     false,
     {.least = 0, .most = 63}},
    {"profile/lossless/*/cnp_priority",
     profile::kInteger | profile::kVariable,
     "Priority of congestion notifications, not the paused one",
     {},
     false,
     {.least = 0, .most = 7}},
    {"profile/lossless/*/cable_m",
     profile::kInteger | profile::kVariable,
     "Metres of cable to the switch, 1 to 999",
     {},
     false,
     {.least = 1, .most = 999}},
    {"profile/lossless/*/bandwidth_pct",
     profile::kInteger | profile::kVariable,
     "ETS share of the class, 1 to 99; 0 leaves ETS alone",
     {},
     false,
     {.least = 0, .most = 99}},
});

/// Job variables refer to the traffic class of a set.
Result<> give_traffic_class(const profile::Merged& merged, const profile::Expander& expander,
                            profile::DeviceSets& sets) {
  TRY_ASSIGN(const auto intents, lossless_intents(merged, expander));
  for (const auto& [set, intent] : intents)
    if (const auto found = sets.find(set); found != sets.end())
      found->second.traffic_class = intent.traffic_class();
  return {};
}

}  // namespace

constinit const profile::Section kLossless = {.name = "lossless",
                                              .rules = kLosslessRules,
                                              .collect = profile::collect_of_devices,
                                              .prepare = intents::give_traffic_class,
                                              .compose = intents::compose_lossless};

}  // namespace nettune::intents
