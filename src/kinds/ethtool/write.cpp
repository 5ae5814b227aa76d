// SPDX-License-Identifier: Apache-2.0
#include "kinds/ethtool/write.hpp"

#include <algorithm>
#include <cerrno>
#include <set>

#include "base/text.hpp"
#include "kinds/ethtool/effects.hpp"
#include "kinds/ethtool/feature_rules.hpp"
#include "kinds/ethtool/table.hpp"

namespace nettune::providers {
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
  const std::string_view prefix =
      group == EthtoolGroup::features ? formats::kFeaturePrefix : formats::kFlagPrefix;
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
  for (const std::string_view prefix : {formats::kFeaturePrefix, formats::kFlagPrefix})
    for (const auto& [key, value] : values)
      if (key.starts_with(prefix)) change.bits.emplace(key.substr(prefix.size()), value != 0);
  return change;
}

/// What of `wanted` is not so in `now`.
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
  /// `followers`: keys of what may come about without a write of its own (Write::follows).
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
  /// A feature that goes back off along with another is not told to: it was off that way before,
  /// and the kernel remembers that it is wanted ("off [requested on]").
  Values without_followers(const EthtoolState& before, const Values& apart) const {
    Values first = apart;
    for (const auto& [key, value] : apart) {
      if (value != 0 || !followers_.contains(key)) continue;
      Values others = apart;
      others.erase(key);
      const auto moves = feature_moves(before, change_of(group_, others).bits);
      const auto found = moves.find(key.substr(formats::kFeaturePrefix.size()));
      if (found != moves.end() && !found->second.on) first.erase(key);
    }
    return first.empty() ? apart : first;
  }

  /// The mode of coalescing goes first and alone: a driver that begins a mode with times of its
  /// own, or that looks at nothing else then (bnxt_set_coalesce), would make nothing of the times
  /// beside it. ethnl_set_coalesce() of 6.12 calls a driver twice for that, that of 6.1 does not.
  Values first_message(const Values& apart) const {
    Values modes;
    for (const auto& [key, value] : apart)
      if (!moved_by(key).empty()) modes.emplace(key, value);
    return modes.empty() ? apart : modes;
  }

  /// What has not been told yet, and what moved along with it: that is as it was, if the driver
  /// lets it. What was told once is not told again; the read-back says what became of it.
  Values still_to_send(const Values& first, const Values& now) const {
    Values target;
    // What moves along with a feature follows rules of the kernel.
    if (group_ != EthtoolGroup::features) target = before_;
    for (const auto& [key, value] : asked_) target.insert_or_assign(key, value);
    for (const auto& [key, value] : first) target.erase(key);
    return differing(target, now);
  }

  /// What may move although nobody asked: what effects() says of each that changes.
  Keys announced(const EthtoolState& before) const {
    Keys keys;
    for (const auto& [key, value] : differing(asked_, before_)) {
      for (const std::string_view moved : moved_by(key)) keys.emplace(moved);
      if (group_ != EthtoolGroup::features) continue;
      for (const auto& [name, move] : feature_moves(before, change_of(group_, {{key, value}}).bits))
        keys.insert(cat(formats::kFeaturePrefix, name));
    }
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

  /// Without a second try: what it came to is said by the next reading.
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
    return fail(Errc::io, cat("the driver also changed ", join(moved, ", "),
                              ", which the plan does not show; if it has to be so, write it into "
                              "the profile as well"));
  }

  /// A feature that did not become what it should leaves a wish behind, which would come true some
  /// day: that is taken back.
  Result<> taken(const EthtoolState& before, const Values& told, const Values& now) const {
    const Values refused = differing(told, now);
    if (refused.empty()) return {};
    EthtoolChange wishes;
    std::vector<std::string> names;
    for (const auto& [key, value] : refused) {
      const std::string name = key.substr(formats::kFeaturePrefix.size());
      names.push_back(name);
      if (const auto bit = before.bits.find(name); bit != before.bits.end())
        wishes.bits.emplace(name, bit->second.wanted);
    }
    (void)calls_.set(interface_, group_, wishes);
    return fail(Errc::io, cat("the kernel took it and left ", join(names, ", "),
                              " as it was; dmesg may say what the driver misses"));
  }

  std::string interface_;
  EthtoolGroup group_;
  const EthtoolCalls& calls_;
  Values asked_;
  const Keys& followers_;
  Values before_;
  Keys announced_;
};

/// What to do about a refusal that the kernel does not explain.
std::string_view hint(EthtoolGroup group, int sys) {
  if (group == EthtoolGroup::pause && (sys == EINVAL || sys == EOPNOTSUPP))
    return "; drivers want pause-autoneg off (mlx5), as the link's autoneg (ice), or no PFC beside";
  if (group == EthtoolGroup::channels && sys == EBUSY)
    return "; the card's RDMA driver may hold its queues (ice)";
  if (group == EthtoolGroup::coalesce && (sys == EINVAL || sys == ERANGE))
    return "; times may be fixed while coalesce-adaptive is on, or too long for the card";
  return "";
}

/// Negotiation goes on after the answer (bnxt_set_pauseparam): then the loss of the link is
/// awaited. All else has taken the link down, if at all, before it answers.
bool negotiates(EthtoolGroup group, const Values& before, const Values& asked) {
  const auto on = [](const Values& values) {
    const auto found = values.find("pause-autoneg");
    return found != values.end() && found->second != 0;
  };
  return group == EthtoolGroup::pause && (on(before) || on(asked));
}

}  // namespace

Result<> ethtool_write(std::span<const Write> unit, const EthtoolCalls& calls,
                       const std::string& sys, const SettleLimits& limits) {
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
  const LinkState link = link_state(sys, target.interface);
  if (auto done = Writing(target, asked, followers, calls).run(*before); !done) {
    Error error = std::move(done).error();
    error.text += hint(target.group, error.sys);
    return fail_in(context, std::move(error));
  }
  if (!hardware) return {};
  auto settled = settle(sys, target.interface, link, bounces, limits);
  if (settled) return {};
  return fail_in(context, std::move(settled).error());
}

}  // namespace nettune::providers
