// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "base/text.hpp"
#include "kinds/common/device_items.hpp"
#include "kinds/dcb/grammar.hpp"

namespace nettune::profile {
namespace {

using formats::DcbKey;
using formats::DcbNumbers;

/// What a set asks of ETS, for what only two keys together can show.
struct Ets {
  const Item* bandwidths = nullptr;
  DcbNumbers bw;
  DcbNumbers tsa;
};
using EtsOfSets = std::map<std::string, Ets>;

DcbKey key_of(const Item& item) {
  return formats::dcb_key(item.key.substr(0, item.key.find('#'))).value_or(DcbKey::app);
}

std::string written(const Node& value) {
  if (!value.is(Node::Kind::array))
    return value.is(Node::Kind::integer) ? std::to_string(value.integer) : value.text;
  std::vector<std::string> members;
  for (const Node& member : value.items)
    members.push_back(member.is(Node::Kind::integer) ? std::to_string(member.integer)
                                                     : member.text);
  return members.empty() ? "none" : join(members, ",");
}

Result<std::string> wanted(const Item& item, const Node& value, EtsOfSets& sets) {
  const DcbKey key = key_of(item);
  const auto numbers = formats::parse_dcb_value(key, written(value));
  if (!numbers)
    return fail_at(value.origin,
                   cat(label(item), " cannot be ", shown(value), ": ", numbers.error().text));
  if (key == DcbKey::ets_tsa) sets[item.section].tsa = *numbers;
  if (key == DcbKey::ets_bw) {
    sets[item.section].bw = *numbers;
    sets[item.section].bandwidths = &item;
  }
  return formats::dcb_value_text(key, *numbers).value_or("");
}

/// IEEE 802.1Q shares 100 per cent among the classes that use ETS; what is said of others is lost
/// in some drivers (mlx5e_dcbnl_ieee_getets() reads 0 for them) and would not read back.
Result<> check_ets(const Ets& ets) {
  if (ets.bandwidths == nullptr) return {};
  const Item& item = *ets.bandwidths;
  std::uint64_t sum = 0;
  bool any = ets.tsa.empty();
  for (std::size_t tc = 0; tc < ets.bw.size(); ++tc) {
    const bool shares = ets.tsa.empty() || ets.tsa[tc] == 2;  // IEEE_8021QAZ_TSA_ETS
    any = any || shares;
    sum += ets.bw[tc];
    if (!shares && ets.bw[tc] != 0)
      return fail_at(item.value.origin,
                     cat(label(item), " gives class ", tc, ' ', ets.bw[tc],
                         " per cent, but its ets-tsa is not \"ets\"; write 0 there"));
  }
  const bool none = sum == 0 && (ets.tsa.empty() || !any);
  if (sum == 100 || none) return {};
  return fail_at(item.value.origin, cat(label(item), " sums to ", sum, "; it must be 100"));
}

}  // namespace

Result<> compose_dcb(Composer& composer) {
  EtsOfSets sets;
  for (const Item* const item : composer.merged().with_prefix("dcb:")) {
    TRY_ASSIGN(const std::optional<DeviceItem> parts, device_item(composer, *item));
    if (!parts) continue;
    TRY_ASSIGN(const std::string want, wanted(*item, parts->value, sets));
    for (const facts::NetDevice* const device : parts->devices)
      TRY(composer.add(setting_for(*item, *parts, *device, want)));
  }
  for (const auto& [section, ets] : sets) TRY(check_ets(ets));
  return {};
}

}  // namespace nettune::profile
