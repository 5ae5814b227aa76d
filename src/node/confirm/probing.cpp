// SPDX-License-Identifier: Apache-2.0
#include "node/confirm/probing.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "kinds/link/kind.hpp"
#include "node/devices.hpp"
#include "node/identity.hpp"
#include "node/signals.hpp"
#include "node/write_access.hpp"

namespace nettune::node::confirm {

namespace {

constexpr int kTry_ms = 2000;
constexpr int kTriesBefore = 3;
constexpr std::chrono::milliseconds kBetweenTries{500};
/// Time left in the window to revert the change before the undo timer does.
constexpr std::int64_t kForUndo_s = 2;
constexpr std::int64_t kLockPatience_s = 60;

/// The duration of a site's program is unknown: it gets all the remaining time.
int time_for(const Probe& probe, std::int64_t deadline_s) {
  const std::int64_t left_ms = std::max<std::int64_t>(deadline_s - boottime_s(), 1) * 1000;
  const bool is_command = probe.kind == Probe::Kind::command;
  return static_cast<int>(is_command ? left_ms : std::min<std::int64_t>(left_ms, kTry_ms));
}

Result<std::string> try_before(Probe& probe, std::int64_t window_s) {
  TRY(resolve_names(probe));
  if (probe.kind == Probe::Kind::command)
    return try_probe(probe, static_cast<int>(window_s * 1000));
  for (int left = kTriesBefore; left > 1; --left)
    if (auto answer = try_probe(probe, kTry_ms)) return answer;
  return try_probe(probe, kTry_ms);
}

struct Seen {
  std::vector<std::string> notes;
  std::optional<Error> failed;  ///< of the first probe that failed
};

Seen try_until(const std::vector<Probe>& probes, std::int64_t deadline_s) {
  Seen seen;
  for (const Probe& probe : probes) {
    while (true) {
      auto answer = try_probe(probe, time_for(probe, deadline_s));
      if (answer) {
        seen.notes.push_back(cat("--probe ", printable(probe.text), ": ", *answer));
        break;
      }
      if (boottime_s() >= deadline_s) {
        Error error = std::move(answer).error();
        error.text = cat("--probe ", printable(probe.text), ": ", error.text);
        seen.failed = std::move(error);
        return seen;
      }
      std::this_thread::sleep_for(kBetweenTries);
    }
  }
  return seen;
}

/// A person or the deadline was faster.
Result<Report> decided_elsewhere(Context& context, const StateView& state, const std::string& id) {
  Report report;
  TRY_ASSIGN(const std::vector<Transaction> history, context.state().history());
  const auto ours = std::ranges::find(history, id, &Transaction::id);
  if (ours != history.end() && ours->committed && !ours->aborted) {
    report.outcome = Outcome::committed;
    report.generation = ours->number;
    report.notes.push_back("it was confirmed in the meantime");
    return report;
  }
  const bool unfinished =
      state.journal.kind != JournalStatus::Kind::none && state.journal.transaction.id == id;
  report.outcome = unfinished ? Outcome::incomplete : Outcome::rolled_back;
  report.error =
      Error{Errc::conflict, unfinished ? "it was reverted in the meantime, but not completely"
                                       : "it was reverted in the meantime; see nettune history"};
  return report;
}

bool is_mtu_change(const PlanItem& item) {
  const Address& address = item.setting.address;
  return item.to_write() && kinds::link::kLink.has(address) && address.key() == "mtu";
}

/// The MTU of an interface after the plan: the packet size of a path probe.
std::int64_t mtu_after(const Plan& plan, const facts::Facts& facts, const std::string& name) {
  for (const PlanItem& item : plan.items)
    if (is_mtu_change(item) && device_in(item.setting.address) == name)
      return parse_int(item.after.value_or("")).value_or(0);
  const facts::NetDevice* const device = facts.find_net(name);
  return device ? device->mtu.value_or(0) : 0;
}

/// Interfaces with addresses, and all below them.
std::set<std::string_view> carrying_addresses(const facts::Facts& facts) {
  std::unordered_map<std::string_view, const facts::NetDevice*> by_name;
  std::vector<std::string_view> open;
  for (const facts::NetDevice& device : facts.net) {
    by_name.emplace(device.name, &device);
    if (device.is_addressed()) open.push_back(device.name);
  }
  std::set<std::string_view> found;
  while (!open.empty()) {
    const auto device = by_name.find(open.back());
    open.pop_back();
    if (device == by_name.end() || !found.insert(device->first).second) continue;
    const std::vector<std::string>& lowers = device->second->lowers;
    open.insert(open.end(), lowers.begin(), lowers.end());
  }
  return found;
}

/// What a probe of full-size packets shows: that they pass these interfaces, up to this size.
struct Probed {
  std::set<std::string> interfaces;
  std::int64_t mtu = 0;
};

}  // namespace

Result<std::vector<Probe>> probes_that_succeed_now(const std::vector<Probe>& probes,
                                                   std::int64_t window_s) {
  std::vector<Probe> ready = probes;
  for (Probe& probe : ready) {
    if (const auto answer = try_before(probe, window_s); !answer)
      return fail(
          Errc::conflict,
          cat("--probe ", printable(probe.text), " already fails before the change (",
              answer.error().text, "), so it would prove nothing afterwards; nothing was written"));
  }
  return ready;
}

std::vector<std::string> unprobed_mtu(const Plan& plan, const facts::Facts& facts,
                                      const std::vector<Probe>& probes) {
  std::vector<Probed> ways;
  for (Probe probe : probes) {
    const std::string way = resolve_names(probe) ? device_of(probe) : std::string();
    if (way.empty()) continue;
    Probed probed{facts.reached_from(way, &facts::NetDevice::lowers), mtu_after(plan, facts, way)};
    probed.interfaces.insert(way);
    ways.push_back(std::move(probed));
  }
  const std::set<std::string_view> carrying = carrying_addresses(facts);
  std::vector<std::string> unprobed;
  for (const PlanItem& item : plan.items) {
    if (!is_mtu_change(item)) continue;
    const std::string device = device_in(item.setting.address);
    const std::int64_t mtu = parse_int(item.after.value_or("")).value_or(0);
    const bool probed = std::ranges::any_of(
        ways, [&](const Probed& way) { return way.interfaces.contains(device) && way.mtu >= mtu; });
    if (!probed && carrying.contains(device)) unprobed.push_back(device);
  }
  return unprobed;
}

Result<Report> settle_by_probes(Context& context, const std::vector<Probe>& probes,
                                const std::string& id, std::int64_t deadline_s) {
  const Seen seen = try_until(probes, deadline_s - kForUndo_s);
  TRY_ASSIGN(const WriteAccess writing, lock_state(context, kLockPatience_s));
  const bool waits = writing.state.journal.kind == JournalStatus::Kind::awaiting_confirm &&
                     writing.state.journal.transaction.id == id;
  if (!waits) return decided_elsewhere(context, writing.state, id);
  if (seen.failed) {
    TRY_ASSIGN(Report report,
               run_recovery(context, {.expire_window = true, .why = seen.failed->text}));
    if (!report.error) report.error = seen.failed;
    return report;
  }
  TRY_ASSIGN(const Providers* const providers, context.providers());
  TRY_ASSIGN(Engine engine, make_engine(context, *providers));
  const DeferredSignals signals;
  Report report = engine.confirm();
  // The lock may have come too late.
  if (report.outcome == Outcome::failed) {
    const std::optional<Error> late = report.error;
    TRY_ASSIGN(report,
               run_recovery(context, {.expire_window = true, .why = late ? late->text : ""}));
    if (!report.error) report.error = late;
    return report;
  }
  report.notes.insert(report.notes.end(), seen.notes.begin(), seen.notes.end());
  return report;
}

}  // namespace nettune::node::confirm
