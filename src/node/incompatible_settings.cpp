// SPDX-License-Identifier: Apache-2.0
#include "node/incompatible_settings.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "kinds/ethtool/features.hpp"
#include "kinds/ethtool/grammar.hpp"
#include "kinds/ethtool/kind.hpp"
#include "kinds/file/kind.hpp"
#include "kinds/link/kind.hpp"
#include "kinds/nccl_conf/kind.hpp"
#include "kinds/sysctl/bounds.hpp"
#include "kinds/sysctl/kind.hpp"
#include "node/display_text.hpp"

namespace nettune::node {

namespace {

/// Keys with several numbers that must not decrease. Documentation/networking/ip-sysctl.rst.
constexpr std::string_view kRising[] = {"net.ipv4.ip_local_port_range", "net.ipv4.tcp_rmem",
                                        "net.ipv4.tcp_wmem", "net.ipv4.tcp_mem",
                                        "net.ipv4.udp_mem"};
/// Links whose MTU must not exceed that of the link below: vlan_dev_change_mtu() in
/// net/8021q/vlan_dev.c, macvlan_change_mtu() in drivers/net/macvlan.c, macsec_change_mtu() in
/// drivers/net/macsec.c. An ipvlan accepts one that its lower device cannot send.
constexpr std::string_view kNoLargerMtu[] = {"vlan",   "macvlan", "macvtap",
                                             "ipvlan", "ipvtap",  "macsec"};
/// These set the MTU of their members: bond_change_mtu() in drivers/net/bonding/bond_main.c,
/// team_change_mtu() in drivers/net/team.
constexpr std::string_view kSetMembers[] = {"bond", "team"};

std::string told(const Setting& setting) {
  return cat(
      setting.address.text, " = ", setting.want.value_or("absent"), " (",
      setting.origin.line == 0 ? "added by nettune for the next boot" : setting.origin.text(), ")");
}

Failure at_odds(const Setting& one, const Setting& other, const std::string& why) {
  const Setting& first = one.origin.line == 0 ? other : one;
  return fail(Error{Errc::invalid,
                    cat(told(one), " and ", told(other), " contradict each other: ", why,
                        "; change one of them or leave it out"),
                    0, first.origin.file, first.origin.line});
}

class Wanted {
 public:
  Wanted(const Plan& plan, const Providers& providers, const facts::Facts& facts)
      : providers_(providers), kernel_(kinds::ethtool::kernel_version(facts.node.kernel)) {
    for (const facts::NetDevice& device : facts.net) {
      devices_.emplace(device.name, &device);
      if (is_one_of(kSetMembers, device))
        for (const std::string& member : device.lowers) bonds_.emplace(member, &device);
    }
    for (const PlanItem& item : plan.items)
      if (item.role == PlanItem::Role::set && !item.setting.optional)
        items_.emplace(item.setting.address, &item);
    for (const PlanItem& item : plan.items)
      if (item.to_write()) written_.emplace(item.setting.address, &item);
  }

  Result<> check() const {
    for (const auto& [address, item] : items_) {
      if (kinds::file::kFile.has(address)) TRY(check_file(item->setting));
      if (kinds::nccl_conf::kNcclConf.has(address))
        TRY(check_directory("/etc/nccl.conf", item->setting));
      if (item->setting.relation != Relation::exact || !item->setting.want) continue;
      if (kinds::link::kLink.has(address) && item->verdict != Verdict::left) TRY(check_mtu(*item));
      if (kinds::ethtool::kEthtool.has(address) && item->now.has_value())
        TRY(check_feature(item->setting));
      if (kinds::sysctl::kSysctl.has(address)) TRY(check_sysctl(*item));
    }
    return {};
  }

 private:
  const Setting* find(const std::string& address) const {
    const auto found = items_.find(Address{address});
    return found == items_.end() ? nullptr : &found->second->setting;
  }

  Result<> check_file(const Setting& file) const {
    return file.want ? check_directory(std::string(file.address.rest()), file) : Result<>();
  }

  Result<> check_directory(const std::string& path, const Setting& file) const {
    const Setting* const directory = find(cat("dir:", path));
    if (directory == nullptr) return {};
    return at_odds(*directory, file, cat(path, " cannot be a directory and a file"));
  }

