// SPDX-License-Identifier: Apache-2.0
#include "node/check/checking.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "core/plan.hpp"
#include "facts/collect.hpp"
#include "kinds/dcb/kind.hpp"
#include "node/check/listening.hpp"
#include "node/check/steady.hpp"
#include "node/required_traffic.hpp"
#include "node/signs.hpp"
#include "node/unrecorded.hpp"

namespace nettune::node::check {

namespace {

Exit exit_of(const Held& held) {
  Exit exit = held.plan.has_not_permitted() ? Exit::not_permitted : Exit::done;
  const bool drifted = std::any_of(held.plan.items.begin(), held.plan.items.end(), is_drift);
  return drifted || !held.gone.empty() ? worse(exit, Exit::drift) : exit;
}

/// Which temporary change holds now. A note says how long: watch prints news, and remaining time is
/// not news.
std::string change_under_way(const StateView& state) {
  if (state.confirm_left_s.value_or(0) <= 0) return "a change is in progress";
  const Transaction& waiting = state.journal.transaction;
  const std::string what =
      waiting.profile.empty() ? std::string("the baseline") : printable(waiting.profile);
  return cat(what, waiting.temporary ? " is applied for a limited time"
                                     : " is applied and is waiting for confirmation");
}

/// Why no value is to be read; "" if nothing speaks against it.
std::string not_to_check(const StateView& state, bool unattended) {
  if (unattended && state.hold)
    return cat("on hold by ", printable(state.hold->who), ": not checked");
  // Any difference then is the work of that change.
  if (state.exit() == Exit::busy) return cat(change_under_way(state), ": not checked");
  if (!state.damaged.empty()) return "the applied state is unreadable: not checked";
  return {};
}

bool nothing_applied(const StateView& state) {
  return !state.active || (state.active->settings.empty() && state.active->admissions.empty());
}

/// The ports whose PFC is managed.
std::vector<std::string> lossless_ports(const std::vector<Setting>& settings) {
  std::vector<std::string> ports;
  for (const Setting& setting : settings)
    if (kinds::dcb::kDcb.has(setting.address) && setting.address.key() == "pfc")
      ports.emplace_back(setting.address.object());
  return ports;
}

/// The traffic class of data must be managed too. Otherwise jobs choose it, and the path of their
/// packets is unknown.
bool has_class(const std::vector<Setting>& settings) {
  return std::ranges::any_of(settings, [](const Setting& setting) {
    return setting.address.text == checks::kTrafficClass;
  });
}

/// Every setting may be as applied and still contradict a foreign setting or the switch.
Result<> judge_ports(Context& context, const std::vector<Setting>& settings, std::int64_t listen_s,
                     Checked& checked) {
  const std::vector<std::string> ports = lossless_ports(settings);
  if (listen_s > 0 && ports.empty())
    checked.notes.emplace_back("--listen-lldp: no applied setting makes a port lossless (PFC)");
  if (ports.empty() || (listen_s == 0 && !has_class(settings))) return {};
  const auto heard =
      listen_s > 0 ? hear_switches(ports, listen_s) : std::map<std::string, checks::Heard>();
  std::set<Address> addresses;
  for (const std::string& port : ports) {
    for (Address& address : checks::chain_addresses(port)) addresses.insert(std::move(address));
    const auto from = heard.find(port);
    if (from == heard.end() || !from->second.neighbour) continue;
    for (Address& address : checks::switch_addresses(port, *from->second.neighbour))
      addresses.insert(std::move(address));
  }
  TRY_ASSIGN(const Providers* const providers, context.providers());
  TRY_ASSIGN(checked.ports, facts::collect_ports(facts::live()));
  const auto readings = read_all({addresses.begin(), addresses.end()}, *providers);
  for (const std::string& port : ports) {
    if (has_class(settings))
      checked.chains.push_back(checks::judge_chain(port, readings, *checked.ports, listen_s > 0));
    if (listen_s > 0)
      checked.switches.push_back(checks::judge_switch(port, heard.at(port), readings));
  }
  return {};
}

Exit exit_of(const std::vector<Awaited>& awaited, bool effective) {
  using enum Awaited::State;
  if (count(awaited, refused) > 0 || (effective && count(awaited, pending) > 0)) return Exit::drift;
  return effective && count(awaited, unseen) > 0 ? Exit::unknown : Exit::done;
}

bool has_findings(const auto& parts) {
  return std::ranges::any_of(parts, [](const auto& part) { return !part.findings.empty(); });
}

Result<Checked> check_once(Context& context, const CheckRequest& request) {
  Checked checked;
  TRY_ASSIGN(checked.state, context.look_at_state(OnDamage::tell));
  const StateView& state = checked.state;
  if (!state.unreadable.empty())
    return fail(Errc::denied, cat(state.unreadable, "; try ", context.locations().again));
  checked.exit = state.exit();
  checked.skipped = not_to_check(state, request.unattended);
  checked.unmanaged = checked.skipped.empty() && nothing_applied(state);
  if (checked.unmanaged) checked.skipped = "nothing is applied here";
  if (!checked.skipped.empty()) {
    if (!state.hold || !request.unattended) find_unrecorded(context, checked.state);
    if (checked.unmanaged) find_signs(context, checked.state);
    checked.exit = checked.state.exit();
    if (checked.unmanaged && state.active) {
      TRY_ASSIGN(checked.awaited, find_awaited(context, *state.active));
      checked.exit = worse(checked.exit, exit_of(checked.awaited, request.effective));
    }
    if (checked.unmanaged && request.strict) checked.exit = worse(checked.exit, Exit::unknown);
    return checked;
  }
  TRY_ASSIGN(checked.held, plan_active(context, *state.active));
  std::set<Address> drifted;
  for (const PlanItem& item : checked.held->plan.items) drifted.insert(item.setting.address);
  find_lost_contents(context.disk(), context.state(), checked.state, &drifted);
  TRY_ASSIGN(checked.awaited, find_awaited(context, *state.active, drifted));
  checked.exit = worse(checked.exit, exit_of(checked.awaited, request.effective));
  TRY(judge_ports(context, state.active->settings, request.listen_s, checked));
  checked.passages = traffic_now(context, checked.held->admissions);
  checked.notes.insert(checked.notes.end(), checked.held->notes.begin(), checked.held->notes.end());
  checked.sources_moved = moved_sources(context.disk(), *state.active);
  checked.exit = worse(checked.exit, exit_of(*checked.held));
  if (has_findings(checked.chains) || has_findings(checked.switches))
    checked.exit = worse(checked.exit, Exit::drift);
  if (firewall::any_dropped(checked.passages)) checked.exit = worse(checked.exit, Exit::drift);
  if (request.strict && firewall::count_traffic(checked.passages).unknown > 0)
    checked.exit = worse(checked.exit, Exit::unknown);
  // A record that is older than the node shows as drift. Where all holds, nothing more is read.
  if (checked.exit == Exit::drift) find_unrecorded(context, checked.state);
  if (state.active->image) checked.exit = worse(checked.exit, Exit::drift);
  return checked;
}

}  // namespace

Standing Checked::standing() const {
  if (unmanaged) return state.is_lost() ? Standing::state_lost : Standing::unmanaged;
  if (!held) return Standing::not_checked;
  const bool image = state.active && state.active->image;
  if (std::ranges::any_of(held->plan.items, is_drift) || !held->gone.empty() || image ||
      firewall::any_dropped(passages) || has_findings(chains) || has_findings(switches) ||
      !state.debts.empty() || !state.unrecorded.empty() ||
      count(awaited, Awaited::State::refused) > 0)
    return Standing::drift;
  return held->plan.has_not_permitted() || firewall::count_traffic(passages).unknown > 0 ||
                 !state.debts_unreadable.empty()
             ? Standing::unknown
             : Standing::in_sync;
}

Result<Checked> check_node(Context& context, const CheckRequest& request) {
  std::string stamp;
  TRY_ASSIGN(Checked checked, read_steadily(
                                  context, [&] { return check_once(context, request); }, &stamp));
  checked.stamp = std::move(stamp);
  return checked;
}

}  // namespace nettune::node::check
