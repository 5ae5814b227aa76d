// SPDX-License-Identifier: Apache-2.0
#include "node/awaited.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/plan.hpp"
#include "node/identity.hpp"

namespace nettune::node {
namespace {

/// When and in which boot a value came to where it is written.
struct Written {
  std::string boot_id;
  std::int64_t time_s = 0;
};

const Record* find_record(const Transaction& transaction, const Address& address) {
  const auto found = std::ranges::find(transaction.records, address, &Record::address);
  return found == transaction.records.end() ? nullptr : &*found;
}

bool wants(const Transaction& transaction, const Address& address, const Value& value) {
  const auto found = std::ranges::find(transaction.settings, address, &Setting::address);
  return found != transaction.settings.end() && found->want == value;
}

/// Back to the generation that wrote it, or to the first that wanted what was there. Nothing if
/// what is kept does not go back that far.
std::optional<Written> written(State& state, const Transaction& active, const Address& address,
                               const Value& value) {
  const auto of = [](const Transaction& transaction) {
    return Written{transaction.identity.boot_id, transaction.identity.time_s};
  };
  Written last = of(active);
  if (find_record(active, address) != nullptr) return last;
  const auto numbers = state.numbers();
  if (!numbers) return std::nullopt;
  for (auto number = numbers->rbegin(); number != numbers->rend(); ++number) {
    if (*number >= active.number) continue;
    const auto before = state.generation(*number);
    if (!before) return std::nullopt;
    if (!wants(*before, address, value)) return last;
    last = of(*before);
    if (find_record(*before, address) != nullptr) return last;
  }
  return std::nullopt;
}

/// The settings that are written as they should be, and take effect later.
std::vector<const Setting*> later_ones(const Transaction& active, const Providers& providers,
                                       const std::set<Address>& apart) {
  std::vector<const Setting*> later;
  std::vector<Address> addresses;
  for (const Setting& setting : active.settings) {
    const Provider* const provider = providers.find(setting.address.kind());
    if (provider == nullptr || apart.contains(setting.address) ||
        provider->takes_effect(setting.address).empty())
      continue;
    later.push_back(&setting);
    addresses.push_back(setting.address);
  }
  const auto now = read_all(std::move(addresses), providers);
  std::erase_if(later, [&](const Setting* setting) {
    const auto found = now.find(setting->address);
    return found == now.end() || !found->second.has_value() ||
           !satisfies(setting->relation, setting->want, found->second.value());
  });
  return later;
}

/// Of what this generation gave back in this boot: what it removed is still in effect.
void add_given_back(const Transaction& active, const Providers& providers,
                    const std::string& boot_id, std::vector<Awaited>& out) {
  if (active.identity.boot_id != boot_id) return;
  for (const Record& record : active.records) {
    if (std::ranges::find(active.settings, record.address, &Setting::address) !=
        active.settings.end())
      continue;
    Provider* const provider = providers.find(record.address.kind());
    if (provider == nullptr) continue;
    std::string when = provider->takes_effect(record.address);
    if (when.empty() || !record.before) continue;
    InEffect effect = provider->in_effect(record.address, record.before);
    if (effect.state != InEffect::State::yes && !effect.arrived) continue;
    out.push_back({record.address,
                   record.after,
                   {},
                   Awaited::State::pending,
                   std::move(when),
                   std::move(effect.shown_by),
                   active.identity.time_s});
  }
}

}  // namespace

Result<std::vector<Awaited>> find_awaited(Context& context, const Transaction& active,
                                          const std::set<Address>& apart) {
  std::vector<Awaited> out;
  TRY_ASSIGN(const Providers* const providers, context.providers());
  std::string boot;
  const auto this_boot = [&] {
    if (boot.empty()) boot = boot_id(context.disk()).value_or("");
    return boot;
  };
  const std::vector<const Setting*> later = later_ones(active, *providers, apart);
  for (const Setting* const each : later) {
    const Setting& setting = *each;
    Provider* const provider = providers->find(setting.address.kind());
    std::string when = provider->takes_effect(setting.address);
    InEffect effect = provider->in_effect(setting.address, setting.want);
    if (effect.state == InEffect::State::yes) continue;
    Awaited one{setting.address,        setting.want,    setting.origin,
                Awaited::State::unseen, std::move(when), std::move(effect.shown_by)};
    const auto since = written(context.state(), active, setting.address, setting.want);
    if (since) one.since_s = since->time_s;
    if (effect.state == InEffect::State::no)
      one.state = effect.due || (since && since->boot_id == this_boot()) ? Awaited::State::pending
                                                                         : Awaited::State::refused;
    out.push_back(std::move(one));
  }
  const bool gave_back = std::ranges::any_of(active.records, [&](const Record& record) {
    const Provider* const provider = providers->find(record.address.kind());
    return provider != nullptr && !provider->takes_effect(record.address).empty();
  });
  if (gave_back) add_given_back(active, *providers, this_boot(), out);
  return out;
}

std::size_t count(const std::vector<Awaited>& awaited, Awaited::State state) {
  return static_cast<std::size_t>(std::ranges::count(awaited, state, &Awaited::state));
}

}  // namespace nettune::node
