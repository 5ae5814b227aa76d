// SPDX-License-Identifier: Apache-2.0
#include "node/only.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/text.hpp"

namespace nettune::cli {

namespace {

/// "link:{nt0,nt1}:mtu", as a plan shows equal changes, is one address per name.
std::vector<std::string> each_of(const std::vector<std::string>& typed) {
  std::vector<std::string> addresses;
  for (const std::string& text : typed) {
    const std::size_t begin = text.find('{');
    const std::size_t end = text.find('}', begin == std::string::npos ? 0 : begin);
    if (begin == std::string::npos || end == std::string::npos) {
      addresses.push_back(text);
      continue;
    }
    for (const std::string_view name :
         split(std::string_view(text).substr(begin + 1, end - begin - 1), ','))
      addresses.push_back(cat(text.substr(0, begin), name, text.substr(end + 1)));
  }
  return addresses;
}

Result<> refuse_unknown(const Desired& desired, const std::vector<std::string>& addresses) {
  for (const std::string& address : addresses) {
    if (std::ranges::any_of(desired.settings, [&](const Setting& setting) {
          return setting.address.text == address;
        }))
      continue;
    std::vector<std::string> known;
    for (const Setting& setting : desired.settings) known.push_back(setting.address.text);
    const auto near = nearest(address, known);
    return fail(
        Errc::invalid,
        cat("--only: ", desired.profile, " does not set ", printable(address), " on this node",
            near ? cat("; did you mean ", *near, "?")
                 : cat("; nettune show ", desired.profile, " and nettune plan ", desired.profile,
                       " list its settings")));
  }
  return {};
}

/// Includes what must be written first.
std::set<std::string> with_needed(const Desired& desired, const std::vector<std::string>& addresses,
                                  const Providers& providers) {
  std::set<std::string> wanted;
  std::vector<std::string> next = addresses;
  while (!next.empty()) {
    const Address address{std::move(next.back())};
    next.pop_back();
    const bool is_set = std::ranges::any_of(
        desired.settings, [&](const Setting& setting) { return setting.address == address; });
    if (!is_set || !wanted.insert(address.text).second) continue;
    if (const Provider* const provider = providers.find(address.kind()))
      for (const Address& needed : provider->needs(address)) next.push_back(needed.text);
  }
  return wanted;
}

/// The requested settings of `all`, and the rest as in `applied`.
template <class Thing, class IsSame, class IsAsked>
void choose(std::vector<Thing>& all, std::vector<Thing> applied, IsSame is_same, IsAsked is_asked) {
  std::erase_if(all, [&](const Thing& one) { return !is_asked(one); });
  std::erase_if(applied, [&](const Thing& one) {
    return std::ranges::any_of(all, [&](const Thing& kept) { return is_same(one, kept); });
  });
  std::ranges::move(applied, std::back_inserter(all));
}

}  // namespace

Result<std::vector<std::string>> keep_only(Desired& desired, const std::vector<std::string>& typed,
                                           const std::optional<Transaction>& active,
                                           const DeviceNames& names, const Providers& providers) {
  const std::vector<std::string> addresses = each_of(typed);
  TRY(refuse_unknown(desired, addresses));
  const bool is_applied = active && !(active->settings.empty() && active->owned.empty());
  if (is_applied && active->profile != desired.profile)
    return fail(Errc::conflict, cat("--only applies a part of the active profile, or of any "
                                    "profile while none is active; the active one is ",
                                    active->profile.empty() ? "none" : printable(active->profile),
                                    " (generation ", active->number, "), not ", desired.profile));
  if (is_applied && desired.vars != active->vars)
    return fail(Errc::conflict, cat("--only keeps the rest of generation ", active->number,
                                    ", which was applied with other --set values; use the same "
                                    "values, or leave out --only"));
  // The rest still has the old file contents.
  if (is_applied) desired.sources = active->sources;
  const std::set<std::string> wanted = with_needed(desired, addresses, providers);
  const Transaction nothing;
  const Transaction& applied = is_applied ? *active : nothing;
  Located located = locate_all(applied.settings, {}, names);
  choose(
      desired.settings, std::move(located.settings),
      [](const Setting& a, const Setting& b) { return a.address == b.address; },
      [&](const Setting& setting) { return wanted.contains(setting.address.text); });
  std::ranges::sort(desired.settings, {}, &Setting::address);
  desired.absent = std::move(located.gone);
  choose(
      desired.variables, applied.variables,
      [](const JobVariable& a, const JobVariable& b) { return a.name == b.name; },
      [&](const JobVariable& one) { return wanted.contains(cat("nccl.conf:", one.name)); });
  choose(
      desired.admissions, applied.admissions,
      [](const Admission& a, const Admission& b) { return a.name == b.name; },
      [&](const Admission& one) {
        return std::ranges::any_of(
            wanted, [&](const std::string& text) { return Address{text}.element() == one.name; });
      });
  choose(
      desired.members, applied.members,
      [](const Member& a, const Member& b) { return a.set == b.set && a.device == b.device; },
      [](const Member&) { return true; });
  return std::vector<std::string>(wanted.begin(), wanted.end());
}

}  // namespace nettune::cli
