// SPDX-License-Identifier: Apache-2.0
#include "cli/checking.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "core/plan.hpp"
#include "facts/collect.hpp"

namespace nettune::cli {

namespace {

Exit exit_of(const Held& held) {
  Exit exit = held.plan.has_not_permitted() ? Exit::not_permitted : Exit::done;
  const bool drifted = std::any_of(held.plan.items.begin(), held.plan.items.end(), is_drift);
  return drifted || !held.gone.empty() ? worse(exit, Exit::drift) : exit;
}

/// What there is to say when no value is read; "" when there is something to check.
std::string nothing_to_check(const StateView& state, const Arguments& arguments) {
  const bool unattended = arguments.unattended;
  if (unattended && state.hold)
    return cat("on hold by ", printable(state.hold->who), ": not checked");
  // What differs then is what the change made so.
  if ((unattended || arguments.command == Command::watch) && state.exit() == Exit::busy)
    return "a change is under way, or waits to be confirmed: not checked";
  if (!state.active || state.active->look.addresses.empty()) return "nothing is applied here";
  return {};
}

/// The ports whose PFC is ours, where it is ours as well what class data has: without that, jobs
/// say it themselves, and nothing can be said of them.
std::vector<std::string> lossless_ports(const Look& look) {
  constexpr std::string_view kKey = ":pfc";
  std::vector<std::string> ports;
  if (std::ranges::find(look.addresses, checks::kTrafficClass, &Address::text) ==
      look.addresses.end())
    return ports;
  for (const Address& address : look.addresses) {
    const std::string_view body = address.rest();
    if (address.kind() == "dcb" && body.ends_with(kKey))
      ports.emplace_back(body.substr(0, body.size() - kKey.size()));
  }
  return ports;
}

/// Settings may each be as applied and still not agree with what others set beside them.
Result<std::vector<checks::Chain>> judge_chains(Context& context, const Look& look) {
  std::vector<checks::Chain> chains;
  const std::vector<std::string> ports = lossless_ports(look);
  if (ports.empty()) return chains;
  std::set<Address> addresses;
  for (const std::string& port : ports)
    for (Address& address : checks::chain_addresses(port)) addresses.insert(std::move(address));
  TRY_ASSIGN(const Providers* const providers, context.providers());
  TRY_ASSIGN(const facts::Facts facts, facts::collect_ports(facts::live()));
  const auto readings = read_all({addresses.begin(), addresses.end()}, *providers);
  for (const std::string& port : ports)
    chains.push_back(checks::judge_chain(port, readings, facts));
  return chains;
}

}  // namespace

Result<Checked> check_node(Context& context) {
  const Arguments& arguments = context.arguments();
  Checked checked;
  TRY_ASSIGN(checked.state, context.look_at_state(Part::look));
  const StateView& state = checked.state;
  if (!state.unreadable.empty())
    return fail(Errc::denied,
                cat(state.unreadable, "; try sudo nettune ", command_name(arguments.command)));
  checked.exit = state.exit();
  checked.skipped = nothing_to_check(state, arguments);
  if (!checked.skipped.empty()) return checked;
  TRY_ASSIGN(checked.held, plan_active(context, *state.active));
  TRY_ASSIGN(checked.chains, judge_chains(context, state.active->look));
  checked.sources_moved = moved_sources(context.disk(), *state.active);
  checked.exit = worse(checked.exit, exit_of(*checked.held));
  if (std::ranges::any_of(checked.chains,
                          [](const auto& chain) { return !chain.findings.empty(); }))
    checked.exit = worse(checked.exit, Exit::drift);
  if (state.active->image) checked.exit = worse(checked.exit, Exit::drift);
  return checked;
}

}  // namespace nettune::cli
