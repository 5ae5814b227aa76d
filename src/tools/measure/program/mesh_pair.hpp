// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tools/measure/program/mesh.hpp"
#include "tools/measure/paths.hpp"

namespace nettune::measure {

/// A rank of a mesh itself: its node, the port that others measure with, and its address.
struct MeshSelf {
  NodeView view;
  End end;
  SocketAddress address;
};
/// `towards_master` is the local address that leads to rank 0.
Result<MeshSelf> mesh_self(cli::Context& context, const SocketAddress& towards_master);
Result<PortRange> mesh_ports(const MeshRequest& request, const NodeView& view);

/// What a rank is told to measure, and what came of it, as JSON. The port is that of `theirs`.
nlohmann::ordered_json pair_order(const MeasureRequest& request, const EndPair& ends,
                                  std::uint16_t port, const NodeView& theirs);
nlohmann::ordered_json measure_pair(const MeshSelf& self, const Tokens& tokens,
                                    const nlohmann::ordered_json& order,
                                    const Cancelled& cancelled);

}  // namespace nettune::measure
