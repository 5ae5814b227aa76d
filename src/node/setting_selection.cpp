// SPDX-License-Identifier: Apache-2.0
#include "node/setting_selection.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "node/present_names.hpp"
#include "node/state_view.hpp"

namespace nettune::node {

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

std::set<std::string_view> addresses_of(const Desired& desired) {
  std::set<std::string_view> addresses;
  for (const Setting& setting : desired.settings) addresses.insert(setting.address.text);
  return addresses;
}

/// Whether a setting is one of the device with this name and identity. A key may name an interface
/// literally; then it goes with the name, not with the card.
bool is_of(const Address& address, const std::string& device, const std::string& name,
           const std::string& identity) {
  return device.empty() ? device_in(address) == name : device == identity;
}

/// The settings of a profile that --only names.
Result<std::vector<std::string>> addresses_of(const Desired& desired, const Selection& only,
                                              const DeviceNames& names) {
  std::vector<std::string> addresses = only.addresses;
  for (const std::string& name : only.devices) {
    const std::size_t before = addresses.size();
    const std::string identity = names.identity_of(name);
    std::set<std::string> known;
    for (const Setting& setting : desired.settings) {
      known.insert(device_in(setting.address));
      if (is_of(setting.address, setting.device, name, identity))
        addresses.push_back(setting.address.text);
    }
    if (addresses.size() > before) continue;
    known.erase(std::string());
    const std::vector<std::string> devices(known.begin(), known.end());
    const auto near = nearest(name, devices);
    return fail(
        Errc::invalid,
        cat("--only: ", desired.profile, " sets nothing on a device ", printable(name), " here",
            near ? cat("; did you mean ", *near, "?")
                 : "; name an interface (nettune facts lists them), or a setting as nettune "
                   "plan shows it"));
  }
  return addresses;
}

Result<> refuse_unknown(const Desired& desired, const std::vector<std::string>& addresses,
                        const std::string& what, const std::string& lists) {
  const std::set<std::string_view> set_here = addresses_of(desired);
  for (const std::string& address : addresses) {
    if (set_here.contains(address)) continue;
    std::vector<std::string> known;
    for (const Setting& setting : desired.settings) known.push_back(setting.address.text);
    const auto near = nearest(address, known);
    return fail(Errc::invalid,
                cat("--only: ", what, " does not set ", printable(address), " on this node; ",
                    near ? cat("did you mean ", *near, "?") : lists));
  }
  return {};
}

/// Includes what must be written first.
std::set<std::string> with_needed(const Desired& desired, const std::vector<std::string>& addresses,
                                  const Providers& providers) {
  const std::set<std::string_view> set_here = addresses_of(desired);
  std::set<std::string> wanted;
  std::vector<std::string> next = addresses;
  while (!next.empty()) {
    const Address address{std::move(next.back())};
    next.pop_back();
    if (!set_here.contains(address.text) || !wanted.insert(address.text).second) continue;
    if (const Provider* const provider = providers.find(address.kind()))
      for (const Address& needed : provider->needs(address)) next.push_back(needed.text);
  }
  return wanted;
}

bool is_of(const std::set<std::string>& wanted, const JobVariable& variable) {
  return wanted.contains(cat("nccl.conf:", variable.name));
}

bool is_of(const std::set<std::string>& wanted, const Admission& admission) {
  return std::ranges::any_of(
      wanted, [&](const std::string& text) { return Address{text}.element() == admission.name; });
}

/// "pci 0000:01:00.0" of "pci 0000:01:00.0 port 1": an RDMA port and its interface count
/// differently.
std::string_view card_of(std::string_view device) {
  return device.substr(0, device.find(" port "));
}

/// The devices that what is asked for is about. A variable with the devices of a set does not say
/// of which.
class Concerned {
 public:
  Concerned(const Desired& desired, const std::set<std::string>& wanted) {
    for (const Setting& setting : desired.settings)
      if (wanted.contains(setting.address.text) && !setting.device.empty())
        cards_.emplace(card_of(setting.device));
    for (const JobVariable& one : desired.variables)
      all_ = all_ || (one.of_this_node && is_of(wanted, one));
    for (const Admission& one : desired.admissions)
      if (is_of(wanted, one)) admissions_.push_back(one.name);
  }

  bool has(const Member& member) const {
    return all_ || cards_.contains(card_of(member.device)) ||
           std::ranges::any_of(admissions_, [&](const std::string& name) {
             return name.starts_with(cat(member.set, "-"));
           });
  }

