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
  std::uint32_t handle = 0;  ///< 0: the kernel attached it itself
  std::uint32_t parent = 0;  ///< TC_H_ROOT, or the class of its parent
  std::string kind;
};

/// Parses the payload of RTM_NEWQDISC; nothing if the fixed header is cut off. Pure.
std::optional<Qdisc> parse_qdisc(Bytes payload);

/// All queueing disciplines of this network namespace, from one dump. Devices that were never up
/// have none in it. Needs no privilege.
Result<std::vector<Qdisc>> dump_qdiscs();

/// `tc qdisc replace` without parameters; the kernel loads the module if needed. Needs
/// CAP_NET_ADMIN. The error has the kernel's errno and text.
Result<> replace_qdisc(int ifindex, std::uint32_t parent, const std::string& kind);
/// `tc qdisc del root`: the kernel attaches its default instead. Not for handle 0.
Result<> delete_root_qdisc(int ifindex);

}  // namespace nettune::kernel