  const facts::NetDevice* device(std::string_view name) const {
    const auto found = devices_.find(name);
    return found == devices_.end() ? nullptr : found->second;
  }

  template <std::size_t N>
  static bool is_one_of(const std::string_view (&kinds)[N], const facts::NetDevice& device) {
    return std::ranges::find(kinds, device.kind) != std::end(kinds);
  }

  /// What sets the MTU of this device; null for nothing.
  const facts::NetDevice* bond_of(const facts::NetDevice& member) const {
    const auto found = bonds_.find(member.name);
    return found == bonds_.end() ? nullptr : found->second;
  }

  /// The MTU of a device after this plan; nothing if it is unknown.
  Value mtu_of(const facts::NetDevice& device) const {
    const Address address{cat("link:", device.name, ":mtu")};
    if (const Setting* const wanted = find(address.text)) return wanted->want;
    if (const auto written = written_.find(address); written != written_.end())
      return written->second->after;
    const facts::NetDevice* const bond = bond_of(device);
    if (bond != nullptr && find(cat("link:", bond->name, ":mtu"))) return mtu_of(*bond);
    return device.mtu ? Value(cat(*device.mtu)) : Value();
  }

  Result<> check_mtu(const PlanItem& item) const {
    const Setting& setting = item.setting;
    const facts::NetDevice* const self = device(setting.address.object());
    if (setting.address.key() != "mtu" || self == nullptr) return {};
    for (const std::string& name : self->lowers) {
      const facts::NetDevice* const lower = device(name);
      if (lower == nullptr) continue;
      if (is_one_of(kNoLargerMtu, *self)) TRY(check_below(setting, *self, *lower));
      if (is_one_of(kSetMembers, *self) && lower->max_mtu.value_or(0) > 0 &&
          !satisfies(Relation::at_most, cat(*lower->max_mtu), setting.want))
        return cannot_hold(setting, cat(self->name, " sets the MTU of its members, and ", name,
                                        " supports at most ", *lower->max_mtu));
    }
    const facts::NetDevice* const bond = bond_of(*self);
    if (bond == nullptr || !item.to_write()) return {};
    const Value whole = mtu_of(*bond);
    if (!whole || whole == setting.want) return {};
    const std::string why =
        cat(self->name, " is a member of ", bond->name, ", which sets the MTU of its members");
    if (const Setting* const other = find(cat("link:", bond->name, ":mtu")))
      return at_odds(setting, *other, why);
    return cannot_hold(setting,
                       cat(why, " and has ", *whole, "; set the MTU of ", bond->name, " instead"));
  }

  Result<> check_below(const Setting& setting, const facts::NetDevice& self,
                       const facts::NetDevice& lower) const {
    const Value below = mtu_of(lower);
    if (!below || satisfies(Relation::at_most, below, setting.want)) return {};
    const std::string why =
        cat(self.name, " is on top of ", lower.name, ", whose MTU it cannot exceed");
    if (const Setting* const other = find(cat("link:", lower.name, ":mtu")))
      return at_odds(setting, *other, why);
    return cannot_hold(
        setting, cat(why, " and which has ", *below, "; set the MTU of ", lower.name, " too"));
  }

  static Failure cannot_hold(const Setting& setting, const std::string& why) {
    return fail(Error{Errc::invalid, cat(told(setting), " cannot hold: ", why), 0,
                      setting.origin.file, setting.origin.line});
  }

  /// Whether a feature will be on: as the profile says, else as it is now.
  std::optional<bool> will_be_on(const std::string& prefix, std::string_view feature) const {
    const std::string address = cat(prefix, feature);
    if (const Setting* const wanted = find(address)) return wanted->want == "on";
    Provider* const provider = providers_.find(kinds::ethtool::kEthtool.name);
    const std::vector<Address> one = {Address{address}};
    const std::vector<Reading> readings = provider->read(one);
    if (readings.empty() || readings.front().presence == Presence::unknown) return std::nullopt;
    return readings.front().text == "on";
  }

