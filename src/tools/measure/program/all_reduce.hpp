// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "tools/measure/net/socket.hpp"
#include "tools/measure/net/streams.hpp"
#include "tools/measure/program/child.hpp"

/// What runs the collectives of `nettune test --nccl`: nccl-tests, or for an all-reduce PyTorch by
/// the script of this package. On the peer side the latter alone.
namespace nettune::tools::measure::program {

using Environment = std::map<std::string, std::string>;

/// The path of nccl-tests' program "all_reduce_perf"; nothing where it is not installed.
std::optional<std::string> find_nccl_tests(std::string_view program);

/// What PyTorch has on a node.
struct Torch {
  std::string version;
  bool gloo = false;
  std::size_t gpus = 0;  ///< that it reaches by NCCL
};
/// Of this node. Errc::not_found where it has none that can do this.
Result<Torch> torch_here(const net::Cancelled& cancelled);

/// The ranks of one node, among those of all.
struct RankPlan {
  std::string backend;  ///< "nccl", "gloo"
  std::size_t local = 1;
  std::size_t first = 0;
  std::size_t world = 1;
  std::string master;  ///< the address of rank 0
  std::uint16_t port = 0;
  std::string interface;  ///< the way to the other nodes, for Gloo; "": not known
  std::uint64_t seconds = 5;
  Environment common = {};  ///< of NCCL, the same on all nodes
};
/// NCCL's variables of this process that must be equal on all nodes of a job. Not those that name
/// what a node has.
Environment variables_of_all_nodes();
/// As long as the ranks may take, with their start.
double longest_s(std::uint64_t seconds);
/// `jobs` are the variables that a job gets here; those that are set already stay.
ChildSpec torch_ranks(const RankPlan& plan, const Environment& jobs);
/// The same of nccl-tests, in one process with all GPUs of this node.
ChildSpec nccl_tests(const std::string& file, std::size_t gpus, const Environment& jobs);

/// The ranks of a peer: what it has, then the plan, then its end. All by one connection, whose end
/// is that of the ranks, too.
class PeerRanks {
 public:
  PeerRanks(std::string host, UniqueFd socket)
      : host_(std::move(host)), socket_(std::move(socket)) {}
  const std::string& host() const { return host_; }
  Result<Torch> torch(const net::Cancelled& cancelled);
  Result<> start(const RankPlan& plan);
  /// True once they have ended; `error` is then why, or empty. Waits until the deadline at most.
  bool ended(net::Clock::time_point deadline, std::string& error);

 private:
  std::string host_;
  UniqueFd socket_;
  bool is_over_ = false;
};

/// The peer side, for an order of "do": "nccl".
void serve_all_reduce(const Environment& jobs, int socket, const net::Cancelled& cancelled);

}  // namespace nettune::tools::measure::program
