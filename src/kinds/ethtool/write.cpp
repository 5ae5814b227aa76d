// SPDX-License-Identifier: Apache-2.0
#include "kinds/ethtool/write.hpp"

#include <algorithm>
#include <cerrno>
#include <set>

#include "base/text.hpp"
#include "kinds/ethtool/effects.hpp"
#include "kinds/ethtool/feature_rules.hpp"
#include "kinds/ethtool/table.hpp"

namespace nettune::kinds::ethtool {
namespace {

using kernel::EthtoolChange;
using kernel::EthtoolGroup;
using kernel::EthtoolState;

/// The values of a group by key ("ring-rx", "feature-rx-lro"), as the kernel holds them.
using Values = std::map<std::string, std::uint32_t, std::less<>>;
using Keys = std::set<std::string, std::less<>>;

Values values_of(EthtoolGroup group, const EthtoolState& state) {
  Values values;
  for (const EthtoolParameter& parameter : ethtool_parameters()) {
    const auto found = state.numbers.find(parameter.attribute);
    if (parameter.group == group && found != state.numbers.end())
      values.emplace(parameter.key, found->second);
  }
  const std::string_view prefix = group == EthtoolGroup::features ? kFeaturePrefix : kFlagPrefix;
  for (const auto& [name, bit] : state.bits) values.emplace(cat(prefix, name), bit.on ? 1 : 0);
  return values;
}

EthtoolChange change_of(EthtoolGroup group, const Values& values) {
  EthtoolChange change;
  for (const EthtoolParameter& parameter : ethtool_parameters()) {
    const auto found = values.find(parameter.key);
    if (parameter.group == group && found != values.end())
      change.numbers.emplace(parameter.attribute, found->second);
  }
  for (const std::string_view prefix : {kFeaturePrefix, kFlagPrefix})
    for (const auto& [key, value] : values)
      if (key.starts_with(prefix)) change.bits.emplace(key.substr(prefix.size()), value != 0);
  return change;
}

/// The part of `wanted` that differs from `now`.
Values differing(const Values& wanted, const Values& now) {
  Values apart;
  for (const auto& [key, value] : wanted) {
    const auto found = now.find(key);
    if (found != now.end() && found->second != value) apart.emplace(key, value);
  }
  return apart;
}

/// One write of one group.
class Writing {
 public:
  /// `followers`: keys that may change without a write of their own (Write::follows).
  Writing(EthtoolTarget target, Values asked, const Keys& followers, const EthtoolCalls& calls)
      : interface_(std::move(target.interface)),
        group_(target.group),
        calls_(calls),
        asked_(std::move(asked)),
        followers_(followers) {}

  Result<> run(const EthtoolState& before) {
    before_ = values_of(group_, before);
    announced_ = announced(before);
    const Values apart = differing(asked_, before_);
    const Values first =
        group_ == EthtoolGroup::features ? without_followers(before, apart) : first_message(apart);
    if (first.empty()) return {};
    TRY(send(first));
    TRY_ASSIGN(Values now, look());
    if (group_ == EthtoolGroup::features) TRY(taken(before, first, now));
    TRY(no_strays(now));
    const Values second = still_to_send(first, now);
    if (!second.empty()) {
      TRY(send(second));
      TRY_ASSIGN(now, look());
      if (group_ == EthtoolGroup::features) TRY(taken(before, second, now));
      TRY(no_strays(now));
    }
    return {};
  }

 private:
  /// A feature that another one switches back off is not written: it was off that way before, and
  /// the kernel remembers the request ("off [requested on]").
  Values without_followers(const EthtoolState& before, const Values& apart) const {
    Values first = apart;
    for (const auto& [key, value] : apart) {
      if (value != 0 || !followers_.contains(key)) continue;
      Values others = apart;
      others.erase(key);
      const auto moves = feature_moves(before, change_of(group_, others).bits);
      const auto found = moves.find(key.substr(kFeaturePrefix.size()));
      if (found != moves.end() && !found->second.on) first.erase(key);
    }
    return first.empty() ? apart : first;
  }

  /// The coalescing mode is sent first and alone: a driver that resets the times with the mode, or
  /// ignores them then (bnxt_set_coalesce), would lose the times beside it. ethnl_set_coalesce() of
  /// 6.12 calls a driver twice for that, 6.1 does not.
  Values first_message(const Values& apart) const {
    Values modes;
    for (const auto& [key, value] : apart)
      if (!moved_by(key).empty()) modes.emplace(key, value);
    return modes.empty() ? apart : modes;
  }

  /// What was not sent yet, and its side effects, which are reverted if the driver allows it.
  /// Nothing is sent twice; the read-back shows the result.
  Values still_to_send(const Values& first, const Values& now) const {
    Values target;
    // Side effects of features follow rules of the kernel.
    if (group_ != EthtoolGroup::features) target = before_;
    for (const auto& [key, value] : asked_) target.insert_or_assign(key, value);
    for (const auto& [key, value] : first) target.erase(key);
    return differing(target, now);
  }

  /// What may change although it was not requested: what effects() announces for each change.
  Keys announced(const EthtoolState& before) const {
    Keys keys;
    const Values apart = differing(asked_, before_);
    const auto add_moves = [&](const Values& values) {
      for (const auto& [name, move] : feature_moves(before, change_of(group_, values).bits))
        keys.insert(cat(kFeaturePrefix, name));
    };
    for (const auto& [key, value] : apart) {
      for (const std::string_view moved : moved_by(key)) keys.emplace(moved);
      if (group_ == EthtoolGroup::features) add_moves({{key, value}});
    }
    if (group_ == EthtoolGroup::features) add_moves(apart);
    return keys;
  }

