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

/// The answer of DCB_CMD_IEEE_GET for an interface: values that the driver does not support or
/// report now are absent. The DCBX mode is in the same answer (dcbnl_ieee_fill, net/dcb/dcbnl.c,
/// 6.1 and 6.12), so no DCB_CMD_GDCBX is needed.
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

/// The content of one SET message: one attribute, or one entry. dcbnl_ieee_set() stops at the first
/// failure and reverts nothing, so with several in one message the result would be unknown; a
/// positive answer of a driver (ice) also ends it there.
using DcbSet =
    std::variant<ieee_ets, ieee_pfc, ieee_maxrate, dcbnl_buffer, AddApp, DeleteApp, SetDcbx>;

/// Reads all of these interfaces, one message each, in order. Needs no privilege. For each:
/// Errc::not_found if there is no such interface in this network namespace, Errc::unsupported if
/// its driver has no DCB operations or the kernel no DCB.
std::vector<Result<Dcb>> get_dcb(std::span<const std::string> interfaces);

/// Sends one SET. Needs CAP_NET_ADMIN in the initial user namespace (dcb_doit). Success only means
/// that the driver did not refuse: a missing operation is skipped and reported as a success, so
/// only a read-back decides. The value is the driver's answer: 0, or a positive number of its own.
/// DCB addresses interfaces by name only: after a rename the name may be another one's.
Result<int> set_dcb(const std::string& interface, const DcbSet& set);

/// Parses the payload of an answer to DCB_CMD_IEEE_GET.
Dcb parse_dcb(Bytes payload);
/// The result in an answer to a SET: one byte for 0, a negative errno or a positive number. The
/// driver's int is truncated to it: -ENOTSUPP (524) arrives as -12. Nothing if it is missing.
std::optional<int> parse_dcb_result(Bytes payload, std::uint16_t attribute);

}  // namespace nettune::kernel
