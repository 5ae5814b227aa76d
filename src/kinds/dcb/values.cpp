// SPDX-License-Identifier: Apache-2.0
#include "kinds/dcb/values.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace nettune::kinds::dcb {
namespace {

template <class Member>
DcbNumbers numbers_of(const Member& members) {
  return DcbNumbers(std::begin(members), std::end(members));
}

template <class Member, std::size_t kSize>
void put(Member (&into)[kSize], const DcbNumbers& numbers) {  // NOLINT: the kernel's structs
  for (std::size_t i = 0; i < std::min(kSize, numbers.size()); ++i)
    into[i] = static_cast<Member>(numbers[i]);
}

std::uint64_t priorities_of(const kernel::Dcb& dcb, const DcbProtocol& entry) {
  std::uint64_t priorities = 0;
  for (const dcb_app& app : dcb.apps)
    if (app.selector == entry.selector && app.protocol == entry.protocol && app.priority < 64)
      priorities |= std::uint64_t{1} << app.priority;
  return priorities;
}

}  // namespace

bool DcbTarget::is_dscp() const {
  return key == DcbKey::app && entry.selector == IEEE_8021QAZ_APP_SEL_DSCP;
}

std::optional<DcbTarget> dcb_target(const Address& address) {
  const auto key = dcb::dcb_key(address.key());
  const bool has_element = !address.element().empty();
  if (!key || has_element != (*key == DcbKey::app)) return std::nullopt;
  DcbTarget target{address.object(), *key, {}};
  if (!has_element) return target;
  const auto entry = dcb::parse_dcb_protocol(address.element());
  if (!entry) return std::nullopt;
  target.entry = *entry;
  return target;
}

Address dcb_address(std::string_view interface, DcbKey key) {
  return Address{cat("dcb:", interface, ':', dcb::dcb_key_name(key))};
}

Address dcb_app_address(std::string_view interface, const DcbProtocol& entry) {
  return Address{cat("dcb:", interface, ":app#", dcb::dcb_protocol_text(entry).value_or(""))};
}

std::optional<DcbNumbers> dcb_numbers(const kernel::Dcb& dcb, const DcbTarget& target) {
  switch (target.key) {
    case DcbKey::dcbx:
      if (dcb.dcbx) return DcbNumbers{*dcb.dcbx};
      break;
    case DcbKey::pfc:
      if (dcb.pfc) return DcbNumbers{dcb.pfc->pfc_en};
      break;
    case DcbKey::pfc_delay:
      if (dcb.pfc) return DcbNumbers{dcb.pfc->delay};
      break;
    case DcbKey::ets_prio_tc:
      if (dcb.ets) return numbers_of(dcb.ets->prio_tc);
      break;
    case DcbKey::ets_tsa:
      if (dcb.ets) return numbers_of(dcb.ets->tc_tsa);
      break;
    case DcbKey::ets_bw:
      if (dcb.ets) return numbers_of(dcb.ets->tc_tx_bw);
      break;
    case DcbKey::maxrate:
      if (dcb.maxrate) return numbers_of(dcb.maxrate->tc_maxrate);
      break;
    case DcbKey::buffer_prio:
      if (dcb.buffer) return numbers_of(dcb.buffer->prio2buffer);
      break;
    case DcbKey::buffer_size:
      if (dcb.buffer) return numbers_of(dcb.buffer->buffer_size);
      break;
    case DcbKey::app:
      return DcbNumbers{priorities_of(dcb, target.entry)};
  }
  return std::nullopt;
}

void put_dcb_numbers(kernel::Dcb& dcb, DcbKey key, const DcbNumbers& numbers) {
  switch (key) {
    case DcbKey::pfc:
      dcb.pfc->pfc_en = static_cast<std::uint8_t>(numbers[0]);
      break;
    case DcbKey::pfc_delay:
      dcb.pfc->delay = static_cast<std::uint16_t>(numbers[0]);
      break;
    case DcbKey::ets_prio_tc:
      put(dcb.ets->prio_tc, numbers);
      break;
    case DcbKey::ets_tsa:
      put(dcb.ets->tc_tsa, numbers);
      break;
    case DcbKey::ets_bw:
      put(dcb.ets->tc_tx_bw, numbers);
      break;
    case DcbKey::maxrate:
      put(dcb.maxrate->tc_maxrate, numbers);
      break;
    case DcbKey::buffer_prio:
      put(dcb.buffer->prio2buffer, numbers);
      break;
    case DcbKey::buffer_size:
      put(dcb.buffer->buffer_size, numbers);
      break;
    case DcbKey::dcbx:
    case DcbKey::app:
      break;
  }
}

int dscp_entries(const kernel::Dcb& dcb, const std::optional<DcbProtocol>& except) {
  std::set<std::uint16_t> found;
  for (const dcb_app& app : dcb.apps)
    if (app.selector == IEEE_8021QAZ_APP_SEL_DSCP &&
        (!except || except->selector != app.selector || except->protocol != app.protocol))
      found.insert(app.protocol);
  return static_cast<int>(found.size());
}

}  // namespace nettune::kinds::dcb
