// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/provider.hpp"
#include "kernel/dcbnl.hpp"
#include "kinds/dcb/driver_quirks.hpp"

namespace nettune::kinds::dcb {

/// One SET, and its purpose: "dcb:eth1:pfc to 3".
struct DcbMessage {
  kernel::DcbSet set;
  std::string what;
};

/// The messages that bring an interface from `now` to what one unit wants, in order; none if it is
/// already there. Other values in a message are sent as they were read. An APP entry is a message
/// of its own, so that an error names it. Errc::invalid for what the driver would silently ignore.
Result<std::vector<DcbMessage>> dcb_messages(const kernel::Dcb& now, const DriverQuirks& quirks,
                                             std::span<const Write> unit);

/// The likely reason of a refused SET (EINVAL says nothing), as a sentence; "" if unknown.
std::string dcb_hint(const kernel::Dcb& now, const DriverQuirks& quirks, const DcbMessage& message);

}  // namespace nettune::kinds::dcb
