// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "node/context.hpp"
#include "tools/doctor/program/graph.hpp"

namespace nettune::tools::doctor::program {

/// What this node's ports have besides: whether the layers of lossless ones agree, as `nettune
/// check` judges them, and the switches that they hear within `listen_s` (0: nobody listens). Why
/// something is not known is a note.
PortReport report_ports(node::Context& context, const doctor::Machine& machine,
                        std::int64_t listen_s);

}  // namespace nettune::tools::doctor::program
