// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/rdma_ends.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>

#include "base/text.hpp"
#include "tools/measure/paths.hpp"

namespace nettune::tools::measure::program {
namespace {

constexpr std::string_view kInfiniBand = "InfiniBand";
constexpr std::string_view kRoceV2 = "RoCE v2";

using Raw = std::array<unsigned char, 16>;

/// Parses a GID, or an address in the form of RoCE: IPv4 is mapped into IPv6.
std::optional<Raw> raw_gid(const std::string& text) {
  Raw out{};
  const std::string mapped = text.find(':') == std::string::npos ? "::ffff:" + text : text;
  if (::inet_pton(AF_INET6, mapped.c_str(), out.data()) != 1) return {};
  return out;
}

RdmaEnd port_end(const facts::RdmaDevice& device, const facts::RdmaPort& port) {
  RdmaEnd out;
  out.device = device.name;
  out.port = port.number;
  out.infiniband = port.link_layer == kInfiniBand;
  out.state = port.state;
  if (!device.pci_address.empty()) out.rate = port.rate;
  return out;
}

void take_gid(RdmaEnd& into, const facts::Gid& gid) {
  into.gid = gid.gid;
  into.gid_index = gid.index;
}

}  // namespace

std::optional<RdmaEnd> rdma_of(const facts::Facts& facts, const facts::NetDevice& device,
                               const std::string& address) {
  const auto wanted = raw_gid(std::string(without_prefix(address)));
  // The GIDs of a VLAN belong to the port of its parent.
  for (const facts::RdmaDevice& one : facts.rdma)
    for (const facts::RdmaPort& port : one.ports)
      for (const facts::Gid& gid : port.gids)
        if (wanted && gid.type == kRoceV2 && (gid.netdev == device.name || gid.netdev.empty()) &&
            raw_gid(gid.gid) == wanted) {
          RdmaEnd out = port_end(one, port);
          take_gid(out, gid);
          return out;
        }
  const auto ports = facts.rdma_ports_of(device.name);
  if (ports.empty()) return {};
  RdmaEnd out = port_end(*ports[0].device, *ports[0].port);
  if (out.infiniband && !ports[0].port->gids.empty()) take_gid(out, ports[0].port->gids[0]);
  return out;
}

std::vector<End> infiniband_ends(const facts::Facts& facts) {
  std::vector<End> out;
  for (const facts::RdmaDevice& device : facts.rdma)
    for (const facts::RdmaPort& port : device.ports) {
      if (port.link_layer != kInfiniBand || port.state != "ACTIVE" || port.gids.empty()) continue;
      const facts::NetDevice* const net = facts.find_net(port.netdev);
      if (net != nullptr && !net->addresses.empty()) continue;
      End end;
      end.host = facts.node.hostname;
      end.pci_address = device.pci_address;
      end.numa_node = device.numa_node;
      end.rdma = port_end(device, port);
      take_gid(*end.rdma, port.gids[0]);
      out.push_back(std::move(end));
    }
  return out;
}

void mark_packets(const facts::Facts& facts, End& end, const std::string& name,
                  const std::string& value) {
  const auto number = parse_int(value);
  if (!end.rdma || !number) return;
  if (name == "NCCL_IB_TC" && *number >= 0 && *number <= 255)
    end.rdma->traffic_class = static_cast<int>(*number);
  if (name == "NCCL_IB_SL" && *number >= 0 && *number <= 15)
    end.rdma->service_level = static_cast<int>(*number);
  if (name != "NCCL_IB_GID_INDEX") return;
  for (const facts::RdmaDevice& device : facts.rdma)
    for (const facts::RdmaPort& port : device.ports)
      for (const facts::Gid& gid : port.gids)
        if (device.name == end.rdma->device && port.number == end.rdma->port &&
            gid.index == *number)
          take_gid(*end.rdma, gid);
}

}  // namespace nettune::tools::measure::program
