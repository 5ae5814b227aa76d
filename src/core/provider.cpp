// SPDX-License-Identifier: Apache-2.0
#include "core/provider.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::inline core {

std::string_view impact_text(Impact impact) {
  switch (impact) {
    case Impact::none:
      return "none";
    case Impact::link_bounce:
      return "link bounce";
    case Impact::queue_reopen:
      return "queue reopen";
    case Impact::cuts_forwarded:
      return "cuts forwarded traffic";
    case Impact::may_cut:
      return "may cut";
  }
  return "";
}

std::string_view undo_text(Undo undo) {
  switch (undo) {
    case Undo::exact:
      return "exact";
    case Undo::residue:
      return "residue";
    case Undo::none:
      return "none";
  }
  return "";
}

std::string_view lifetime_text(Lifetime lifetime) {
  switch (lifetime) {
    case Lifetime::runtime:
      return "runtime";
    case Lifetime::firmware:
      return "firmware";
    case Lifetime::disk:
      return "disk";
  }
  return "";
}

void add_residue(Effects& effects, std::string_view text) {
  if (effects.undo == Undo::exact) effects.undo = Undo::residue;
  effects.residue += cat(effects.residue.empty() ? "" : "; ", text);
}

void add_cut(Effects& effects, std::string_view interfaces) {
  effects.impact = Impact::may_cut;
  for (const std::string_view one : words(interfaces))
    if (!can_cut(effects, one)) effects.cuts += cat(effects.cuts.empty() ? "" : " ", one);
}

bool can_cut(const Effects& effects, std::string_view interface) {
  return std::ranges::any_of(words(effects.cuts), [&](std::string_view one) {
    return one == interface || one == kEveryDevice;
  });
}

void set_no_way_back(Effects& effects, const Value& before, std::string_view why) {
  effects.undo = Undo::none;
  effects.residue = cat("the current value, ", printable(before.value_or("absent")),
                        ", can never be set again: ", why);
}

void check_way_back(Effects& effects, const Provider& provider, const Address& address,
                    const Value& before) {
  if (!before) return;
  if (const auto taken = provider.canonical(address, before); !taken)
    set_no_way_back(effects, before, taken.error().text);
}

void Providers::add(std::unique_ptr<Provider> provider) {
  providers_.push_back(std::move(provider));
}

Provider* Providers::find(std::string_view kind) const {
  const auto found = std::find_if(providers_.begin(), providers_.end(),
                                  [&](const auto& provider) { return provider->kind() == kind; });
  return found == providers_.end() ? nullptr : found->get();
}

std::size_t Providers::rank(std::string_view kind) const {
  const auto found = std::find_if(providers_.begin(), providers_.end(),
                                  [&](const auto& provider) { return provider->kind() == kind; });
  return static_cast<std::size_t>(found - providers_.begin());
}

}  // namespace nettune::inline core
