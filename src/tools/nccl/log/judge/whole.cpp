// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/whole.hpp"

#include <algorithm>
#include <tuple>

namespace nettune::tools::nccl::log::judge {

namespace {

/// One end of a connection over the network: process, who sends, who receives, channel, index, end.
using End =
    std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint8_t, Side>;

End end_of(const Edge& edge, std::uint32_t process, Side side) {
  const bool receives = edge.side == Side::receive;
  const std::uint32_t from = receives ? edge.peer : edge.own;
  const std::uint32_t to = receives ? edge.own : edge.peer;
  return {process, from, to, edge.channel, edge.index, side};
}

/// Process, rank and communicator of each membership, in order.
using SeatKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

std::vector<SeatKey> all_seats(const Log& log) {
  std::vector<SeatKey> seats;
  for (std::uint32_t i = 0; i < log.processes.size(); ++i)
    for (const Membership& membership : log.processes[i].memberships)
      seats.emplace_back(i, membership.rank, membership.communicator);
  std::sort(seats.begin(), seats.end());
  return seats;
}

/// Finds the other end of a connection.
class OtherEnds {
 public:
  explicit OtherEnds(const Log& log) : log_(log), seats_(all_seats(log)) {
    for (const Edge& edge : log.edges.all())
      if (edge.transport == Transport::net) told_.push_back(end_of(edge, edge.process, edge.side));
    std::sort(told_.begin(), told_.end());
  }

  /// The process that should have told of this connection as well, and did not: of the peer, or of
  /// the edge itself where the peer's is not known. kNone: both ends are there.
  std::uint32_t missing(const Edge& edge) const {
    std::uint32_t peer = kNone;
    for (auto at =
             std::lower_bound(seats_.begin(), seats_.end(), SeatKey(edge.process, edge.own, 0));
         at != seats_.end() && std::get<0>(*at) == edge.process && std::get<1>(*at) == edge.own;
         ++at) {
      if (edge.communicator != kNone && std::get<2>(*at) != edge.communicator) continue;
      const auto& members = log_.communicators[std::get<2>(*at)].members;
      const auto member = members.find(edge.peer);
      if (member == members.end()) continue;
      if (is_told(edge, member->second)) return kNone;
      if (peer == kNone) peer = member->second;
    }
    return peer == kNone ? edge.process : peer;
  }

 private:
  bool is_told(const Edge& edge, std::uint32_t process) const {
    const Side other = edge.side == Side::receive ? Side::send : Side::receive;
    return std::binary_search(told_.begin(), told_.end(), end_of(edge, process, other));
  }

  const Log& log_;
  std::vector<SeatKey> seats_;
  std::vector<End> told_;
};

/// All connections of a communicator come before "Init COMPLETE" up to 2.21; and a process that
/// began another one and says no more was cut, in every version.
bool is_set_up(const Process& process) {
  return !process.memberships.empty() &&
         std::all_of(process.memberships.begin(), process.memberships.end(),
                     [](const Membership& membership) { return membership.complete; });
}

/// All ranks of a communicator connect its rings, or none. Of several it is not known which one.
bool rings_are_told(const Log& log) {
  return log.communicators.size() == 1 &&
         std::any_of(log.processes.begin(), log.processes.end(),
                     [](const Process& process) { return process.rings; });
}

}  // namespace

std::vector<bool> shown_whole(const Log& log) {
  std::vector<bool> whole(log.processes.size());
  const bool rings = rings_are_told(log);
  for (const Edge& edge : log.edges.all()) whole[edge.process] = true;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const Process& process = log.processes[i];
    if (process.damaged != 0 || !is_set_up(process) || (rings && !process.rings)) whole[i] = false;
  }
  const OtherEnds ends(log);
  for (const Edge& edge : log.edges.all()) {
    if (edge.transport != Transport::net) continue;
    if (const std::uint32_t cut = ends.missing(edge); cut != kNone) whole[cut] = false;
  }
  return whole;
}

}  // namespace nettune::tools::nccl::log::judge
