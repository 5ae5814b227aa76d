// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <linux/dcbnl.h>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "kernel/netlink.hpp"

namespace nettune::kernel {

/// What DCB_CMD_IEEE_GET says of an interface: what its driver has no operation for, or cannot tell
/// now, is not there. The DCBX mode stands in the same answer (dcbnl_ieee_fill,
/// net/dcb/dcbnl.c, 6.1 and 6.12), so that no DCB_CMD_GDCBX is needed.
struct Dcb {
  std::optional<ieee_ets> ets;
  std::optional<ieee_pfc> pfc;
  std::optional<ieee_maxrate> maxrate;
  std::optional<dcbnl_buffer> buffer;
  std::optional<std::uint8_t> dcbx;  ///< DCB_CAP_DCBX_*
  std::vector<dcb_app> apps;         ///< the kernel's table for this interface
};

struct AddApp {
  dcb_app entry;
};
struct DeleteApp {
  dcb_app entry;
};
struct SetDcbx {
  std::uint8_t mode = 0;  ///< DCB_CAP_DCBX_*
};

/// What one message sets: one attribute, or one entry. dcbnl_ieee_set() stops at the first thing
/// that fails and takes nothing back, so that of several in one message nobody could say which were
/// taken; and a driver that answers a positive number (ice) ends it there as well.
using DcbSet =
    std::variant<ieee_ets, ieee_pfc, ieee_maxrate, dcbnl_buffer, AddApp, DeleteApp, SetDcbx>;

/// Reads all of these interfaces, one message each, in order. Needs no privilege. Of each:
/// Errc::not_found when there is no such interface in this network namespace, Errc::unsupported
/// when its driver has no DCB operations, or the kernel was built without DCB.
std::vector<Result<Dcb>> get_dcb(std::span<const std::string> interfaces);

/// Sends one SET. Needs CAP_NET_ADMIN in the initial user namespace (dcb_doit). Success says only
/// that the driver did not refuse: a missing operation is skipped and called a success, so that
/// reading back decides. The value is what the driver answered: 0, or a positive number of its own.
/// DCB speaks of interfaces by name alone: one that is renamed just before may be another.
Result<int> set_dcb(const std::string& interface, const DcbSet& set);

/// The payload of an answer to DCB_CMD_IEEE_GET.
Dcb parse_dcb(Bytes payload);
/// The result in an answer to a SET: one byte that stands for 0, a negative errno or a positive
/// number. The driver's int is cut to it: -ENOTSUPP (524) arrives as -12. Nothing without it.
std::optional<int> parse_dcb_result(Bytes payload, std::uint16_t attribute);

}  // namespace nettune::kernel
