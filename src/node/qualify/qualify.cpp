// SPDX-License-Identifier: Apache-2.0
#include "node/qualify/qualify.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>
#include <utility>

#include "base/text.hpp"
#include "core/trial.hpp"
#include "facts/collect.hpp"
#include "kinds/common/settle.hpp"
#include "node/devices.hpp"
#include "node/planning.hpp"
#include "node/qualify/device_state.hpp"
#include "node/signals.hpp"
#include "node/write_access.hpp"

namespace nettune::node::qualify {

namespace {

/// CLOCK_BOOTTIME. The confirm window of a trial has expired before it opens: whatever happens to
/// this process, recover reverts the trial at once, and nobody can confirm it.
constexpr std::int64_t kLongAgo_s = 1;

/// Addresses and GIDs return some time after the link.
constexpr std::chrono::seconds kPatience{10};
constexpr std::chrono::milliseconds kBetweenLooks{250};

using Clock = std::chrono::steady_clock;

/// A deadline kPatience after its creation.
class Patience {
 public:
  /// Waits a moment; returns false after the deadline.
  bool look_again() const {
    if (Clock::now() >= end_) return false;
    std::this_thread::sleep_for(kBetweenLooks);
    return true;
  }

 private:
  Clock::time_point end_ = Clock::now() + kPatience;
};

/// What a write of the plan takes down for a moment, visible only some time later.
bool takes_link_down(const Plan& plan) {
  return std::any_of(plan.items.begin(), plan.items.end(), [](const PlanItem& item) {
    return item.to_write() && item.effects.impact != Impact::none;
  });
}

class Qualify {
 public:
  Qualify(Context& context, std::string device, const Desired& desired, const facts::Facts& facts,
          const Providers& providers, Engine engine)
      : context_(context),
        device_(std::move(device)),
        desired_(desired),
        facts_(facts),
        providers_(providers),
        engine_(std::move(engine)) {}

  Result<Qualified> go(const std::function<void(const std::string&)>& begins) {
    TRY_ASSIGN(const Planned whole, plan_desired(context_, desired_, {}, {}));
    describe();
    const auto values = read_everything(whole.plan, providers_);
    const DeferredSignals signals;
    for (const TrialUnit& unit : trial_units(whole.plan, providers_)) {
      begins(names_of(unit));
      const auto before = idle_state();
      auto tried = before ? try_unit(unit, *before) : Result<>(fail(before.error()));
      if (!tried) result_.error = std::move(tried).error();
      if (!result_.evidence.moved.empty())
        result_.evidence.cut_short =
            cat(result_.evidence.moved.front().address.text, " still differed ", kPatience.count(),
                " s after the undo");
      // Who logged in is only the caller's business.
      if (result_.error)
        result_.evidence.cut_short = !before && before.error().code == Errc::busy
                                         ? "the device is now in use"
                                         : result_.error->text;
      if (!result_.evidence.cut_short.empty()) break;
    }
    compare_device(values);
    return std::move(result_);
  }

 private:
  void describe() {
    Evidence& evidence = result_.evidence;
    evidence.time_s = std::time(nullptr);
    evidence.device = device_;
    for (const facts::NetDevice& net : facts_.net) evidence.names.insert(net.name);
    for (const facts::RdmaDevice& rdma : facts_.rdma) evidence.names.insert(rdma.name);
    evidence.hardware = hardware_of(facts_, device_);
    evidence.node = facts_.node;
    evidence.profile = desired_.profile;
    evidence.set = desired_.vars;
  }

  static std::string names_of(const TrialUnit& unit) {
    std::vector<std::string> names;
    for (const Address& address : unit.asked) names.push_back(address.text);
    return join(names, ", ");
  }

  /// Reads the device's state before a trial. A trial may take half a minute, and somebody may have
  /// logged in meanwhile: that is an error.
  Result<DeviceState> idle_state() const {
    TRY_ASSIGN(const facts::Facts now, facts::collect(facts::live()));
    if (const Objection used = objection_to_trials(now, device_); used.exit != Exit::done)
      return fail(Errc::busy, used.why);
    return device_state(now, device_);
  }