  /// A wanted feature that the kernel switches off because of another wanted value.
  Result<> check_feature(const Setting& setting) const {
    if (setting.want != "on") return {};
    const std::string& text = setting.address.text;
    const std::size_t at = text.rfind(cat(':', kinds::ethtool::kFeaturePrefix));
    if (at == std::string::npos) return {};
    const std::string prefix = text.substr(0, at + 1 + kinds::ethtool::kFeaturePrefix.size());
    const std::string feature = text.substr(prefix.size());
    for (const kinds::ethtool::FeatureRule& rule : kinds::ethtool::feature_rules()) {
      if (rule.feature != feature || !kinds::ethtool::is_certain(rule, kernel_)) continue;
      if (const Setting* const excluded = find(cat(prefix, rule.excluded));
          excluded != nullptr && excluded->want == "on")
        return at_odds(setting, *excluded, "the kernel keeps only one of them");
      if (const Setting* const lacking = lacks(prefix, rule.needs))
        return at_odds(setting, *lacking, "the kernel turns the first off without the second");
    }
    return {};
  }

  /// What the profile switches off of `needs`, if none of them remains; null if one does.
  const Setting* lacks(const std::string& prefix, std::string_view needs) const {
    const Setting* off = nullptr;
    for (const std::string_view way : words(needs)) {
      bool open = true;
      for (const std::string_view name : split(way, '+')) {
        const auto on = will_be_on(prefix, name);
        if (!on) return nullptr;
        if (*on) continue;
        open = false;
        if (const Setting* const said = find(cat(prefix, name))) off = said;
      }
      if (open) return nullptr;
    }
    return off;
  }

  Result<> check_sysctl(const PlanItem& item) const {
    const Setting& setting = item.setting;
    const std::string_view key = setting.address.rest();
    const auto numbers = words(*setting.want);
    if (std::ranges::find(kRising, key) != std::end(kRising))
      for (std::size_t i = 1; i < numbers.size(); ++i)
        if (above(numbers[i - 1], numbers[i]))
          return fail(
              Error{Errc::invalid,
                    cat(setting.address.text, " = ", *setting.want, ": ", numbers[i - 1],
                        " is larger than the next number, ", numbers[i],
                        ", but the numbers of this key must not decrease; put them in order"),
                    0, setting.origin.file, setting.origin.line});
    for (const std::string_view bound : kinds::sysctl::bounds_of(key)) {
      const Setting* const upper = find(cat("sysctl:", bound));
      if (upper == nullptr || upper->relation != Relation::exact || !upper->want) continue;
      const auto limits = words(*upper->want);
      if (kinds::sysctl::is_bound(key, bound) && !numbers.empty() && !limits.empty() &&
          above(numbers.front(), limits.front()))
        return at_odds(setting, *upper, "the first must not exceed the second");
    }
    return check_moved(item);
  }

  static bool above(std::string_view lower, std::string_view upper) {
    const auto left = parse_int(lower);
    const auto right = parse_int(upper);
    return left && right && *left > *right;
  }

  /// Two names of one value, or two of which the kernel keeps only one: each write undoes the
  /// other.
  Result<> check_moved(const PlanItem& item) const {
    if (!item.now.has_value()) return {};
    for (const Witness& moved : effects_of(item.setting).touches) {
      const Setting* const other = find(moved.address.text);
      if (other == nullptr || !undoes(moved, *other)) continue;
      for (const Witness& back : effects_of(*other).touches)
        if (back.address == item.setting.address && undoes(back, item.setting))
          return at_odds(item.setting, *other,
                         "the kernel changes each of them along with the other");
    }
    return {};
  }

  Effects effects_of(const Setting& setting) const {
    return providers_.find(setting.address.kind())->effects(setting.address, Value(), setting.want);
  }

  static bool undoes(const Witness& moved, const Setting& setting) {
    return moved.predicted && setting.want &&
           !satisfies(setting.relation, setting.want, *moved.predicted);
  }

  const Providers& providers_;
  kinds::ethtool::KernelVersion kernel_;
  std::map<std::string_view, const facts::NetDevice*> devices_;
  std::map<std::string_view, const facts::NetDevice*> bonds_;  ///< by their members
  std::map<Address, const PlanItem*> items_;  ///< without optional ones, which may fail
  std::map<Address, const PlanItem*> written_;
};

}  // namespace

Result<> find_incompatible_settings(const Plan& plan, const Providers& providers,
                                    const facts::Facts& facts) {
  return Wanted(plan, providers, facts).check();
}

}  // namespace nettune::node
