// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <set>
#include <thread>
#include <unistd.h>

#include "base/text.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/commands/transact_and_print.hpp"
#include "facts/collect.hpp"
#include "kernel/rtnl.hpp"
#include "node/devices.hpp"
#include "node/held.hpp"
#include "node/planning.hpp"
#include "node/present_names.hpp"
#include "node/required_traffic.hpp"
#include "node/setting_selection.hpp"

namespace nettune::cli::commands {

namespace {

/// The addresses of the active generation, and the interfaces.
std::vector<std::string> applied_addresses(node::Context& context, std::span<const std::string>) {
  std::vector<std::string> names;
  if (const auto state = context.look_at_state(); state && state->active)
    for (const Setting& setting : state->active->settings) names.push_back(setting.address.text);
  std::ranges::move(interface_names(context), std::back_inserter(names));
  return names;
}

std::vector<std::string> known_kinds(node::Context& context, std::span<const std::string> = {}) {
  std::vector<std::string> names;
  if (const auto providers = context.providers())
    for (const auto& provider : (*providers)->all()) names.emplace_back(provider->kind());
  return names;
}

struct ReapplyCommand : ChangeOptions {
  std::vector<std::string> only;  ///< only these interfaces and addresses
  std::string only_kind;          ///< the only kind of settings

  Options options() {
    return joined(
        {{only_option(only, applied_addresses),
          {"--kind", "KIND", "Only settings of this kind, such as firewall", &only_kind, false,
           known_kinds}},
         window_options(*this),
         {allow_busy_option(*this),
          accept_owners_option(*this),
          {"--unattended", "", "Run by a service or automation: respect a hold", &unattended}}});
  }

