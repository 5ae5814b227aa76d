// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/provider.hpp"
#include "kernel/dcbnl.hpp"
#include "kinds/dcb/driver_quirks.hpp"

namespace nettune::providers {

/// One SET, and what it is for: "dcb:eth1:pfc to 3".
struct DcbMessage {
  kernel::DcbSet set;
  std::string what;
};

/// The messages that bring an interface from `now` to what one unit asks for, in order; none when
/// it is there. What a message also carries goes out as it was read. An APP entry is a message of
/// its own, so that an error names it. Errc::invalid for what the driver would ignore without a
/// word.
Result<std::vector<DcbMessage>> dcb_messages(const kernel::Dcb& now, const DriverQuirks& quirks,
                                             std::span<const Write> unit);

/// What may be behind a refused SET (EINVAL says nothing), as a sentence; "" where nothing is
/// known.
std::string dcb_hint(const kernel::Dcb& now, const DriverQuirks& quirks, const DcbMessage& message);

}  // namespace nettune::providers
