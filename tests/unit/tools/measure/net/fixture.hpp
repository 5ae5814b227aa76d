// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/measure/net/streams.hpp"

namespace nettune::tools::measure::net {

inline const Cancelled kNever = [] { return false; };

}  // namespace nettune::tools::measure::net
