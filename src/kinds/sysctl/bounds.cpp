// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysctl/bounds.hpp"

#include <algorithm>

namespace nettune::kinds::sysctl {
namespace {

struct Bound {
  std::string_view lower;
  std::string_view upper;
};
/// Chains are listed from the lowest key up.
constexpr Bound kBounds[] = {
    // ip4_frags_ns_ctl_table, net/ipv4/ip_fragment.c, and its like for IPv6: extra1 and extra2.
    {"net.ipv4.ipfrag_low_thresh", "net.ipv4.ipfrag_high_thresh"},
    {"net.ipv6.ip6frag_low_thresh", "net.ipv6.ip6frag_high_thresh"},
    {"net.netfilter.nf_conntrack_frag6_low_thresh", "net.netfilter.nf_conntrack_frag6_high_thresh"},
    // ipv4_local_port_range and ipv4_privileged_ports, net/ipv4/sysctl_net_ipv4.c.
    {"net.ipv4.ip_unprivileged_port_start", "net.ipv4.ip_local_port_range"},
    // Tried on Linux 6.18.
    {"net.ipv4.tcp_reordering", "net.ipv4.tcp_max_reordering"},
    // sctp_net_table, net/sctp/sysctl.c.
    {"net.sctp.rto_min", "net.sctp.rto_max"},
    {"net.sctp.pf_retrans", "net.sctp.ps_retrans"},
    // sched_rt_global_validate, kernel/sched/rt.c.
    {"kernel.sched_rt_runtime_us", "kernel.sched_rt_period_us"},
    // sched_dl_sysctls, kernel/sched/deadline.c: extra1 and extra2.
    {"kernel.sched_deadline_period_min_us", "kernel.sched_deadline_period_max_us"},
    // sysctl_sched_uclamp_handler, kernel/sched/core.c.
    {"kernel.sched_util_clamp_min", "kernel.sched_util_clamp_max"},
    // The kernel takes any value. The third, below the others, would refuse neighbours that those
    // allow (neigh_alloc, net/core/neighbour.c), and a reversed port range is empty
    // (xs_get_random_port, net/sunrpc/xprtsock.c).
    {"net.ipv4.neigh.default.gc_thresh1", "net.ipv4.neigh.default.gc_thresh2"},
    {"net.ipv4.neigh.default.gc_thresh2", "net.ipv4.neigh.default.gc_thresh3"},
    {"net.ipv6.neigh.default.gc_thresh1", "net.ipv6.neigh.default.gc_thresh2"},
    {"net.ipv6.neigh.default.gc_thresh2", "net.ipv6.neigh.default.gc_thresh3"},
    {"sunrpc.min_resvport", "sunrpc.max_resvport"},
};

}  // namespace

bool is_bound(std::string_view lower, std::string_view upper) {
  return std::ranges::any_of(
      kBounds, [&](const Bound& bound) { return bound.lower == lower && bound.upper == upper; });
}

std::vector<std::string_view> bounds_of(std::string_view key) {
  std::vector<std::string_view> found;
  for (const Bound& bound : kBounds) {
    if (bound.lower == key) found.push_back(bound.upper);
    if (bound.upper == key) found.push_back(bound.lower);
  }
  return found;
}

std::string_view bound_group(std::string_view key) {
  std::string_view top;
  for (const Bound& bound : kBounds)
    if (bound.lower == key || bound.upper == key || bound.lower == top) top = bound.upper;
  return top;
}

}  // namespace nettune::kinds::sysctl