  Result<> send(const Values& values) const {
    auto done = calls_.set(interface_, group_, change_of(group_, values));
    if (done) return {};
    if (const auto now = look()) put_back(strays(*now));
    return done;
  }

  Result<Values> look() const {
    TRY_ASSIGN(const EthtoolState state, calls_.get(interface_, group_));
    return values_of(group_, state);
  }

  Values strays(const Values& now) const {
    Values apart = differing(before_, now);
    for (const auto& [key, value] : asked_) apart.erase(key);
    return apart;
  }

  /// There is no second try: the next reading shows the result.
  void put_back(const Values& values) const {
    if (!values.empty() && group_ != EthtoolGroup::features)
      (void)calls_.set(interface_, group_, change_of(group_, values));
  }

  Result<> no_strays(const Values& now) const {
    Values apart = strays(now);
    std::erase_if(apart, [&](const auto& one) { return announced_.contains(one.first); });
    if (apart.empty()) return {};
    put_back(apart);
    std::vector<std::string> moved;
    for (const auto& [key, value] : apart)
      moved.push_back(cat(ethtool_address(interface_, key).text, " from ", ethtool_text(key, value),
                          " to ", ethtool_text(key, now.at(key))));
    return fail(Errc::io,
                cat("the driver also changed ", join(moved, ", "),
                    ", which the plan does not show; if that is wanted, add it to the profile"));
  }

  /// A feature that was refused leaves a request behind, which could take effect later: it is
  /// withdrawn.
  Result<> taken(const EthtoolState& before, const Values& told, const Values& now) const {
    const Values refused = differing(told, now);
    if (refused.empty()) return {};
    EthtoolChange wishes;
    std::vector<std::string> names;
    for (const auto& [key, value] : refused) {
      const std::string name = key.substr(kFeaturePrefix.size());
      names.push_back(name);
      if (const auto bit = before.bits.find(name); bit != before.bits.end())
        wishes.bits.emplace(name, bit->second.wanted);
    }
    (void)calls_.set(interface_, group_, wishes);
    return fail(Errc::io, cat("the kernel accepted the request but did not change ",
                              join(names, ", "), "; dmesg may show why"));
  }

  std::string interface_;
  EthtoolGroup group_;
  const EthtoolCalls& calls_;
  Values asked_;
  const Keys& followers_;
  Values before_;
  Keys announced_;
};

/// A hint for a refusal that the kernel does not explain.
std::string_view hint(EthtoolGroup group, int sys) {
  if (group == EthtoolGroup::pause && (sys == EINVAL || sys == EOPNOTSUPP))
    return "; drivers need pause-autoneg off (mlx5) or equal to the link's autoneg (ice), or no "
           "PFC";
  if (group == EthtoolGroup::channels && sys == EBUSY)
    return "; the card's RDMA driver may hold its queues (ice)";
  if (group == EthtoolGroup::coalesce && (sys == EINVAL || sys == ERANGE))
    return "; times may be fixed while coalesce-adaptive is on, or above the card's maximum";
  return "";
}

/// Negotiation continues after the answer (bnxt_set_pauseparam): then the loss of the link is
/// awaited. All other changes take the link down, if at all, before the answer.
bool negotiates(EthtoolGroup group, const Values& before, const Values& asked) {
  const auto on = [](const Values& values) {
    const auto found = values.find("pause-autoneg");
    return found != values.end() && found->second != 0;
  };
  return group == EthtoolGroup::pause && (on(before) || on(asked));
}

}  // namespace

Result<> ethtool_write(std::span<const Write> unit, const EthtoolCalls& calls,
                       const std::string& sys, const common::SettleLimits& limits) {
  std::vector<std::string> texts;
  Values asked;
  Keys followers;
  for (const Write& write : unit) {
    const auto target = ethtool_target(write.address);
    if (!target || !write.after)
      return fail(Errc::invalid, cat("nothing to write to ", printable(write.address.text)));
    asked.emplace(target->key, ethtool_number(*write.after));
    if (write.follows) followers.emplace(target->key);
    texts.push_back(cat(write.address.text, " to ", *write.after));
  }
  if (unit.empty()) return {};
  const EthtoolTarget target = *ethtool_target(unit.front().address);
  const std::string context = cat("setting ", join(texts, ", "));
  auto before = calls.get(target.interface, target.group);
  if (!before) return fail_in(context, std::move(before).error());
  const bool hardware = is_hardware(sys, target.interface);
  const bool bounces =
      hardware && negotiates(target.group, values_of(target.group, *before), asked);
  const common::LinkState link = common::link_state(sys, target.interface);
  if (auto done = Writing(target, asked, followers, calls).run(*before); !done) {
    Error error = std::move(done).error();
    error.text += hint(target.group, error.sys);
    return fail_in(context, std::move(error));
  }
  if (!hardware) return {};
  auto settled = common::settle(sys, target.interface, link, bounces, limits);
  if (settled) return {};
  return fail_in(context, std::move(settled).error());
}

}  // namespace nettune::kinds::ethtool
