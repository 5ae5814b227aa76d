// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "kernel/netlink.hpp"

namespace nettune::kernel {

/// One entry of an RTM_GETQDISC dump: a queueing discipline, the root of its device or below one.
struct Qdisc {
  int ifindex = 0;
  std::uint32_t handle = 0;  ///< 0: the kernel attached it by itself
  std::uint32_t parent = 0;  ///< TC_H_ROOT, or the class of another that it hangs on
  std::string kind;
};

/// From the payload of RTM_NEWQDISC; nothing when the fixed header is cut off. Pure.
std::optional<Qdisc> parse_qdisc(Bytes payload);

/// All of this network namespace, from one dump. Devices that were never up have none in it. Needs
/// no privilege.
Result<std::vector<Qdisc>> dump_qdiscs();

/// `tc qdisc replace` with no parameters; the kernel loads the module where it has one. Needs
/// CAP_NET_ADMIN. The error carries the kernel's errno and text.
Result<> replace_qdisc(int ifindex, std::uint32_t parent, const std::string& kind);
/// `tc qdisc del root`: the kernel attaches its default in its place. Not for handle 0.
Result<> delete_root_qdisc(int ifindex);

}  // namespace nettune::kernel