 private:
  std::set<std::string, std::less<>> cards_;
  std::vector<std::string> admissions_;
  bool all_ = false;
};

/// The requested settings of `all`, and the rest as in `applied`.
template <class Thing, class KeyOf, class IsAsked>
void choose(std::vector<Thing>& all, std::vector<Thing> applied, KeyOf key_of, IsAsked is_asked) {
  std::erase_if(all, [&](const Thing& one) { return !is_asked(one); });
  std::set<decltype(key_of(all.front()))> kept;
  for (const Thing& one : all) kept.insert(key_of(one));
  std::erase_if(applied, [&](const Thing& one) { return kept.contains(key_of(one)); });
  std::ranges::move(applied, std::back_inserter(all));
}

/// Texts with names of devices: those of what is asked for, and the rest as in `applied`.
Result<> choose_named_texts(State& state, const std::set<std::string>& wanted,
                            const Desired& applied, Desired& desired) {
  TRY_ASSIGN(profile::NamedTexts texts, named_texts_of(state, desired));
  TRY_ASSIGN(const profile::NamedTexts before, named_texts_of(state, applied));
  const auto choose_from = [](auto& all, const auto& of_before, auto&& is_asked) {
    std::erase_if(all, [&](const auto& one) { return !is_asked(one.first); });
    for (const auto& one : of_before)
      if (!is_asked(one.first)) all.insert(one);
  };
  const auto is_wanted = [&](const std::string& address) {
    return wanted.contains(texts.put_in(address)) || wanted.contains(before.put_in(address));
  };
  choose_from(texts.values, before.values, is_wanted);
  choose_from(texts.contents, before.contents, is_wanted);
  const auto is_variable = [&](const std::string& name) {
    return wanted.contains(cat("nccl.conf:", name));
  };
  choose_from(texts.variables, before.variables, is_variable);
  choose_from(texts.admissions, before.admissions, [&](const std::string& name) {
    return is_of(wanted, Admission{name, {}, {}});
  });
  std::erase_if(texts.gids, [&](const auto& gid) { return !is_variable(gid.variable); });
  for (const profile::NamedGid& gid : before.gids)
    if (!is_variable(gid.variable)) texts.gids.push_back(gid);
  for (const profile::NamedDevice& device : before.devices)
    if (std::ranges::find(texts.devices, device.token, &profile::NamedDevice::token) ==
        texts.devices.end())
      texts.devices.push_back(device);
  std::ranges::sort(texts.devices, {}, &profile::NamedDevice::token);
  desired.names.clear();
  desired.contents.insert(applied.contents.begin(), applied.contents.end());
  if (!texts.empty()) keep_named_texts(texts, desired);
  return {};
}

}  // namespace

Selection parse_selection(const std::vector<std::string>& words) {
  Selection only;
  for (std::string& word : each_of(words))
    (word.find(':') == word.npos ? only.devices : only.addresses).push_back(std::move(word));
  return only;
}

Result<GenerationSelection> select_of_generation(const Selection& only,
                                                 const std::optional<Transaction>& active,
                                                 const Debts& debts, const DeviceNames& names,
                                                 const Providers& providers) {
  const Transaction nothing;
  const Transaction& applied = active ? *active : nothing;
  const Located located = locate_all(applied.settings, applied.owned, names);
  std::map<Address, std::string> known;  // with the device of each
  for (const Setting& setting : located.settings) known.emplace(setting.address, setting.device);
  for (const auto& [address, owned] : located.owned) known.emplace(address, owned.device);
  for (const Debt& debt : debts)
    if (auto address = names.locate(debt.owed.address, debt.owed.device))
      known.emplace(std::move(*address), debt.owed.device);
  GenerationSelection out;
  for (const std::string& name : only.devices) {
    const std::string identity = names.identity_of(name);
    for (const auto& [address, device] : known) {
      if (!is_of(address, device, name, identity)) continue;
      if (device.empty())
        out.addresses.push_back(address.text);
      else
        out.devices.insert(device);
    }
  }
  if (only.addresses.empty()) return out;
  Desired all;
  for (const auto& [address, device] : known) all.settings.emplace_back().address = address;
  TRY(refuse_unknown(all, only.addresses, cat("generation ", applied.number),
                     cat("nettune show ", applied.profile, " lists what its profile sets")));
  std::ranges::move(with_needed(all, only.addresses, providers), std::back_inserter(out.addresses));
  return out;
}

Result<std::vector<std::string>> keep_selected(State& state, Desired& desired,
                                               const std::vector<std::string>& words,
                                               const std::optional<Transaction>& active,
                                               const DeviceNames& names,
                                               const Providers& providers) {
  TRY_ASSIGN(const std::vector<std::string> addresses,
             addresses_of(desired, parse_selection(words), names));
  TRY(refuse_unknown(desired, addresses, desired.profile,
                     cat("nettune show ", desired.profile, " and nettune plan ", desired.profile,
                         " list its settings")));
  const bool is_applied = active && !holds_nothing(*active);
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
  Desired kept = desired_of(applied);
  put_in_present_names(state, names, kept);
  const Concerned concerned(desired, wanted);
  choose(
      desired.members, kept.members,
      [](const Member& member) { return std::pair(member.set, member.device); },
      [&](const Member& member) { return concerned.has(member); });
  Located located = locate_all(kept.settings, {}, names);
  choose(
      desired.settings, std::move(located.settings),
      [](const Setting& setting) { return setting.address; },
      [&](const Setting& setting) { return wanted.contains(setting.address.text); });
  std::ranges::sort(desired.settings, {}, &Setting::address);
  desired.absent = std::move(located.gone);
  choose(
      desired.variables, kept.variables, [](const JobVariable& one) { return one.name; },
      [&](const JobVariable& one) { return is_of(wanted, one); });
  choose(
      desired.admissions, kept.admissions, [](const Admission& one) { return one.name; },
      [&](const Admission& one) { return is_of(wanted, one); });
  TRY(choose_named_texts(state, wanted, kept, desired));
  return std::vector<std::string>(wanted.begin(), wanted.end());
}

}  // namespace nettune::node
