// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tools/measure/paths.hpp"
#include "tools/measure/program/mesh.hpp"

namespace nettune::tools::measure::program {

/// A rank of a mesh itself: its node, the port that others measure with, and its address.
struct MeshSelf {
  NodeView view;
  End end;
  net::SocketAddress address;
};
/// `towards_master` is the local address that leads to rank 0.
Result<MeshSelf> mesh_self(node::Context& context, const net::SocketAddress& towards_master);
Result<net::PortRange> mesh_ports(const MeshRequest& request, const NodeView& view);

/// What a rank is told to measure, and what came of it, as JSON. The port is that of `theirs`.
nlohmann::ordered_json pair_order(const MeasureRequest& request, const EndPair& ends,
                                  std::uint16_t port, const NodeView& theirs);
nlohmann::ordered_json measure_pair(const MeshSelf& self, const net::Tokens& tokens,
                                    const nlohmann::ordered_json& order,
                                    const net::Cancelled& cancelled);

}  // namespace nettune::tools::measure::program
