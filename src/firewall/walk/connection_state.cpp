// SPDX-License-Identifier: Apache-2.0
#include "firewall/walk/connection_state.hpp"

#include <linux/netfilter.h>
#include <linux/netfilter/nf_conntrack_common.h>

#include "firewall/walk/base_chains.hpp"

namespace nettune::firewall::walk {
namespace {

using kernel::NfChain;

// nf_conntrack_core.c: where packets get their connection, NF_IP_PRI_CONNTRACK.
constexpr std::int32_t kTrackingPriority = -200;
// nf_tables.h: these bits of ct state and ct status.
constexpr std::uint32_t kStateNew = NF_CT_STATE_BIT(IP_CT_NEW);
constexpr std::uint32_t kStateEstablished = NF_CT_STATE_BIT(IP_CT_ESTABLISHED);

}  // namespace

std::optional<bool> is_tracked_in(const NfChain& base) {
  if (is_ingress(base)) return false;
  const bool where_it_is_looked_up =
      base.family != NFPROTO_NETDEV &&
      (base.hook->number == NF_INET_PRE_ROUTING || base.hook->number == NF_INET_LOCAL_OUT);
  if (!where_it_is_looked_up) return true;
  if (base.hook->priority == kTrackingPriority) return std::nullopt;
  return base.hook->priority > kTrackingPriority;
}

std::uint32_t connection_state(const Packets& packets, const Shape& shape, const NfChain& base) {
  if (packets.tracking == Tracking::unknown) return 0;
  if (packets.tracking == Tracking::untracked) return NF_CT_STATE_UNTRACKED_BIT;
  const auto tracked = is_tracked_in(base);
  if (!tracked) return 0;
  if (!*tracked) return NF_CT_STATE_INVALID_BIT;
  // nf_conntrack_proto_icmpv6.c, nf_conntrack_icmpv6_error().
  if (shape.is_discovery()) return NF_CT_STATE_UNTRACKED_BIT;
  switch (shape.connection) {
    case Connection::fresh:
      return kStateNew;
    case Connection::original:
    case Connection::reply:
      return kStateEstablished;
    case Connection::invalid:
      return NF_CT_STATE_INVALID_BIT;
    case Connection::unknown:
      break;
  }
  return 0;
}

bool has_connection(std::uint32_t state) {
  return state == kStateNew || state == kStateEstablished;
}

}  // namespace nettune::firewall::walk
