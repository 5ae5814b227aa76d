// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <thread>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/devices.hpp"
#include "cli/transact.hpp"
#include "facts/collect.hpp"

namespace nettune::cli {

namespace {

constexpr std::int64_t kPatience_s = 60;
/// At boot drivers are still being loaded when the service runs. Longer than this a missing card
/// does not hold up the network.
constexpr std::chrono::seconds kForDevices{20};
constexpr std::chrono::milliseconds kBetweenLooks{500};

/// True when all the devices are there that the active generation is for; in an image it was not
/// known yet which.
Result<bool> has_its_devices(const Arguments& arguments, const Transaction& active) {
  Context context(arguments);
  if (active.image) {
    context.use_set(active.vars);
    TRY_ASSIGN(const profile::Resolved resolved, resolve_profile(context, active.profile));
    return resolved.misfits.empty();
  }
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  return locate_all(active.settings, {}, DeviceNames(*facts)).gone.empty();
}

/// Waits for them. Takes no lock: hotplug needs it.
Result<> wait_for_devices(Context& context) {
  TRY_ASSIGN(const StateView state, context.look_at_state());
  if (!state.active) return {};
  const auto deadline = std::chrono::steady_clock::now() + kForDevices;
  while (std::chrono::steady_clock::now() < deadline) {
    TRY_ASSIGN(const bool there, has_its_devices(context.arguments(), *state.active));
    if (there) return {};
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return {};
}

/// The first boot of an image: what `apply --root` left for it. From then on it is as if the
/// profile had been applied here.
Result<std::optional<Planned>> plan_first_boot(Context& context, const Transaction& prepared,
                                               Transact& self) {
  const Arguments& arguments = context.arguments();
  context.use_set(prepared.vars);
  self.action = kReapply;
  self.done = cat("applied ", printable(prepared.profile), ", which the image was prepared for");
  TRY_ASSIGN(Planned planned,
             plan_profile(context, prepared.profile, prepared,
                          {arguments.allow_management, false, "", arguments.unattended}));
  return std::optional<Planned>(std::move(planned));
}

/// Identity of the device that is called so now; "" for no such device.
Result<std::string> identity_of(Context& context, const std::string& interface) {
  if (interface.empty()) return std::string();
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  for (const facts::NetDevice& device : facts->net)
    if (device.name == interface) return device.identity;
  return std::string();
}

/// Why nothing is to be done; "" when something may be.
std::string nothing_to_do(const StateView& state, const std::string& only,
                          const std::string& device) {
  // What is still owed to a device counts as well.
  if (!state.active || (state.active->settings.empty() && state.active->owned.empty()))
    return "nothing is applied here";
  if (only.empty()) return {};
  if (device.empty()) return cat("there is no interface ", printable(only));
  for (const Setting& setting : state.active->settings)
    if (setting.device == device) return {};
  for (const auto& [address, owned] : state.active->owned)
    if (owned.device == device) return {};
  return cat("nothing that is applied hangs on ", printable(only));
}

}  // namespace

/// What holds is the active generation, as it was confirmed: no profile is read, so a new version
/// of one waits until somebody applies it.
Result<Exit> cmd_reapply(Context& context, Output& output) {
  const Arguments& arguments = context.arguments();
  Transact reapply;
  reapply.command = "reapply";
  // Devices appear together, and each calls.
  if (arguments.unattended) reapply.patience_s = kPatience_s;
  if (arguments.unattended && arguments.only.empty()) TRY(wait_for_devices(context));
  reapply.make = [&](const StateView& state, Transact& self) -> Result<std::optional<Planned>> {
    if (!state.unreadable.empty()) return needs_root("reapply");
    if (state.active && state.active->image) return plan_first_boot(context, *state.active, self);
    TRY_ASSIGN(const std::string device, identity_of(context, arguments.only));
    self.done = nothing_to_do(state, arguments.only, device);
    if (!self.done.empty()) return std::optional<Planned>();
    TRY_ASSIGN(const Providers* const providers, context.providers());
    TRY_ASSIGN(Engine engine, make_engine(context, *providers));
    TRY_ASSIGN(Desired desired, engine.target(state.active->number));
    self.action = kReapply;
    self.done = cat("applied again: ", printable(state.active->profile));
    // Before the network is set up nothing is protected. Later, what may cut somebody waits.
    TRY_ASSIGN(Planned planned,
               plan_desired(context, std::move(desired), state.active,
                            {arguments.allow_management, false, device, arguments.unattended}));
    return std::optional<Planned>(std::move(planned));
  };
  return transact(context, output, std::move(reapply));
}

}  // namespace nettune::cli
