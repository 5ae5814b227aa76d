// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "measure/cli/mesh.hpp"

namespace nettune::measure {

/// A rank of a mesh itself: its node, the port that others measure with, and its address.
struct MeshSelf {
  NodeView view;
  End end;
  SocketAddress address;
};
/// `towards_master` is the local address on the route to rank 0.
Result<MeshSelf> mesh_self(cli::Context& context, const MeshRequest& request,
                           const SocketAddress& towards_master);
Result<PortRange> mesh_ports(const MeshRequest& request, const NodeView& view);

/// The order to measure for a rank, and its result, as JSON.
nlohmann::ordered_json pair_order(const MeasureRequest& request, const std::string& address,
                                  std::uint16_t port, const NodeView& theirs, const End& end);
nlohmann::ordered_json measure_pair(const MeshSelf& self, const Tokens& tokens,
                                    const nlohmann::ordered_json& order,
                                    const Cancelled& cancelled);

}  // namespace nettune::measure