  /// If the state cannot be read, compare_device() says so at the end.
  std::vector<Moved> moved_beside(const DeviceState& before) const {
    const auto now = facts::collect(facts::live());
    return now ? compare_states(before, device_state(*now, device_)) : std::vector<Moved>();
  }

  /// Errors are those of a plan that cannot be made; then nothing of this unit was touched.
  Result<> try_unit(const TrialUnit& unit, const DeviceState& before) {
    Desired one;
    one.profile = desired_.profile;
    one.vars = desired_.vars;
    one.settings = unit.settings;
    TRY_ASSIGN(const Planned planned, plan_desired(context_, one, {}, {}));
    std::optional<kernel::LinkLoss> at_write;
    std::optional<kernel::LinkLoss> at_undo;
    const Settling settling{kinds::common::link_state("/sys", card_of(facts_, device_)),
                            takes_link_down(planned.plan)};
    std::optional<Patience> patience;
    const TrialSteps steps{
        [&] { return watched(at_write, settling, [&] { return apply(planned); }); },
        [&] { return watched(at_undo, settling, [&] { return undo(); }); },
        [&] { return moved_beside(before); },
        [&] {
          if (!patience) patience.emplace();
          return patience->look_again();
        },
        DeferredSignals::arrived};
    Trial trial = try_out(planned.plan, unit.asked, providers_, steps);
    std::vector<Address> along;
    for (const Setting& setting : unit.settings)
      if (!unit.asked.contains(setting.address)) along.push_back(setting.address);
    for (TriedSetting& tried : trial.settings)
      result_.evidence.settings.push_back({std::move(tried), at_write, at_undo, along});
    for (Moved& moved : trial.moved) result_.evidence.moved.push_back(std::move(moved));
    result_.error = std::move(trial.error);
    return {};
  }

  /// What a link must have again before the trial continues.
  struct Settling {
    kinds::common::LinkState before;  ///< before the trial
    bool bounces = false;
  };

  /// Waits until the link is back: not every provider does, and a dark link teaches nothing. If it
  /// does not return, the watch reports it, and the undo shows what is missing.
  template <class Work>
  Report watched(std::optional<kernel::LinkLoss>& loss, const Settling& settling, Work work) {
    const std::string card = card_of(facts_, device_);
    kinds::common::LinkState before = settling.before;
    before.downs = kinds::common::link_state("/sys", card).downs;
    kernel::LinkWatch watch("/sys", card);
    Report report = work();
    (void)kinds::common::settle("/sys", card, before, settling.bounces, {kPatience}).has_value();
    loss = watch.stop();
    return report;
  }

  Report apply(const Planned& planned) {
    ApplyOptions options;
    options.action = kTrial;
    options.confirm_deadline_s = kLongAgo_s;
    options.temporary = true;
    options.cancelled = DeferredSignals::arrived;
    Report report = engine_.apply(planned.plan, planned.resolved.desired, options);
    result_.unfinished = report.outcome == Outcome::incomplete;
    return report;
  }

  Report undo() {
    RecoverOptions options;
    options.expire_window = true;
    Report report = engine_.recover(options);
    result_.unfinished = report.outcome != Outcome::rolled_back;
    for (std::string& note : report.notes) result_.notes.push_back(std::move(note));
    return report;
  }

  /// Everything readable of the device that this trial could have changed, once more.
  void compare_device(const std::map<Address, Reading>& values) {
    std::vector<Moved> moved;
    const Patience patience;
    while (true) {
      moved = compare(values, read_all(addresses_of(values), providers_));
      const auto now = facts::collect(facts::live());
      const DeviceState before = device_state(facts_, device_);
      if (now)
        for (Moved& one : compare_states(before, device_state(*now, device_)))
          moved.push_back(std::move(one));
      else
        result_.notes.push_back(
            cat("the present state of the device is unknown: ", now.error().text));
      if (moved.empty() || !patience.look_again()) break;
    }
    // A difference seen right after a trial that is gone now is resolved.
    result_.evidence.moved = std::move(moved);
  }