  Result<> take() { return take_change(*this); }
  Result<node::Exit> run(node::Context& context, Output& output) const;
};

/// At boot, drivers are still loading when the service runs, for up to a minute on a slow node.
/// While udev is busy, a card may still appear.
constexpr std::chrono::seconds kForDevices{60};
constexpr std::chrono::milliseconds kBetweenLooks{100};
/// If udev was idle and no device came for this long, the network waits no longer for a missing
/// card. nettune-device@.service handles a later one.
constexpr std::chrono::seconds kQuiet{3};

/// While udev is busy, devices are still being renamed.
bool udev_is_idle() { return ::access("/run/udev/queue", F_OK) != 0; }

bool has_its_devices(const Transaction& active) {
  const auto facts = facts::collect_ports(facts::live());
  return facts && node::locate_all(active.settings, {}, node::DeviceNames(*facts)).gone.empty();
}

/// Waits for the devices of the active generation. An image did not know its devices, so there it
/// waits until no more have come for a while. Takes no lock, since hotplug needs it. Later steps
/// report what cannot be read.
void wait_for_devices(node::Context& context) {
  const auto state = context.look_at_state();
  if (!state || !state->active) return;
  const auto begin = std::chrono::steady_clock::now();
  auto since = begin;
  std::optional<std::string> seen;
  const auto is_over = [](auto from, std::chrono::seconds time) {
    return std::chrono::steady_clock::now() - from >= time;
  };
  while (!is_over(begin, kForDevices) && !is_over(since, kQuiet)) {
    // Reading all facts takes long during boot, so it is done only after a device came.
    const auto links = kernel::dump_links();
    const std::string token =
        links ? node::device_token(kernel::link_token(*links)) : std::string();
    const bool changed = token != seen;
    seen = token;
    if (changed && !state->active->image && has_its_devices(*state->active)) return;
    if (changed || !udev_is_idle()) since = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

/// Most boots and hotplugs find everything as applied: one reading shows that, without facts, plan
/// and lock. False if there is anything else to do, or the reading fails.
bool holds_as_applied(node::Context& context) {
  const auto state = context.look_at_state();
  // There must be no open journal and no debt.
  if (!state || state->exit() != node::Exit::done || state->hold || !state->active ||
      state->active->image || state->active->settings.empty())
    return false;
  const auto held = node::plan_active(context, *state->active);
  if (!held || !held->gone.empty()) return false;
  // One reading shows that the rest holds. What others override is as applied.
  if (held->plan.items.size() != held->plan.count(Verdict::refused) + held->overridden.size())
    return false;
  if (firewall::any_dropped(node::traffic_now(context, held->admissions))) return false;
  // In a generation of an older nettune, a managed setting that is not wanted is still owed to its
  // device.
  const auto whole = context.state().generation(state->active->number);
  if (!whole || whole->id != state->active->id) return false;
  std::set<Address> wanted;
  for (const Setting& setting : whole->settings) wanted.insert(setting.address);
  return std::ranges::all_of(whole->owned, [&](const auto& each) {
    return !each.second.cause.text.empty() || wanted.contains(each.first);
  });
}

/// The first boot of an image: applies what `apply --root` left for it, as if the profile had been
/// applied here.
Result<std::optional<node::Planned>> plan_first_boot(node::Context& context,
                                                     const ReapplyCommand& options,
                                                     const node::StateView& state,
                                                     node::ChangeSpec& self) {
  const Transaction& prepared = *state.active;
  context.use_set(prepared.vars);
  self.action = kReapply;
  self.done = cat("applied ", printable(prepared.profile), ", the profile of this image");
  node::PlanRequest request = node::request_of(options, state);
  request.leave_refused = options.unattended;
  request.per_device = true;
  TRY_ASSIGN(node::Planned planned,
             node::plan_profile(context, prepared.profile, prepared, request));
  return std::optional<node::Planned>(std::move(planned));
}

Result<> check_kind(node::Context& context, const std::string& kind) {
  TRY_ASSIGN(const Providers* const providers, context.providers());
  if (kind.empty() || providers->find(kind) != nullptr) return {};
  return fail(Errc::invalid, cat("--kind: unknown kind of setting \"", printable(kind),
                                 "\"; known kinds: ", join(known_kinds(context), ", ")));
}

/// Whether nothing is applied and nothing is owed.
bool is_idle(const node::StateView& state) {
  const bool nothing = !state.active || node::holds_nothing(*state.active);
  return nothing && state.debts.empty();
}

/// What --only names; if that is nothing, `nothing` says why.
Result<node::GenerationSelection> asked_for(node::Context& context, const node::StateView& state,
                                            const std::vector<std::string>& words,
                                            std::string& nothing) {
  const node::Selection only = node::parse_selection(words);
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  TRY_ASSIGN(const Providers* const providers, context.providers());
  const node::DeviceNames names(*facts);
  TRY_ASSIGN(node::GenerationSelection asked,
             node::select_of_generation(only, state.active, state.debts, names, *providers));
  // Texts with the name of a device are of it, too.
  if (state.active)
    for (const std::string& name : only.devices)
      for (const Address& address : node::settings_about(context.state(), desired_of(*state.active),
                                                         names.identity_of(name), *facts))
        asked.addresses.push_back(address.text);
  if (!asked.devices.empty() || !asked.addresses.empty()) return asked;
  const bool present = std::ranges::any_of(
      only.devices, [&](const std::string& name) { return !names.identity_of(name).empty(); });
  nothing = cat(present ? "no applied setting depends on " : "there is no interface ",
                printable(join(only.devices, ", ")));
  return asked;
}

/// Applies the active generation as it was confirmed. It reads no profile, so a new version waits
/// until somebody applies it. Only the first boot of an image reads one.
Result<node::Exit> ReapplyCommand::run(node::Context& context, Output& output) const {
  node::ChangeSpec reapply;
  reapply.command = "reapply";
  const bool whole = only.empty() && only_kind.empty();
  if (unattended && whole) {
    wait_for_devices(context);
    if (!json && holds_as_applied(context)) {
      output.print("in sync, nothing written\n");
      return node::Exit::done;
    }
    context.forget();
  }
  reapply.make = [&](const node::StateView& state,
                     node::ChangeSpec& self) -> Result<std::optional<node::Planned>> {
    if (!state.unreadable.empty()) return node::needs_root(context);
    TRY(check_kind(context, only_kind));
    // nettune-apply.service handles the first boot: it waits for devices.
    if (state.active && state.active->image && !only_kind.empty()) {
      self.done = "the first boot of this image has not finished";
      return std::optional<node::Planned>();
    }
    if (state.active && state.active->image) return plan_first_boot(context, *this, state, self);
    if (is_idle(state)) {
      self.done = "nothing is applied here";
      return std::optional<node::Planned>();
    }
    node::GenerationSelection asked;
    if (!only.empty()) {
      TRY_ASSIGN(asked, asked_for(context, state, only, self.done));
      if (!self.done.empty()) return std::optional<node::Planned>();
    }
    TRY_ASSIGN(const Providers* const providers, context.providers());
    TRY_ASSIGN(Engine engine, node::make_engine(context, *providers));
    TRY_ASSIGN(Desired desired, engine.target(state.active ? state.active->number : 0));
    self.action = kReapply;
    self.done = desired.profile.empty() ? std::string("settled the debts")
                                        : cat("applied again: ", printable(desired.profile));
    node::PlanRequest request = node::request_of(*this, state);
    request.per_device = true;
    request.only_devices = std::move(asked.devices);
    request.only_settings = std::move(asked.addresses);
    request.only_kind = only_kind;
    // Before the network is up nothing is protected. Later, a change that may cut somebody waits,
    // and a new manager is respected.
    request.leave_refused = unattended;
    TRY_ASSIGN(node::Planned planned,
               node::plan_desired(context, std::move(desired), state.active, request));
    return std::optional<node::Planned>(std::move(planned));
  };
  return transact_and_print(context, *this, output, std::move(reapply));
}

}  // namespace

Command reapply_command() { return make_command<ReapplyCommand>(Work::changes); }

}  // namespace nettune::cli::commands
