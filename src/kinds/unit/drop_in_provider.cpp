// SPDX-License-Identifier: Apache-2.0
#include "kinds/unit/drop_in_provider.hpp"

#include "base/text.hpp"
#include "conf/units.hpp"
#include "kinds/unit/effect.hpp"
#include "kinds/unit/value.hpp"

namespace nettune::kinds::unit {
namespace {

constexpr std::uint64_t kMaxNumberBytes = 64;

}  // namespace
DropInProvider::DropInProvider(Disk& disk, std::string root, bool live, AskState ask)
    : OwnFileProvider(disk, "", kDropInFormat),
      disk_(disk),
      root_(std::move(root)),
      live_(live),
      ask_(std::move(ask)) {}

std::string DropInProvider::path_of(const Address& address) const {
  return cat(root_, drop_in_path(address.object()));
}

Result<Value> DropInProvider::canonical(const Address& address, const Value& want) const {
  const std::string unit = unit_of(address);
  TRY_ASSIGN(const std::string name, unit_name(unit));
  if (name != unit)
    return fail(Errc::invalid, cat(printable(address.text), " is written drop-in:", name, ':',
                                   printable(address.key())));
  TRY_ASSIGN(const Directive* const directive, find_directive(unit, address.key()));
  if (!want) return want;
  TRY_ASSIGN(std::string value, canonical_value(*directive, *want));
  return Value(std::move(value));
}

std::vector<Reading> DropInProvider::read(std::span<const Address> addresses) {
  std::vector<Reading> readings = OwnFileProvider::read(addresses);
  const conf::Files files(disk_, root_);
  conf::Units units(files);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::string unit = unit_of(addresses[i]);
    // systemd makes slices without a file.
    if (readings[i].presence != Presence::absent || unit.ends_with(".slice")) continue;
    const std::string path = units.path(unit);
    if (!path.empty() && files.exists(path)) continue;
    readings[i] = {Presence::not_applicable,
                   "",
                   cat(unit, files.is_masked(path) ? " is masked" : " is not installed"),
                   {}};
  }
  return readings;
}

Effects DropInProvider::effects(const Address& address, const Value& before, const Value& after) {
  Effects effects = OwnFileProvider::effects(address, before, after);
  if (after && is_nettunes_own(address.object()))
    effects.impossible = cat(address.object(), " is nettune's own unit");
  if (after && effects.impossible.empty())
    effects.impossible = why_it_would_end(unit_of(address), address.key(), *after);
  // What is impossible is not even tried where it is optional.
  if (!effects.impossible.empty()) effects.not_permitted = effects.impossible;
  return effects;
}

/// systemd 252 writes the files of cgroups as it reads its units, 257 as it starts the unit. Below
/// what the unit uses now, the kernel ends its processes (memory_max_write(), mm/memcontrol.c).
std::string DropInProvider::why_it_would_end(const std::string& unit, std::string_view key,
                                             std::string_view value) const {
  const auto directive = find_directive(unit, key);
  if (!live_ || !directive || (*directive)->name != "MemoryMax") return {};
  const auto wanted = parse_int(one_spelling(**directive, value).value_or(""));
  const auto state = ask_(unit);
  if (!wanted || !state || state->cgroup.empty()) return {};
  const auto text =
      disk_.read(cat(root_, "/sys/fs/cgroup", state->cgroup, "/memory.current"), kMaxNumberBytes);
  const auto used = text && *text ? parse_int(trim(**text)) : std::nullopt;
  if (!used || *used <= *wanted) return {};
  return cat(unit, " uses ", *used, " bytes now, and the kernel would end its processes");
}

std::string DropInProvider::takes_effect(const Address& address) const {
  const auto directive = find_directive(address.object(), address.key());
  if (directive && (*directive)->shown == Shown::manager)
    return live_ ? "when systemd reads its units again" : "at the next boot";
  return cat(live_ ? "at the next boot, or when " : "when ", address.object(),
             live_ ? " is restarted" : " is started");
}

InEffect DropInProvider::in_effect(const Address& address, const Value& written) {
  using enum InEffect::State;
  const std::string unit = unit_of(address);
  if (!written) return {unseen, cat("what ", unit, " uses without it is not known")};
  const auto directive = find_directive(unit, address.key());
  if (!directive) return {unseen, directive.error().text};
  const auto state = ask_(unit);
  if (!state) return {unseen, state.error().text};
  // What systemd itself uses is what it read last.
  if ((*directive)->shown == Shown::manager &&
      read(std::span(&address, 1)).front().value() != written)
    return {state->needs_reload ? yes : no,
            cat("systemd has read the drop-ins of ", unit,
                state->needs_reload ? " before the last change" : "")};
  const ShownIn in{disk_, cat(root_, "/proc"), cat(root_, "/sys/fs/cgroup")};
  return value_in_effect(in, unit, *state, **directive, *written);
}

}  // namespace nettune::kinds::unit
