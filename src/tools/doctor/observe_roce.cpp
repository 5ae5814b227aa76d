// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kRoceGid = observable("roce.gid");
const Observable kRoceMtu = observable("roce.mtu");

using facts::Gid;
using facts::RdmaPort;

bool is_link_local_gid(const std::string& gid) { return gid.starts_with("fe80:"); }

std::string listed(const std::vector<Gid>& gids) {
  std::vector<std::string> parts;
  for (const Gid& gid : gids) parts.push_back(cat(gid.index, ": ", gid.gid, " (", gid.type, ")"));
  constexpr std::size_t kShown = 4;
  const bool more = parts.size() > kShown;
  if (more) parts.resize(kShown);
  return cat(join(parts, ", "), more ? ", ..." : "");
}

bool is_routable(const Gid& gid) { return gid.type == "RoCE v2" && !is_link_local_gid(gid.gid); }

/// True if another card model has addresses, and no card of this model has: it is not meant for the
/// fabric.
bool is_not_in_use(const Machine& machine, const facts::RdmaDevice& device) {
  bool any = false;
  for (const facts::RdmaDevice& other : machine.facts.rdma)
    for (const RdmaPort& port : other.ports)
      for (const Gid& gid : port.gids) {
        if (!is_routable(gid)) continue;
        if (other.pci_id == device.pci_id) return false;
        any = true;
      }
  return any;
}

/// Looks for a GID of RoCE v2 with a routable address: IPv4, or a global IPv6 one.
void observe_gids(const Machine& machine, const facts::RdmaDevice& device, const RdmaPort& port,
                  const std::string& name, Sightings& out) {
  facts::Observation* seen = nullptr;
  bool any_untyped = false;
  bool any_v2 = false;
  const Gid* good = nullptr;
  for (const Gid& gid : port.gids) {
    any_untyped = any_untyped || (gid.type.empty() && !is_link_local_gid(gid.gid));
    if (gid.type != "RoCE v2") continue;
    any_v2 = true;
    if (!good && is_routable(gid)) good = &gid;
  }
  if (good)
    seen = &out.add(kRoceGid, name, "routable",
                    cat("GID ", good->index, " is ", good->gid, " (RoCE v2)"));
  else if (!port.gids_listed)
    seen = &out.gap(kRoceGid, name, unknown("its GID table was not read whole"));
  else if (port.gids.empty())
    seen = &out.add(kRoceGid, name, "none", "its GID table is empty");
  else if (any_untyped)
    seen = &out.gap(kRoceGid, name, unknown("the types of its GIDs could not be read"));
  else if (is_not_in_use(machine, device))
    seen = &out.gap(kRoceGid, name,
                    not_applicable("it has no address, and neither has any similar card"));
  else
    seen = &out.add(kRoceGid, name, any_v2 ? "link-local" : "v1",
                    cat("its GIDs are ", listed(port.gids)));
  seen->concerns = {device.name, port.netdev};
}

/// iboe_get_mtu() of include/rdma/ib_addr.h: the largest IB MTU that fits with all headers.
int roce_mtu(int mtu) {
  constexpr int kHeaders = 96;
  for (const int size : {4096, 2048, 1024, 512, 256})
    if (mtu - kHeaders >= size) return size;
  return 0;
}

void observe_mtu(const Machine& machine, const facts::RdmaDevice& device, const RdmaPort& port,
                 const std::string& name, Sightings& out) {
  const PortState* const state = find_port(machine, device.name, port.number);
  const facts::NetDevice* const net = machine.facts.find_net(port.netdev);
  facts::Observation* seen = nullptr;
  if (state && state->active_mtu)
    seen = &out.add(kRoceMtu, name, std::to_string(*state->active_mtu),
                    cat("its active MTU is ", *state->active_mtu,
                        net && net->mtu ? cat(", as ", net->name, " has MTU ", *net->mtu) : ""));
  else if (net && net->mtu)
    seen = &out.add(kRoceMtu, name, std::to_string(roce_mtu(*net->mtu)),
                    cat("with the MTU ", *net->mtu, " of ", net->name, " its RoCE MTU is ",
                        roce_mtu(*net->mtu)));
  else
    seen = &out.gap(kRoceMtu, name, unknown("neither its active MTU nor its interface is known"));
  seen->concerns = {device.name, port.netdev};
}

}  // namespace

void observe_roce(const Machine& machine, Sightings& out) {
  bool any = false;
  for (const facts::RdmaDevice& device : machine.facts.rdma) {
    // A software device is used only on request, so it may have no address.
    if (device.pci_address.empty() && device.pci_id.empty()) continue;
    for (const RdmaPort& port : device.ports) {
      if (port.link_layer != "Ethernet") continue;
      any = true;
      const std::string name = cat(device.name, "/", port.number);
      if (port.state != "ACTIVE") {
        for (const Observable& what : {kRoceGid, kRoceMtu})
          out.gap(what, name, not_applicable("the port is not active"));
        continue;
      }
      observe_gids(machine, device, port, name, out);
      observe_mtu(machine, device, port, name, out);
    }
  }
  if (!any)
    for (const Observable& what : {kRoceGid, kRoceMtu})
      out.gap(what, "", gap_without_rdma(machine));
}

}  // namespace nettune::tools::doctor
