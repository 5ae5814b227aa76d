// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "kernel/rtnl.hpp"

namespace nettune::kernel {

/// A network namespace.
struct NetNamespace {
  std::uint64_t inode = 0;  ///< 4026532841 of net:[4026532841]
  std::string path;         ///< what holds it: "/proc/812/ns/net"
  std::string user;         ///< who is in it: "docker container 3f2a1b0c4d5e (nginx)"
};

struct NetNamespaces {
  NetNamespace own;
  std::vector<NetNamespace> others;
  std::string unseen;  ///< why there may be more; "" if these are all
};

/// The namespace of this process, and all others that a process, a thread, a mount or an open file
/// holds. Only reads /proc. A namespace that nothing but a socket holds is in none of these.
NetNamespaces find_net_namespaces();

/// The container or service that a process is in, by its /proc/PID/cgroup; "" for none.
std::string container_of(std::string_view cgroup);

/// Runs `work` on a thread of its own in that namespace. Needs CAP_SYS_ADMIN. Errc::not_found if
/// the namespace has ended.
Result<> in_net_namespace(const NetNamespace& there, const std::function<Result<>()>& work);

// These ask the network namespace of the calling thread.

/// The numbers that it has for other namespaces (as `ip netns list-id`).
Result<std::vector<int>> known_nsids();
/// Its numbers for these namespaces; nothing for one without a number. It gives out none:
/// rtnl_net_getid(), net/core/net_namespace.c (6.1).
Result<std::vector<std::optional<int>>> nsids_of(std::span<const NetNamespace> namespaces);
/// Its links that stand on others or follow their members: VLANs, macvlans, bridges, bonds and the
/// like. A dump of all links would give out numbers: each link whose other end is in a namespace
/// without one (veth) gets it one, rtnl_fill_link_netnsid(), net/core/rtnetlink.c (6.1). The kernel
/// numbered the lower namespaces of these links when they were made or moved.
Result<std::vector<Link>> stacked_links();
/// Nothing if the link does not exist.
Result<std::optional<Link>> read_link_at(int ifindex);

}  // namespace nettune::kernel
