// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysctl/table.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "kinds/common/loadable.hpp"

namespace nettune::kinds::sysctl {
namespace {

/// The rows below net.* were tried in a network namespace on Linux 6.18, the others in virtual
/// machines with 6.1 and 6.12. Each row names the kernel's function.
constexpr SideEffect kSideEffects[] = {
    {"net.ipv4.ip_forward", "net.ipv4.conf.$if.forwarding", Moves::same,
     "inet_forward_change, net/ipv4/devinet.c"},
    {"net.ipv4.ip_forward", "net.ipv4.conf.all.accept_redirects", Moves::opposite,
     "inet_forward_change, net/ipv4/devinet.c"},
    {"net.ipv4.conf.all.forwarding", "net.ipv4.ip_forward", Moves::same,
     "one variable, ctl_forward_entry, net/ipv4/devinet.c"},
    {"net.ipv4.conf.all.forwarding", "net.ipv4.conf.$if.forwarding", Moves::same,
     "inet_forward_change, net/ipv4/devinet.c"},
    {"net.ipv4.conf.all.forwarding", "net.ipv4.conf.all.accept_redirects", Moves::opposite,
     "inet_forward_change, net/ipv4/devinet.c"},
    // Interfaces that never had an address or a value of their own follow "default".
    {"net.ipv4.conf.default.$key", "net.ipv4.conf.$dev.$key", Moves::unknown,
     "devinet_copy_dflt_conf, net/ipv4/devinet.c",
     "forwarding mc_forwarding disable_xfrm disable_policy promote_secondaries route_localnet "
     "drop_unicast_in_l2_multicast"},
    {"net.ipv4.neigh.default.$key", "net.ipv4.neigh.$dev.$key", Moves::unknown,
     "neigh_copy_dflt_parms, net/core/neighbour.c"},
    {"net.ipv6.neigh.default.$key", "net.ipv6.neigh.$dev.$key", Moves::unknown,
     "neigh_copy_dflt_parms, net/core/neighbour.c"},
    {"net.ipv4.neigh.$if.base_reachable_time", "net.ipv4.neigh.$if.base_reachable_time_ms",
     Moves::unknown, "one variable in two units, neigh_sysctl_template, net/core/neighbour.c"},
    {"net.ipv4.neigh.$if.base_reachable_time_ms", "net.ipv4.neigh.$if.base_reachable_time",
     Moves::unknown, "as above"},
    {"net.ipv6.neigh.$if.base_reachable_time", "net.ipv6.neigh.$if.base_reachable_time_ms",
     Moves::unknown, "as above"},
    {"net.ipv6.neigh.$if.base_reachable_time_ms", "net.ipv6.neigh.$if.base_reachable_time",
     Moves::unknown, "as above"},
    {"net.ipv4.neigh.$if.retrans_time", "net.ipv4.neigh.$if.retrans_time_ms", Moves::unknown,
     "as above"},
    {"net.ipv4.neigh.$if.retrans_time_ms", "net.ipv4.neigh.$if.retrans_time", Moves::unknown,
     "as above"},
    {"net.ipv6.neigh.$if.retrans_time", "net.ipv6.neigh.$if.retrans_time_ms", Moves::unknown,
     "as above"},
    {"net.ipv6.neigh.$if.retrans_time_ms", "net.ipv6.neigh.$if.retrans_time", Moves::unknown,
     "as above"},
    {"net.ipv4.neigh.$if.unres_qlen", "net.ipv4.neigh.$if.unres_qlen_bytes", Moves::unknown,
     "proc_unres_qlen, net/core/neighbour.c"},
    {"net.ipv4.neigh.$if.unres_qlen_bytes", "net.ipv4.neigh.$if.unres_qlen", Moves::unknown,
     "proc_unres_qlen, net/core/neighbour.c"},
    {"net.ipv6.neigh.$if.unres_qlen", "net.ipv6.neigh.$if.unres_qlen_bytes", Moves::unknown,
     "proc_unres_qlen, net/core/neighbour.c"},
    {"net.ipv6.neigh.$if.unres_qlen_bytes", "net.ipv6.neigh.$if.unres_qlen", Moves::unknown,
     "proc_unres_qlen, net/core/neighbour.c"},
    {"net.ipv6.conf.all.forwarding", "net.ipv6.conf.$if.forwarding", Moves::same,
     "addrconf_fixup_forwarding, net/ipv6/addrconf.c"},
    {"net.ipv6.conf.all.forwarding", "net.ipv6.conf.$dev.force_forwarding", Moves::unknown,
     "addrconf_forward_change, net/ipv6/addrconf.c"},
    {"net.ipv6.conf.all.disable_ipv6", "net.ipv6.conf.$if.disable_ipv6", Moves::same,
     "addrconf_disable_ipv6, net/ipv6/addrconf.c"},
    // Returning IPv6 takes the MTU of its device.
    {"net.ipv6.conf.$dev.disable_ipv6", "net.ipv6.conf.$dev.mtu", Moves::unknown,
     "addrconf_notify, net/ipv6/addrconf.c"},
    {"net.ipv6.conf.all.force_forwarding", "net.ipv6.conf.$dev.force_forwarding", Moves::same,
     "addrconf_sysctl_force_forwarding, net/ipv6/addrconf.c"},
    {"net.ipv6.conf.all.ignore_routes_with_linkdown",
     "net.ipv6.conf.$if.ignore_routes_with_linkdown", Moves::same,
     "addrconf_fixup_linkdown, net/ipv6/addrconf.c"},
    {"net.ipv6.conf.all.addr_gen_mode", "net.ipv6.conf.$if.addr_gen_mode", Moves::same,
     "addrconf_sysctl_addr_gen_mode, net/ipv6/addrconf.c"},
    {"net.ipv6.conf.$dev.stable_secret", "net.ipv6.conf.$dev.addr_gen_mode", Moves::unknown,
     "addrconf_sysctl_stable_secret, net/ipv6/addrconf.c"},
    {"net.ipv6.conf.default.stable_secret", "net.ipv6.conf.$dev.addr_gen_mode", Moves::unknown,
     "addrconf_sysctl_stable_secret, net/ipv6/addrconf.c"},
    {"net.ipv6.route.gc_min_interval", "net.ipv6.route.gc_min_interval_ms", Moves::unknown,
     "one variable in two units, ipv6_route_table_template, net/ipv6/route.c"},
    {"net.ipv6.route.gc_min_interval_ms", "net.ipv6.route.gc_min_interval", Moves::unknown,
     "as above"},
    {"net.ipv4.route.gc_min_interval", "net.ipv4.route.gc_min_interval_ms", Moves::unknown,
     "one variable in two units, ipv4_route_table, net/ipv4/route.c"},
    {"net.ipv4.route.gc_min_interval_ms", "net.ipv4.route.gc_min_interval", Moves::unknown,
     "as above"},
    {"net.mptcp.pm_type", "net.mptcp.path_manager", Moves::unknown,
     "proc_pm_type, net/mptcp/ctrl.c"},
    {"net.mptcp.path_manager", "net.mptcp.pm_type", Moves::unknown,
     "proc_path_manager, net/mptcp/ctrl.c"},
    {"net.ipv4.tcp_congestion_control", "net.ipv4.tcp_allowed_congestion_control", Moves::gains,
     "tcp_set_default_congestion_control, net/ipv4/tcp_cong.c"},
    {"net.netfilter.nf_conntrack_max", "net.nf_conntrack_max", Moves::same,
     "one variable, nf_ct_netfilter_table, net/netfilter/nf_conntrack_standalone.c"},
    {"net.nf_conntrack_max", "net.netfilter.nf_conntrack_max", Moves::same, "as above"},
    {"fs.fanotify.max_user_groups", "user.max_fanotify_groups", Moves::same,
     "one variable, fanotify_table, fs/notify/fanotify/fanotify_user.c"},
    {"user.max_fanotify_groups", "fs.fanotify.max_user_groups", Moves::same, "as above"},
    {"fs.fanotify.max_user_marks", "user.max_fanotify_marks", Moves::same, "as above"},
    {"user.max_fanotify_marks", "fs.fanotify.max_user_marks", Moves::same, "as above"},
    {"fs.inotify.max_user_instances", "user.max_inotify_instances", Moves::same,
     "one variable, inotify_table, fs/notify/inotify/inotify_user.c"},
    {"user.max_inotify_instances", "fs.inotify.max_user_instances", Moves::same, "as above"},
    {"fs.inotify.max_user_watches", "user.max_inotify_watches", Moves::same, "as above"},
    {"user.max_inotify_watches", "fs.inotify.max_user_watches", Moves::same, "as above"},
    {"vm.dirty_bytes", "vm.dirty_ratio", Moves::zero, "dirty_bytes_handler, mm/page-writeback.c"},
    {"vm.dirty_ratio", "vm.dirty_bytes", Moves::zero, "dirty_ratio_handler, mm/page-writeback.c"},
    {"vm.dirty_background_bytes", "vm.dirty_background_ratio", Moves::zero,
     "dirty_background_bytes_handler, mm/page-writeback.c"},
    {"vm.dirty_background_ratio", "vm.dirty_background_bytes", Moves::zero,
     "dirty_background_ratio_handler, mm/page-writeback.c"},
    {"vm.overcommit_kbytes", "vm.overcommit_ratio", Moves::zero,
     "overcommit_kbytes_handler, mm/util.c"},
    {"vm.overcommit_ratio", "vm.overcommit_kbytes", Moves::zero,
     "overcommit_ratio_handler, mm/util.c"},
    {"vm.nr_hugepages", "vm.nr_hugepages_mempolicy", Moves::unknown,
     "hugetlb_sysctl_handler_common, mm/hugetlb.c"},
    {"vm.nr_hugepages_mempolicy", "vm.nr_hugepages", Moves::unknown,
     "hugetlb_sysctl_handler_common, mm/hugetlb.c"},
    {"kernel.watchdog", "kernel.nmi_watchdog", Moves::unknown,
     "proc_watchdog_common, kernel/watchdog.c"},
    {"kernel.watchdog", "kernel.soft_watchdog", Moves::same,
     "proc_watchdog_common, kernel/watchdog.c"},
    {"kernel.nmi_watchdog", "kernel.watchdog", Moves::unknown,
     "proc_watchdog_common, kernel/watchdog.c"},
    {"kernel.soft_watchdog", "kernel.watchdog", Moves::unknown,
     "proc_watchdog_common, kernel/watchdog.c"},
};

constexpr std::string_view kLro = "large receive offload is turned off and does not come back: ";
constexpr std::string_view kRouters =
    "IPv6 routes from router advertisements are removed and return only with the next "
    "advertisement, unless accept_ra is 2: ";
constexpr std::string_view kAddresses6 =
    "IPv6 addresses and routes are removed and do not come back automatically";
constexpr std::string_view kUndoAddresses6 =
    "undo also removes IPv6 addresses and routes of interfaces that had IPv6 before";
constexpr std::string_view kLinkLocal =
    "a link-local IPv6 address that the kernel adds for it stays";
constexpr std::string_view kSecret =
    "the stable_secret and the link-local IPv6 address that the kernel adds for it stay";

constexpr Caution kCautions[] = {
    // IN_DEV_FORWARD in ip_route_input_slow, net/ipv4/route.c. For IPv6 only "all" counts:
    // ip6_forward, net/ipv6/ip6_output.c; force_forwarding is newer (6.17).
    {"net.ipv4.ip_forward", "0", Impact::cuts_forwarded, Undo::exact, ""},
    {"net.ipv4.conf.all.forwarding", "0", Impact::cuts_forwarded, Undo::exact, ""},
    {"net.ipv4.conf.$dev.forwarding", "0", Impact::cuts_forwarded, Undo::exact, ""},
    {"net.ipv6.conf.all.forwarding", "0", Impact::cuts_forwarded, Undo::exact, ""},
    {"net.ipv6.conf.all.force_forwarding", "0", Impact::cuts_forwarded, Undo::exact, ""},
    {"net.ipv6.conf.$dev.force_forwarding", "0", Impact::cuts_forwarded, Undo::exact, ""},
    // Others reach what this node answers for: arp_fwd_proxy in net/ipv4/arp.c, ndisc_recv_ns in
    // net/ipv6/ndisc.c. Broadcasts: ip_route_input_slow, net/ipv4/route.c.
    {"net.ipv4.conf.all.proxy_arp", "0", Impact::cuts_forwarded, Undo::exact, ""},
    {"net.ipv4.conf.$dev.proxy_arp", "0", Impact::cuts_forwarded, Undo::exact, ""},
    {"net.ipv6.conf.all.proxy_ndp", "0", Impact::cuts_forwarded, Undo::exact, ""},
    {"net.ipv6.conf.$dev.proxy_ndp", "0", Impact::cuts_forwarded, Undo::exact, ""},
    {"net.ipv4.conf.all.bc_forwarding", "0", Impact::cuts_forwarded, Undo::exact, ""},
    {"net.ipv4.conf.$dev.bc_forwarding", "0", Impact::cuts_forwarded, Undo::exact, ""},
    // addrconf_ifdown in dev_disable_change, net/ipv6/addrconf.c; keep_addr_on_down does not keep
    // them: it counts only while disable_ipv6 is 0.
    {"net.ipv6.conf.all.disable_ipv6", "!0", Impact::may_cut, Undo::residue, kAddresses6},
    {"net.ipv6.conf.$dev.disable_ipv6", "!0", Impact::may_cut, Undo::residue, kAddresses6},
    {"net.ipv6.conf.all.disable_ipv6", "0", Impact::none, Undo::residue, kUndoAddresses6},
    // addrconf_addr_gen, net/ipv6/addrconf.c: 1 makes no address, 3 begins with a secret. Undo for
    // all sets one value for all, whatever each had.
    {"net.ipv6.conf.all.addr_gen_mode", "", Impact::none, Undo::residue, kLinkLocal},
    {"net.ipv6.conf.all.addr_gen_mode", "3", Impact::none, Undo::residue, kSecret},
    {"net.ipv6.conf.$dev.addr_gen_mode", "0", Impact::none, Undo::residue, kLinkLocal},
    {"net.ipv6.conf.$dev.addr_gen_mode", "2", Impact::none, Undo::residue, kLinkLocal},
    {"net.ipv6.conf.$dev.addr_gen_mode", "3", Impact::none, Undo::residue, kSecret},
    // Documentation/networking/ip-sysctl.rst: which addresses answer ARP.
    {"net.ipv4.conf.all.arp_ignore", "!0", Impact::may_cut, Undo::exact, ""},
    {"net.ipv4.conf.$dev.arp_ignore", "!0", Impact::may_cut, Undo::exact, ""},
    // One-way switches: extra1 and extra2 of their tables, Documentation/admin-guide/sysctl.
    {"kernel.modules_disabled", "1", Impact::none, Undo::none, "it stays set until reboot"},
    {"kernel.kexec_load_disabled", "1", Impact::none, Undo::none, "it stays set until reboot"},
    {"kernel.unprivileged_bpf_disabled", "1", Impact::none, Undo::none,
     "it stays set until reboot"},
    {"kernel.tainted", "", Impact::none, Undo::none, "added flags stay until reboot"},
    {"kernel.yama.ptrace_scope", "3", Impact::none, Undo::none, "it stays set until reboot"},
};

constexpr std::string_view kAcceptRa = "sysctl:net.ipv6.conf.$exposed.accept_ra";
constexpr std::string_view kRxLro = "ethtool:$exposed:feature-rx-lro";

constexpr Exposure kExposures[] = {
    // rt6_purge_dflt_routers, net/ipv6/route.c, called by addrconf_fixup_forwarding for each write
    // of 1, also where it was 1.
    {"net.ipv6.conf.all.forwarding", "!0", Exposed::routed, kAcceptRa, "2", true, kRouters},
    {"net.ipv6.conf.$dev.forwarding", "!0", Exposed::routed, kAcceptRa, "2", true, kRouters},
    // dev_disable_lro in devinet_sysctl_forward and inet_forward_change, net/ipv4/devinet.c, and in
    // dev_forward_change, net/ipv6/addrconf.c.
    {"net.ipv4.ip_forward", "!0", Exposed::every, kRxLro, "off", false, kLro},
    {"net.ipv4.conf.all.forwarding", "!0", Exposed::every, kRxLro, "off", false, kLro},
    {"net.ipv4.conf.$dev.forwarding", "!0", Exposed::own, kRxLro, "off", false, kLro},
    {"net.ipv6.conf.all.forwarding", "!0", Exposed::every, kRxLro, "off", false, kLro},
    {"net.ipv6.conf.$dev.forwarding", "!0", Exposed::own, kRxLro, "off", false, kLro},
    // The strict reverse path filter, fib_validate_source in net/ipv4/fib_frontend.c; 2 is loose,
    // and the larger value counts.
    {"net.ipv4.conf.all.rp_filter", "1", Exposed::every, "sysctl:net.ipv4.conf.$exposed.rp_filter",
     "2", true, ""},
    {"net.ipv4.conf.$dev.rp_filter", "1", Exposed::own, "sysctl:net.ipv4.conf.all.rp_filter", "2",
     true, ""},
};

/// A value that protects is written first and restored last.
constexpr Protection kProtections[] = {
    {"net.ipv6.conf.$dev.accept_ra", "2", "__rt6_purge_dflt_routers, net/ipv6/route.c"},
    {"net.ipv4.conf.$if.rp_filter", "2", "IN_DEV_RPFILTER, include/linux/inetdevice.h"},
    {"net.ipv4.conf.$if.src_valid_mark", "1", "__fib_validate_source, net/ipv4/fib_frontend.c"},
    // A router that nobody asked for: redirects, source routes, answers for others.
    {"net.ipv4.conf.$if.send_redirects", "0", "ip_rt_send_redirect, net/ipv4/route.c"},
    {"net.ipv4.conf.$if.accept_source_route", "0", "ip_rcv_options, net/ipv4/ip_input.c"},
    {"net.ipv4.conf.$if.proxy_arp", "0", "arp_fwd_proxy, net/ipv4/arp.c"},
    {"net.ipv4.conf.$if.proxy_arp_pvlan", "0", "arp_fwd_pvlan, net/ipv4/arp.c"},
    // Links that go down and up: addresses and neighbours stay.
    {"net.ipv6.conf.$if.keep_addr_on_down", "1", "addrconf_ifdown, net/ipv6/addrconf.c"},
    {"net.ipv4.conf.$if.arp_evict_nocarrier", "0", "arp_netdev_event, net/ipv4/arp.c"},
    {"net.ipv6.conf.$if.ndisc_evict_nocarrier", "0", "ndisc_netdev_event, net/ipv6/ndisc.c"},
    // IPv6 that starts uses the values of that moment: addresses, router solicitations, DAD.
    {"net.ipv6.conf.$if.disable_ipv6", "!0", "addrconf_notify, net/ipv6/addrconf.c"},
};

/// IN_DEV_* in include/linux/inetdevice.h; for IPv6 each use of devconf_all in net/ipv6. The same
/// in 6.1 and 6.12. Keys that are not here count alone, or are followed by a side effect.
constexpr Join kJoins[] = {
    {"net.ipv4.conf", Joined::larger, "rp_filter arp_accept arp_announce arp_ignore arp_notify"},
    {"net.ipv4.conf", Joined::either,
     "accept_local arp_filter disable_policy disable_xfrm drop_gratuitous_arp "
     "drop_unicast_in_l2_multicast ignore_routes_with_linkdown log_martians promote_secondaries "
     "proxy_arp proxy_arp_pvlan route_localnet secure_redirects send_redirects shared_media "
     "src_valid_mark"},
    {"net.ipv4.conf", Joined::both,
     "accept_source_route arp_evict_nocarrier bc_forwarding bootp_relay mc_forwarding"},
    {"net.ipv4.conf", Joined::redirects, "accept_redirects"},
    {"net.ipv4.conf", Joined::own,
     "igmpv2_unsolicited_report_interval igmpv3_unsolicited_report_interval medium_id tag"},
    {"net.ipv6.conf", Joined::larger, "accept_dad"},
    {"net.ipv6.conf", Joined::smaller, "accept_source_route rpl_seg_enabled seg6_enabled"},
    {"net.ipv6.conf", Joined::either,
     "disable_policy ndisc_notify optimistic_dad proxy_ndp use_optimistic"},
    {"net.ipv6.conf", Joined::both, "ndisc_evict_nocarrier"},
    {"net.ipv6.conf", Joined::all, "force_mld_version keep_addr_on_down"},
    {"net.ipv6.conf", Joined::own,
     "accept_ra accept_ra_defrtr accept_ra_from_local accept_ra_min_hop_limit accept_ra_min_lft "
     "accept_ra_mtu accept_ra_pinfo accept_ra_rt_info_max_plen accept_ra_rt_info_min_plen "
     "accept_ra_rtr_pref accept_redirects accept_untracked_na autoconf dad_transmits "
     "drop_unicast_in_l2_multicast drop_unsolicited_na force_tllao max_addresses "
     "max_desync_factor mldv1_unsolicited_report_interval mldv2_unsolicited_report_interval mtu "
     "ndisc_tclass ra_defrtr_metric ra_honor_pio_life ra_honor_pio_pflag regen_max_retry "
     "regen_min_advance router_probe_interval router_solicitation_delay "
     "router_solicitation_interval router_solicitation_max_interval router_solicitations "
     "seg6_require_hmac suppress_frag_ndisc temp_prefered_lft temp_valid_lft use_oif_addrs_only "
     "use_tempaddr"},
};

/// ipv6_accept_ra in include/net/ipv6.h, rt6_do_redirect in net/ipv6/route.c.
constexpr Moot kMoots[] = {
    {"net.ipv6.conf.$dev.accept_ra", "1", "net.ipv6.conf.$dev.forwarding"},
    {"net.ipv6.conf.$dev.accept_redirects", "!0", "net.ipv6.conf.$dev.forwarding"},
};

constexpr Offer kOffers[] = {
    // tcp_ca_find_autoload, net/ipv4/tcp_cong.c.
    {"net.ipv4.tcp_congestion_control", "net.ipv4.tcp_available_congestion_control", "tcp_"},
    {"net.ipv4.tcp_allowed_congestion_control", "net.ipv4.tcp_available_congestion_control", ""},
    // qdisc_set_default and pktsched_init, net/sched/sch_api.c.
    {"net.core.default_qdisc", "", "sch_", common::kBuiltInQdiscs},
    // mptcp_set_scheduler and mptcp_set_path_manager, net/mptcp/ctrl.c.
    {"net.mptcp.scheduler", "net.mptcp.available_schedulers", ""},
    {"net.mptcp.path_manager", "net.mptcp.available_path_managers", ""},
};

struct KeyForm {
  std::string_view key;
  Form form;
};
constexpr KeyForm kForms[] = {
    {"net.ipv4.ip_local_reserved_ports", Form::ranges},           // net/ipv4/sysctl_net_ipv4.c
    {"net.ipv4.tcp_allowed_congestion_control", Form::word_set},  // order of tcp_cong_list
    {"net.ipv4.tcp_available_congestion_control", Form::word_set},
    {"kernel.watchdog_cpumask", Form::ranges},       // kernel/watchdog.c
    {"net.core.rps_default_mask", Form::mask},       // net/core/sysctl_net_core.c
    {"net.core.flow_limit_cpu_bitmap", Form::mask},  // net/core/sysctl_net_core.c
};

struct KeyModule {
  std::string_view pattern;  ///< for glob_match()
  std::string_view module;
};
/// First match wins. Module names as in /sys/module.
constexpr KeyModule kModules[] = {
    {"net.netfilter.nf_conntrack_*", "nf_conntrack"},
    {"net.nf_conntrack_max", "nf_conntrack"},
    {"net.netfilter.nf_flowtable_*", "nf_conntrack"},
    {"net.bridge.*", "br_netfilter"},
    {"net.ipv4.vs.*", "ip_vs"},
    {"net.rds.tcp.*", "rds_tcp"},
    {"net.rds.ib.*", "rds_rdma"},
    {"net.rds.*", "rds"},
    {"net.sctp.*", "sctp"},
    {"net.smc.*", "smc"},
    {"net.tipc.*", "tipc"},
    {"net.mpls.*", "mpls_router"},
    {"net.iw_cm.*", "iw_cm"},
    {"net.rdma_ucm.*", "rdma_ucm"},
    {"sunrpc.*", "sunrpc"},
    {"fs.nfs.nlm_*", "lockd"},
    {"fs.nfs.nsm_*", "lockd"},
    {"fs.nfs.nfs_callback_tcpport", "nfsv4"},
    {"fs.nfs.idmap_cache_timeout", "nfsv4"},
    {"fs.nfs.*", "nfs"},
    {"fs.xfs.*", "xfs"},
    {"dev.cdrom.*", "cdrom"},
    {"dev.raid.*", "md_mod"},
};

/// A pair of an amount and a ratio.
constexpr std::string_view kRivals[][2] = {
    {"vm.dirty_bytes", "vm.dirty_ratio"},
    {"vm.dirty_background_bytes", "vm.dirty_background_ratio"},
    {"vm.overcommit_kbytes", "vm.overcommit_ratio"},
};

bool is_interface(std::string_view name) { return name != "all" && name != "default"; }

/// Takes the text up to the next '.', and the dot.
std::string_view next_name(std::string_view& rest) {
  const std::size_t dot = rest.find('.');
  const std::string_view name = rest.substr(0, dot);
  rest = dot == rest.npos ? std::string_view() : rest.substr(dot + 1);
  return name;
}

}  // namespace

std::span<const SideEffect> side_effects() { return kSideEffects; }
std::span<const Caution> cautions() { return kCautions; }
std::span<const Exposure> exposures() { return kExposures; }
std::span<const Protection> protections() { return kProtections; }
std::span<const Join> joins() { return kJoins; }
std::span<const Moot> moots() { return kMoots; }

bool fits(std::string_view value, std::string_view row) {
  return row.empty() || (row == "!0" ? value != "0" : value == row);
}

std::optional<bool> protects(std::string_view key, std::string_view value) {
  for (const Protection& row : kProtections)
    if (match(row.key, key)) return fits(value, row.value);
  return std::nullopt;
}

const Offer* offer_of(std::string_view key) {
  const auto* const found = std::ranges::find(kOffers, key, &Offer::key);
  return found == std::end(kOffers) ? nullptr : found;
}

Form form_of(std::string_view key) {
  for (const KeyForm& row : kForms) {
    if (row.key == key) return row.form;
  }
  return Form::plain;
}

std::string_view module_of(std::string_view key) {
  for (const KeyModule& row : kModules) {
    if (glob_match(row.pattern, key)) return row.module;
  }
  return {};
}

std::string_view list_of(std::string_view key) {
  constexpr std::array<std::array<std::string_view, 2>, 5> kLists = {{
      {"net.ipv4.tcp_congestion_control", "net.ipv4.tcp_available_congestion_control"},
      {"net.ipv4.tcp_allowed_congestion_control", "net.ipv4.tcp_available_congestion_control"},
      {"net.mptcp.scheduler", "net.mptcp.available_schedulers"},
      {"net.mptcp.path_manager", "net.mptcp.available_path_managers"},
      {"kernel.seccomp.actions_logged", "kernel.seccomp.actions_avail"},
  }};
  for (const auto& row : kLists)
    if (row[0] == key) return row[1];
  return {};
}

std::string_view rival_of(std::string_view key) {
  for (const auto& pair : kRivals) {
    if (pair[0] == key) return pair[1];
    if (pair[1] == key) return pair[0];
  }
  return {};
}

std::string_view ratio_of(std::string_view key) {
  for (const auto& pair : kRivals) {
    if (pair[0] == key) return pair[1];
  }
  return {};
}

std::vector<std::pair<const SideEffect*, Captures>> side_effects_of(std::string_view key) {
  std::vector<std::pair<const SideEffect*, Captures>> found;
  for (const SideEffect& row : kSideEffects) {
    auto captures = match(row.key, key);
    if (!captures) continue;
    const auto name = captures->find("$key");
    const bool excepted =
        name != captures->end() && std::ranges::count(words(row.except), name->second) != 0;
    if (!excepted) found.emplace_back(&row, std::move(*captures));
  }
  return found;
}

std::optional<Captures> match(std::string_view pattern, std::string_view key) {
  Captures captures;
  while (!pattern.empty() && !key.empty()) {
    const std::string_view wanted = next_name(pattern);
    const std::string_view name = next_name(key);
    if (!wanted.starts_with('$')) {
      if (wanted != name) return std::nullopt;
    } else if (wanted == "$dev" && !is_interface(name)) {
      return std::nullopt;
    } else {
      captures.emplace(wanted, name);
    }
  }
  if (!pattern.empty() || !key.empty()) return std::nullopt;
  return captures;
}

}  // namespace nettune::kinds::sysctl
