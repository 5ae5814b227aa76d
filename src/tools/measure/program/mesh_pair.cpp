// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/mesh_pair.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "tools/measure/net/wire.hpp"

namespace nettune::tools::measure::program {

Result<MeshSelf> mesh_self(node::Context& context, const net::SocketAddress& towards_master) {
  MeshSelf self;
  TRY_ASSIGN(self.view, view_of_this_node(context, true));
  self.address = towards_master;
  const std::string address = towards_master.host();
  for (const End& end : self.view.ends)
    if (without_prefix(end.address) == address) self.end = end;
  if (self.end.address.empty()) {
    self.end.host = self.view.host;
    self.end.address = address;
  }
  return self;
}

Result<net::PortRange> mesh_ports(const MeshRequest& request, const NodeView& view) {
  if (request.ports.empty()) return view.ports;
  return net::parse_port_range(request.ports);
}

nlohmann::ordered_json pair_order(const MeasureRequest& request, const EndPair& ends,
                                  std::uint16_t port, const NodeView& theirs) {
  NodeView brief = theirs;
  brief.ends = {ends.theirs};
  net::wire::Json order = {{"do", "pair"},
                           {"from", without_prefix(ends.ours.address)},
                           {"address", without_prefix(ends.theirs.address)},
                           {"port", port},
                           {"streams", request.plan.streams},
                           {"warm_s", request.plan.warm_s},
                           {"measure_s", request.plan.measure_s},
                           {"bytes", request.plan.bytes},
                           {"round_trips", request.round_trips},
                           {"rdma", request.rdma}};
  order["view"] = net::wire::Json::parse(to_json(brief));
  return order;
}

namespace {

/// What the cards should carry. Too small a buffer makes a pair slow, and a node that has one is
/// found.
double expected_of(const Measurement& one) {
  if (one.rdma) return one.ceiling->gbps;
  std::string why;
  const bool ipv6 = one.from.end.address.find(':') != std::string::npos;
  const auto ceiling =
      tcp_ceiling(one.from.end, one.to.end, static_cast<int>(one.streams), 0, ipv6, why);
  return ceiling.value_or(*one.ceiling).gbps;
}

}  // namespace

nlohmann::ordered_json measure_pair(const MeshSelf& self, const net::Tokens& tokens,
                                    const nlohmann::ordered_json& order,
                                    const net::Cancelled& cancelled) {
  MeasureRequest request;
  request.plan.streams = net::wire::count(order, "streams");
  request.plan.warm_s = net::wire::number(order, "warm_s");
  request.plan.measure_s = net::wire::number(order, "measure_s");
  request.plan.bytes = net::wire::count(order, "bytes");
  request.round_trips = std::min<std::size_t>(net::wire::count(order, "round_trips"), 1'000'000);
  request.with_mtu = false;
  request.rdma = net::wire::flag(order, "rdma");
  request.tcp = !request.rdma;
  const NodeView theirs = view_from(order.value("view", net::wire::Json::object()));
  net::wire::Json answer = {{"lines", net::wire::Json::array()}};
  const auto address =
      net::numeric_address(net::wire::text(order, "address"),
                           static_cast<std::uint16_t>(net::wire::count(order, "port")));
  const std::string from = net::wire::text(order, "from");
  const auto own_address = net::numeric_address(from, 0);
  if (!address || !own_address || theirs.ends.empty()) {
    answer["error"] = "the order contains no address";
    return answer;
  }
  End own = self.end;
  for (const End& end : self.view.ends)
    if (without_prefix(end.address) == from) own = end;
  const bool on_link =
      self.view.identity != theirs.identity && share_a_network(own.address, theirs.ends[0].address);
  const Path path{{own, theirs.ends[0]},
                  {*address, *own_address, tokens, on_link ? own.interface : ""}};
  std::optional<Measurement> slower;
  std::string error;
  measure_path(
      path, self.view, theirs, request, cancelled, [](const std::string&) {},
      [&](const Measurement& one) {
        answer["lines"].push_back(measure::json_line(one));
        if (one.error && error.empty()) error = one.error->text;
        if (one.error || one.what != Measurement::What::bandwidth) return;
        if (!slower || one.gbps < slower->gbps) slower = one;
      });
  if (!error.empty()) answer["error"] = error;
  if (!error.empty() || !slower) return answer;
  answer["gbps"] = slower->gbps;
  if (slower->ceiling && (has_rate(own, request.rdma) || has_rate(theirs.ends[0], request.rdma)))
    answer["ceiling"] = expected_of(*slower);
  return answer;
}

}  // namespace nettune::tools::measure::program
