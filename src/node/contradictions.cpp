// SPDX-License-Identifier: Apache-2.0
#include "node/contradictions.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "kinds/ethtool/features.hpp"
#include "kinds/ethtool/grammar.hpp"
#include "kinds/sysctl/bounds.hpp"
#include "node/words.hpp"

namespace nettune::cli {

namespace {

/// Keys with several numbers that must not decrease. Documentation/networking/ip-sysctl.rst.
constexpr std::string_view kRising[] = {"net.ipv4.ip_local_port_range", "net.ipv4.tcp_rmem",
                                        "net.ipv4.tcp_wmem", "net.ipv4.tcp_mem",
                                        "net.ipv4.udp_mem"};
/// Links whose MTU must not exceed that of the link below: vlan_dev_change_mtu() in
/// net/8021q/vlan_dev.c, macvlan_change_mtu() in drivers/net/macvlan.c.
constexpr std::string_view kNoLargerMtu[] = {"vlan", "macvlan", "macvtap"};

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
      : providers_(providers), facts_(facts) {
    for (const PlanItem& item : plan.items)
      if (item.role == PlanItem::Role::set && !item.setting.optional)
        items_.emplace(item.setting.address, &item);
  }

  Result<> check() const {
    for (const auto& [address, item] : items_) {
      const std::string_view kind = address.kind();
      if (kind == "file") TRY(check_file(item->setting));
      if (kind == "nccl.conf") TRY(check_directory("/etc/nccl.conf", item->setting));
      if (item->setting.relation != Relation::exact || !item->setting.want) continue;
      if (kind == "link") TRY(check_mtu(item->setting));
      if (kind == "ethtool" && item->now.has_value()) TRY(check_feature(item->setting));
      if (kind == "sysctl") TRY(check_sysctl(*item));
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

  Result<> check_mtu(const Setting& setting) const {
    if (!setting.address.text.ends_with(":mtu")) return {};
    const auto device = std::ranges::find_if(facts_.net, [&](const facts::NetDevice& each) {
      return setting.address.text == cat("link:", each.name, ":mtu");
    });
    if (device == facts_.net.end() ||
        std::ranges::find(kNoLargerMtu, device->kind) == std::end(kNoLargerMtu))
      return {};
    for (const std::string& lower : device->lowers) {
      const Setting* const below = find(cat("link:", lower, ":mtu"));
      if (below == nullptr || satisfies(Relation::at_most, below->want, setting.want)) continue;
      return at_odds(setting, *below,
                     cat(device->name, " is on top of ", lower, ", whose MTU it cannot exceed"));
    }
    return {};
  }

  /// Whether a feature will be on: as the profile says, else as it is now.
  std::optional<bool> will_be_on(const std::string& prefix, std::string_view feature) const {
    const std::string address = cat(prefix, feature);
    if (const Setting* const wanted = find(address)) return wanted->want == "on";
    Provider* const provider = providers_.find("ethtool");
    const std::vector<Address> one = {Address{address}};
    const std::vector<Reading> readings = provider->read(one);
    if (readings.empty() || readings.front().presence == Presence::unknown) return std::nullopt;
    return readings.front().text == "on";
  }

  /// A wanted feature that the kernel switches off because of another wanted value.
  Result<> check_feature(const Setting& setting) const {
    if (setting.want != "on") return {};
    const std::string& text = setting.address.text;
    const std::size_t at = text.rfind(cat(':', formats::kFeaturePrefix));
    if (at == std::string::npos) return {};
    const std::string prefix = text.substr(0, at + 1 + formats::kFeaturePrefix.size());
    const std::string feature = text.substr(prefix.size());
    for (const formats::FeatureRule& rule : formats::feature_rules()) {
      if (rule.feature != feature || !rule.certain) continue;
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
    for (const std::string_view bound : formats::bounds_of(key)) {
      const Setting* const upper = find(cat("sysctl:", bound));
      if (upper == nullptr || upper->relation != Relation::exact || !upper->want) continue;
      const auto limits = words(*upper->want);
      if (formats::is_bound(key, bound) && !numbers.empty() && !limits.empty() &&
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
  const facts::Facts& facts_;
  std::map<Address, const PlanItem*> items_;  ///< without optional ones, which may fail
};

}  // namespace

Result<> find_contradiction(const Plan& plan, const Providers& providers,
                            const facts::Facts& facts) {
  return Wanted(plan, providers, facts).check();
}

}  // namespace nettune::cli
