// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/provider.hpp"
#include "kernel/dcbnl.hpp"
#include "kinds/dcb/driver_quirks.hpp"
#include "kinds/dcb/values.hpp"

namespace nettune::kinds::dcb {

/// The side effects of a write to a DCB setting, on an interface in the state `now`. Permissions
/// are not checked.
Effects dcb_effects(const kernel::Dcb& now, const DriverQuirks& quirks, const DcbTarget& target,
                    const Value& before, const Value& after);

}  // namespace nettune::kinds::dcb
