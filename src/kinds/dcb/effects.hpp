// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/provider.hpp"
#include "kernel/dcbnl.hpp"
#include "kinds/dcb/driver_quirks.hpp"
#include "kinds/dcb/values.hpp"

namespace nettune::providers {

/// What a write to a DCB setting does beside it, on an interface that is as `now` says. Whether
/// this process may write it is not looked at.
Effects dcb_effects(const kernel::Dcb& now, const DriverQuirks& quirks, const DcbTarget& target,
                    const Value& before, const Value& after);

}  // namespace nettune::providers
