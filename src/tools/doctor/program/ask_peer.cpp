// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/ask_peer.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "tools/measure/net/path_mtu.hpp"
#include "tools/measure/net/wire.hpp"
#include "tools/measure/program/peer_orders.hpp"
#include "tools/measure/program/peer_session.hpp"

namespace nettune::tools::doctor::program {

namespace {

namespace wire = measure::net::wire;
using doctor::Peer;

constexpr std::array kPorts = {29400, 29500};  // c10d's endpoint, and MASTER_PORT
constexpr double kPatience_s = 10;
/// No path through a fabric has a longer round trip.
constexpr double kRoundTrip_s = 0.05;

/// Nothing if the peer does not know the order: it is an older nettune.
std::optional<wire::Json> ask_of(const measure::program::Path& path, const wire::Json& order) {
  const auto answer = measure::net::ask(path.target, wire::line(order), kPatience_s);
  auto json = answer ? wire::parse(*answer) : std::nullopt;
  if (json && json->contains("error")) return std::nullopt;
  return json;
}

Gap older() {
  return doctor::unknown("the peer did not report it; is its nettune as new as this one?");
}

std::string end_text(const measure::End& end, bool with_host) {
  return cat(end.interface, with_host ? cat(" of ", end.host) : "", " (",
             measure::without_prefix(end.address), ")");
}

Known<int> carried(const std::optional<int>& size) { return size.value_or(0); }

void add_paths(const std::vector<measure::program::Path>& paths, Peer& peer) {
  for (const measure::program::Path& path : paths) {
    const int ours = path.ends.ours.mtu.value_or(measure::kUsualMtu);
    const int theirs = path.ends.theirs.mtu.value_or(measure::kUsualMtu);
    // lo's MTU is one more than IP has.
    constexpr int kLargestPacket = 65535;
    const auto found = measure::net::path_mtu(path.target, ours, theirs, kRoundTrip_s);
    for (const bool to_peer : {true, false}) {
      Peer::Path one{end_text(path.ends.ours, false),
                     end_text(path.ends.theirs, true),
                     std::min({ours, theirs, kLargestPacket}),
                     to_peer,
                     {}};
      if (!found)
        one.carries = doctor::unknown(found.error().text);
      else if (!to_peer && !found->to_peer)
        one.carries =
            doctor::unknown("nothing gets through in that direction, so nothing could come back");
      else
        one.carries = carried(to_peer ? found->to_peer : found->from_peer);
      peer.paths.push_back(std::move(one));
    }
  }
}

std::vector<std::string> addresses_of(const measure::program::NodeView& view) {
  std::vector<std::string> out;
  for (const measure::End& end : view.ends) out.emplace_back(measure::without_prefix(end.address));
  return out;
}

void add_names(const measure::program::PeerSession& session, const measure::program::Path& path,
               Peer& peer) {
  const measure::program::NodeView& ours = session.ours;
  const measure::program::NodeView& theirs = session.theirs;
  peer.names.push_back(
      {theirs.host, ours.host, measure::program::resolve_here(theirs.host), addresses_of(theirs)});
  Peer::Name back{ours.host, theirs.host, older(), addresses_of(ours)};
  const auto answer = ask_of(path, {{"do", "resolve"}, {"name", ours.host}});
  if (answer && answer->contains("addresses")) {
    std::vector<std::string> addresses;
    for (const wire::Json& one : (*answer)["addresses"])
      if (one.is_string()) addresses.push_back(one.get<std::string>());
    back.resolved = addresses;
  }
  peer.names.push_back(std::move(back));
}

Peer::Port port_of_peer(const measure::program::Path& path, const std::string& host, int port) {
  Peer::Port out{port, host, "", older().why};
  const auto held = ask_of(path, {{"do", "hold"}, {"port", port}});
  if (!held) return out;
  const std::string state = wire::text(*held, "state");
  if (state != "listening") {
    out.text = state == "held" ? "a program is listening there, so it was not tested" : state;
    return out;
  }
  measure::program::Reach found = measure::program::reach(path.target.address.host(), port);
  (void)ask_of(path, {{"do", "release"}});
  return {port, host, found.state, found.text};
}

Peer::Port port_of_ours(const measure::program::Path& path, const std::string& host, int port) {
  Peer::Port out{port, host, "", older().why};
  measure::program::Holder holder;
  const std::string state = holder.hold(port);
  if (state != "listening") {
    out.text = state == "held" ? "a program is listening there, so it was not tested" : state;
    return out;
  }
  const std::string address(measure::without_prefix(path.ends.ours.address));
  const auto answer = ask_of(path, {{"do", "reach"}, {"address", address}, {"port", port}});
  if (answer) {
    out.state = wire::text(*answer, "state");
    out.text = wire::text(*answer, "text");
  }
  return out;
}

void add_gids(const measure::program::Path& path, Peer& peer) {
  peer.our_gids = measure::program::gid_indices();
  peer.their_gids = older();
  const auto answer = ask_of(path, {{"do", "gids"}});
  if (!answer || !answer->contains("gids")) return;
  std::map<std::string, int> indices;
  for (const auto& [name, index] : (*answer)["gids"].items())
    if (index.is_number_integer()) indices[name] = index.get<int>();
  peer.their_gids = indices;
}

}  // namespace

Result<Peer> ask_peer(node::Context& context, const std::string& host,
                      const std::vector<std::string>& command) {
  TRY_ASSIGN(const measure::program::PeerSession session,
             measure::program::open_peer_session(context, host, command, ""));
  TRY_ASSIGN(const auto paths, measure::program::paths_to(session, host, ""));
  Peer peer;
  peer.host = session.theirs.host;
  add_paths(paths, peer);
  const measure::program::Path& first = paths.front();
  add_names(session, first, peer);
  // On one node each side would find the port held by the other.
  for (const int port : kPorts) {
    peer.ports.push_back(port_of_peer(first, session.theirs.host, port));
    peer.ports.push_back(port_of_ours(first, session.ours.host, port));
  }
  add_gids(first, peer);
  return peer;
}

}  // namespace nettune::tools::doctor::program