  static std::vector<Address> addresses_of(const std::map<Address, Reading>& values) {
    std::vector<Address> addresses;
    addresses.reserve(values.size());
    for (const auto& [address, reading] : values) addresses.push_back(address);
    return addresses;
  }

  Context& context_;
  std::string device_;
  const Desired& desired_;
  const facts::Facts& facts_;
  const Providers& providers_;
  Engine engine_;
  Qualified result_;
};

}  // namespace

Objection objection_to_trials(const facts::Facts& facts, const std::string& device) {
  for (const std::string& name : with_siblings(facts, device)) {
    const facts::NetDevice* const net = facts.find_net(name);
    if (net && !net->protected_by.empty())
      return {Exit::refused, cat(name, " is protected (", printable(join(net->protected_by, ", ")),
                                 "), so nothing is tried on it")};
    const auto work = facts.work_on(name);
    if (work.empty()) continue;
    return {Exit::refused, cat("nothing is tried on ", device, ": ", use_text(*work.front()),
                               "; drain the node, stop what uses it (slurmd and kubelet too: "
                               "nettune cannot see whether they are drained), and run it again")};
  }
  return {};
}

Objection objection_to_profile(const profile::Resolved& resolved) {
  const std::string name = printable(resolved.desired.profile);
  if (!resolved.misfits.empty())
    return {Exit::refused,
            cat(name, " does not match this node: ", printable(resolved.misfits.front()))};
  if (!resolved.cautions.empty())
    return {Exit::refused, cat(name, " is not advised on this node, so it is not tried: ",
                               printable(resolved.cautions.front()))};
  return {};
}

Desired desired_of_device(const profile::Resolved& resolved, const facts::Facts& facts,
                          const std::string& device) {
  const std::set<std::string> names = names_on_card(facts, device);
  Desired desired;
  desired.profile = resolved.desired.profile;
  desired.vars = resolved.desired.vars;
  for (const Setting& setting : resolved.desired.settings)
    if (names.contains(device_in(setting.address))) desired.settings.push_back(setting);
  return desired;
}

Result<std::string> only_profile_for(Disk& disk, const profile::Sources& sources,
                                     const facts::Facts& facts, const std::string& device) {
  profile::Sources without_set = sources;
  without_set.set.clear();
  std::vector<std::string> fitting;
  std::string unusable;
  for (const profile::Listed& listed : profile::list(disk, sources)) {
    auto resolved = profile::resolve(disk, sources, listed.name, facts);
    // --set is for the intended profile; others may not know these variables.
    if (!resolved) resolved = profile::resolve(disk, without_set, listed.name, facts);
    if (!resolved)
      unusable += cat("; ", printable(listed.name), ": ", resolved.error().text);
    else if (objection_to_profile(*resolved).exit == Exit::done &&
             !desired_of_device(*resolved, facts, device).settings.empty())
      fitting.push_back(listed.name);
  }
  if (fitting.size() == 1) return fitting.front();
  if (fitting.empty())
    return fail(Errc::not_found,
                cat("no profile that matches this node sets anything on ", device, unusable));
  return fail(Errc::not_found,
              cat("name the profile to try on ", device, ": ", join(fitting, ", ")));
}

Result<Qualified> qualify(Context& context, const std::string& device, const Desired& desired,
                          const std::function<void(const std::string& settings)>& begins) {
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  TRY_ASSIGN(const Providers* const providers, context.providers());
  TRY_ASSIGN(Engine engine, make_engine(context, *providers));
  return Qualify(context, device, desired, *facts, *providers, std::move(engine)).go(begins);
}

}  // namespace nettune::node::qualify
