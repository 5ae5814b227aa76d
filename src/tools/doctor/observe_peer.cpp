// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kPeerGidIndex = observable("peer.gid-index", "equal|looked-for|mixed|none");
const Observable kPeerName = observable("peer.name");
const Observable kPeerPathMtu = observable("peer.path-mtu", "whole|smaller|none");
const Observable kPeerPort = observable("peer.port", "reachable|refused|dropped|no route");

void observe_path(const Peer::Path& path, Sightings& out) {
  const std::string way =
      path.to_peer ? cat(path.ours, " to ", path.theirs) : cat(path.theirs, " to ", path.ours);
  if (!path.carries) {
    out.gap(kPeerPathMtu, way, path.carries.gap);
    return;
  }
  const int size = *path.carries;
  out.add(kPeerPathMtu, way,
          size == 0         ? "none"
          : size < path.mtu ? "smaller"
                            : "whole",
          size == 0 ? cat("no UDP packet arrives")
                    : cat("packets of ", size, " bytes arrive, and both interfaces have an MTU of ",
                          path.mtu, " or more"))
      .sureness = facts::Sureness::measured;
}

void observe_name(const Peer::Name& name, Sightings& out) {
  const std::string device = cat(name.name, " on ", name.on);
  if (!name.resolved) {
    out.gap(kPeerName, device, name.resolved.gap);
    return;
  }
  const auto& found = *name.resolved;
  std::string value = "same";
  if (found.empty())
    value = "unresolved";
  else if (is_loopback(found.front()))
    value = "loopback";
  else if (std::ranges::find(name.has, found.front()) == name.has.end())
    value = "other";
  out.add(kPeerName, device, value,
          found.empty() ? cat(name.on, " does not know the name ", name.name)
                        : cat(name.on, " resolves ", name.name, " to ", join(found, ", "),
                              value == "other" ? ", and the node has no such address" : ""))
      .sureness = facts::Sureness::measured;
}

void observe_port(const Peer::Port& port, Sightings& out) {
  const std::string device = cat("TCP port ", port.port, " of ", port.to);
  if (port.state.empty()) {
    out.gap(kPeerPort, device, unknown(port.text));
    return;
  }
  out.add(kPeerPort, device, port.state, port.text).sureness = facts::Sureness::measured;
}

std::string indices(const std::set<int>& all) {
  std::vector<std::string> texts;
  for (const int one : all) texts.push_back(std::to_string(one));
  return join(texts, ", ");
}

void observe_gids_of(const Machine& machine, const Peer& peer, Sightings& out) {
  if (peer.our_gids.empty()) {
    out.gap(kPeerGidIndex, peer.host,
            not_applicable("there is no RoCE v2 GID with an IPv4 address here"));
    return;
  }
  if (!peer.their_gids) {
    out.gap(kPeerGidIndex, peer.host, peer.their_gids.gap);
    return;
  }
  std::set<int> ours;
  std::set<int> theirs;
  for (const auto& [port, index] : peer.our_gids) ours.insert(index);
  for (const auto& [port, index] : *peer.their_gids) theirs.insert(index);
  if (theirs.empty()) {
    out.add(kPeerGidIndex, peer.host, "none",
            cat(peer.host, " has no RoCE v2 GID with an IPv4 address, but this node has one"));
    return;
  }
  // If the index is not set, NCCL 2.21 and newer finds it on each node.
  const bool is_set = machine.environment.contains("NCCL_IB_GID_INDEX");
  const bool same = ours == theirs && ours.size() == 1;
  out.add(
      kPeerGidIndex, peer.host,
      same     ? "equal"
      : is_set ? "mixed"
               : "looked-for",
      cat("the RoCE v2 GIDs with IPv4 addresses have the index ", indices(ours), " here and ",
          indices(theirs), " on ", peer.host,
          is_set ? cat("; NCCL_IB_GID_INDEX=", machine.environment.at("NCCL_IB_GID_INDEX")) : ""));
}

}  // namespace

void observe_peer(const Machine& machine, Sightings& out) {
  if (!machine.peer) return;
  const Peer& peer = *machine.peer;
  for (const Peer::Path& path : peer.paths) observe_path(path, out);
  for (const Peer::Name& name : peer.names) observe_name(name, out);
  for (const Peer::Port& port : peer.ports) observe_port(port, out);
  observe_gids_of(machine, peer, out);
}

}  // namespace nettune::tools::doctor
