// SPDX-License-Identifier: Apache-2.0
#include "kinds/unit/state_provider.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <unistd.h>

#include "base/text.hpp"
#include "kernel/systemd.hpp"
#include "kinds/unit/table.hpp"
#include "kinds/unit/value.hpp"

namespace nettune::kinds::unit {
namespace {

using kernel::UnitFilesVerb;

constexpr std::string_view kYes = "yes";
constexpr std::string_view kNo = "no";
constexpr std::string_view kStopFlag = "--allow-stop-units";
constexpr std::size_t kMostAlong = 64;  ///< units that one start may start along

Value word(bool yes) { return std::string(yes ? kYes : kNo); }
bool is_word(const Value& value) { return value == kYes || value == kNo; }

/// Also for root, and also where it is optional.
void refuse(Effects& effects, std::string why) {
  effects.not_permitted = why;
  effects.impossible = std::move(why);
}

std::string why_no_systemd() {
  if (::geteuid() != 0) return "changing units needs root";
  return kernel::systemd_has_our_root() ? "" : "systemd does not run this system";
}

/// The states of unit_active_state_table in src/basic/unit-def.c; a queued job counts as done.
std::optional<bool> runs(const kernel::UnitState& state) {
  if (state.job == "stop") return false;
  if (state.job == "start" || state.job == "restart" || state.job == "reload-or-start") return true;
  if (state.active == "active" || state.active == "reloading" || state.active == "refreshing")
    return true;
  if (state.active == "inactive" || state.active == "failed") return false;
  return std::nullopt;
}

std::string names_of(const std::map<std::string, std::string>& links) {
  std::string text;
  for (const auto& [link, target] : links) text += cat(text.empty() ? "" : ", ", link);
  return text;
}

const Write* find(std::span<const Write> unit, std::string_view key, std::string_view after) {
  const auto found = std::ranges::find_if(
      unit, [&](const Write& write) { return write.address.key() == key && write.after == after; });
  return found == unit.end() ? nullptr : &*found;
}

}  // namespace

SystemdCalls::SystemdCalls() : reload(kernel::reload_systemd), barrier(why_no_systemd) {}

Result<Value> StateProvider::canonical(const Address& address, const Value& want) const {
  const std::string unit = unit_of(address);
  TRY_ASSIGN(const std::string name, unit_name(unit));
  const std::string_view key = address.key();
  if (name != unit || (key != "enabled" && key != "masked" && key != "active"))
    return fail(Errc::invalid, cat('\'', printable(address.rest()),
                                   "' is not UNIT:enabled, UNIT:masked or UNIT:active"));
  if (!is_word(want))
    return fail(Errc::invalid, cat("the value of ", address.text, " must be yes or no, not '",
                                   printable(want.value_or("")), "'"));
  return want;
}

std::string StateProvider::unit(const Address& address) const {
  return cat("unit:", address.object());
}

Lifetime StateProvider::lifetime(const Address& address) const {
  return address.key() == "active" ? Lifetime::runtime : Lifetime::disk;
}

Reading StateProvider::read_active(const std::string& unit) const {
  const auto state = calls_.state(unit);
  if (!state) return {Presence::not_permitted, "", state.error().text, {}};
  if (state->load == "not-found")
    return {Presence::not_applicable, "", cat(unit, " is not installed"), {}};
  if (const auto now = runs(*state)) return {Presence::present, *word(*now), "", {}};
  return {Presence::not_permitted,
          state->active,
          cat(unit, " is ", printable(state->active), "; try again when it is done"),
          {}};
}

Reading StateProvider::read_one(const Address& address) const {
  const std::string unit = unit_of(address);
  if (address.key() == "active") return read_active(unit);
  const auto installed = read_installed(disk_, root_, unit);
  if (!installed) return {Presence::not_permitted, "", installed.error().text, {}};
  const bool of_mask = address.key() == "masked";
  if (installed->file.empty() && !(of_mask && installed->masked) && installed->unusual.empty())
    return {Presence::not_applicable, "", cat(unit, " is not installed"), {}};
  if (!installed->unusual.empty())
    return {Presence::not_permitted, "unusual", cat(unit, ": ", installed->unusual), {}};
  if (of_mask) return {Presence::present, *word(installed->masked), "", {}};
  if (!installed->not_enabled.empty())
    return {Presence::not_applicable, "", cat(unit, ": ", installed->not_enabled), {}};
  if (installed->links.empty()) return {Presence::present, std::string(kNo), "", {}};
  return {Presence::present,
          installed->is_enabled() ? std::string(kYes) : names_of(installed->links),
          "",
          {}};
}

std::vector<Reading> StateProvider::read(std::span<const Address> addresses) {
  std::vector<Reading> readings;
  readings.reserve(addresses.size());
  for (const Address& address : addresses) readings.push_back(read_one(address));
  return readings;
}

/// Undo makes the links that systemd makes: others must not go.
void StateProvider::note_files(const Installed& installed, const Address& address,
                               const Value& before, const Value& after, Effects& effects) const {
  const std::string unit = unit_of(address);
  if (address.key() == "masked") {
    if (after == kYes && installed.file_in_etc)
      refuse(effects, cat(unit, " cannot be masked: its own file is ", installed.file));
    if (after == kYes)
      effects.asks = {std::string(kStopFlag), cat(unit, " could not be started any more")};
    return;
  }
  if (!is_word(before)) {
    refuse(effects,
           cat(unit, " has links that its [Install] does not have, or lacks some of them: ",
               printable(before.value_or("")), "; undo could not restore that"));
    return;
  }
  if (before != kYes) return;
  const auto state = calls_.state(unit);
  for (const auto& [link, target] : installed.links)
    if (!state || (target != state->file && target != installed.file))
      add_residue(effects, cat("the link ", link, " leads to ", printable(target),
                               ", and would come back as systemd writes it"));
}

/// A start also starts what the unit needs, a stop stops what needs it, and so on.
void StateProvider::note_along(const std::string& unit, bool start, Effects& effects) const {
  const std::vector<const char*> properties =
      start ? std::vector<const char*>{"Requires", "Requisite", "BindsTo", "Wants", "Upholds"}
            : std::vector<const char*>{"RequiredBy", "RequisiteOf", "BoundBy", "ConsistsOf",
                                       "PropagatesStopTo"};
  std::set<std::string> seen = {unit};
  std::vector<std::string> next = {unit};
  while (!next.empty()) {
    const std::string one = next.back();
    next.pop_back();
    const auto others = calls_.related(one, properties);
    if (!others) return refuse(effects, others.error().text);
    for (const std::string& other : *others) {
      if (!seen.insert(other).second) continue;
      const auto state = calls_.state(other);
      if (!state) return refuse(effects, state.error().text);
      const auto now = runs(*state);
      if (now == start || (start && state->load != "loaded")) continue;
      if (!now) return refuse(effects, cat(other, " is ", printable(state->active), "; try again"));
      next.push_back(other);
      // A slice goes with the last of its units; a target has no processes, and stays.
      if (start && other.ends_with(".slice")) continue;
      if (start && other.ends_with(".target")) {
        add_residue(effects, cat(other, " becomes active, and stays so"));
        continue;
      }
      effects.touches.push_back({Address{cat("unit:", other, ":active")}, "", word(start),
                                 start ? cat(one, " needs it") : cat("it needs ", one)});
      if (const std::string why = why_protected(other); !why.empty())
        return refuse(effects,
                      cat(start ? "starting " : "stopping ", unit, " would ",
                          start ? "start " : "stop ", other, ", which is protected (", why, ')'));
    }
    if (effects.touches.size() > kMostAlong)
      return refuse(effects, cat(unit, " has more than ", kMostAlong, " units that go along"));
  }
}

void StateProvider::note_start(const std::string& unit, Effects& effects) const {
  note_along(unit, true, effects);
  const auto others = calls_.related(unit, {"Conflicts", "ConflictedBy"});
  if (!others) return;
  for (const std::string& other : *others)
    if (const auto state = calls_.state(other); state && runs(*state).value_or(false))
      refuse(effects, cat("starting ", unit, " would stop ", other));
}

void StateProvider::note_stop(const std::string& unit, Effects& effects) const {
  effects.asks = {std::string(kStopFlag), cat(unit, " would be stopped")};
  note_along(unit, false, effects);
  if (const auto state = calls_.state(unit); state && state->active == "failed")
    add_residue(effects, cat(unit, " has failed, and would be inactive"));
}

Effects StateProvider::effects(const Address& address, const Value& before, const Value& after) {
  Effects effects;
  const std::string unit = unit_of(address);
  if (const std::string why = calls_.barrier(); !why.empty()) effects.not_permitted = why;
  if (const std::string why = why_protected(unit); !why.empty()) {
    refuse(effects,
           cat(unit, " is protected (", why, "): nettune sets only directives of its drop-in"));
    return effects;
  }
  if (address.key() == "active") {
    if (after == kYes)
      note_start(unit, effects);
    else
      note_stop(unit, effects);
    return effects;
  }
  const auto installed = read_installed(disk_, root_, unit);
  if (installed)
    note_files(*installed, address, before, after, effects);
  else
    effects.not_permitted = installed.error().text;
  return effects;
}

/// A unit that systemd read while it was masked cannot be started before it reads it again.
Result<> StateProvider::start(const std::string& unit) const {
  TRY_ASSIGN(const kernel::UnitState state, calls_.state(unit));
  if (state.load == "masked") TRY(calls_.reload());
  return calls_.start(unit);
}

/// systemd does not sync what it links.
Result<> StateProvider::sync_links(const Installed& installed) const {
  std::set<std::string> directories = {std::string(kUnitsDirectory)};
  for (const std::string& link : installed.wanted)
    directories.insert(parent_path(cat(kUnitsDirectory, '/', link)));
  for (const std::string& directory : directories) {
    const std::string path = root_ + directory;
    TRY_ASSIGN(const auto info, disk_.info(path));
    if (info) TRY(disk_.sync_directory(path));
  }
  return {};
}

Result<> StateProvider::write(std::span<const Write> writes, const Contents&, const std::string&) {
  const std::string unit = unit_of(writes.front().address);
  if (const std::string why = why_protected(unit); !why.empty())
    return fail(Errc::denied, cat(unit, " is protected (", why, ')'));
  if (const std::string why = calls_.barrier(); !why.empty()) return fail(Errc::denied, why);
  if (find(writes, "active", kNo)) TRY(calls_.stop(unit));
  if (find(writes, "masked", kNo)) TRY(calls_.change(UnitFilesVerb::unmask, unit));
  if (find(writes, "enabled", kNo)) TRY(calls_.change(UnitFilesVerb::disable, unit));
  if (find(writes, "enabled", kYes)) TRY(calls_.change(UnitFilesVerb::enable, unit));
  if (find(writes, "masked", kYes)) TRY(calls_.change(UnitFilesVerb::mask, unit));
  if (find(writes, "active", kYes)) TRY(start(unit));
  TRY_ASSIGN(const Installed installed, read_installed(disk_, root_, unit));
  return sync_links(installed);
}

}  // namespace nettune::kinds::unit
