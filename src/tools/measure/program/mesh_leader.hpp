// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tools/measure/fault_location.hpp"
#include "tools/measure/program/mesh_pair.hpp"

namespace nettune::tools::measure::program {

/// Why a pair was not measured; whose fault that is, is said of the node.
constexpr std::string_view kOneIsGone = "one of the two is gone";

/// A rank, from the leader's view.
struct MeshNode {
  std::string name;  ///< of its host; with the rank if several have that name
  NodeView view;
  End end;  ///< that leads to rank 0
  std::uint16_t port = 0;
  UniqueFd control;    ///< rank 0 has none
  bool alive = false;  ///< it joined, and has not ended
};

/// The result of a mesh.
struct MeshReport {
  std::vector<std::string> names;
  std::vector<std::string> rails;  ///< interfaces; one, perhaps "", where they are not told apart
  std::size_t rounds = 0;
  std::vector<std::pair<std::size_t, PairValue>> values;  ///< with the round, from 1
  std::vector<std::string> errors;                        ///< as `values`; "" for none
  /// A pair's bandwidth while all others measure, divided by its bandwidth alone: the median of a
  /// round.
  std::optional<double> together_of_alone;
  std::set<std::size_t> gone;  ///< nodes that did not join, ended, or were late
  std::optional<double> expect_rate_gbps;
  std::optional<Topology> topology;
  MeshVerdict verdict;  ///< its `tests` as `values`
};

/// The ranks that joined; measures between them.
class Mesh {
 public:
  Mesh(const MeshRequest& request, const MeshSelf& self, std::uint16_t own_port,
       net::Cancelled cancelled);

  /// Waits for the others on MASTER_PORT. A rank that does not join in time is not alive.
  Result<> gather();
  /// What each node hears of its switch by LLDP, all at the same time: a name, or why there is
  /// none.
  std::vector<Result<std::string>> hear_switches();
  /// All pairs of a round at the same time, between their interfaces of one name; "" for those that
  /// lead to rank 0. `line` hears every result.
  struct Outcome {
    PairValue value;
    std::string error;
  };
  std::vector<Outcome> measure(const Round& round, const std::string& rail,
                               const std::function<void(const std::string&)>& line);
  /// Ends the other ranks.
  void end();
  const std::vector<MeshNode>& nodes() const { return nodes_; }

 private:
  void take_in(UniqueFd socket, std::string_view said);
  void take_own_address(int socket);
  bool order(std::size_t node, const nlohmann::ordered_json& order);
  std::optional<std::string> answer_of(std::size_t node, net::Clock::time_point deadline);

  const MeshRequest& request_;
  MeshSelf self_;
  net::Cancelled cancelled_;
  std::vector<MeshNode> nodes_;
};

/// 3 for what is bad, 9 for what is missing or undecided.
node::Exit exit_of(const MeshReport& report);
/// For people, and as one line of JSON.
std::string text_of(const MeshReport& report, const cli::Style& style);
std::string json_line(const MeshReport& report);

}  // namespace nettune::tools::measure::program
