// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "node/peer_process.hpp"
#include "tools/measure/program/arm_switch.hpp"

namespace nettune::tools::measure::program {

/// Another node that switches together with this one, by `ssh HOST nettune ab --peer-stdio`. It
/// switches itself, with its own confirm window: if the connection breaks, it still reverts.
class PeerSwitch {
 public:
  static Result<PeerSwitch> connect(const std::string& host, const Evidence& evidence, bool share);

  const std::string& host() const { return host_; }
  const std::vector<std::string>& jobs() const { return jobs_; }
  AlsoNode digests() const { return digests_; }

  /// Order and answer are separate calls, so that all nodes work at the same time.
  void order_to(bool is_b, std::int64_t longest_s);
  void order_back();
  Switched answer();
  /// The findings of its guards in the half that ended last, as sentences.
  const std::vector<std::string>& findings() const { return findings_; }
  bool is_switched() const { return switched_; }

 private:
  PeerSwitch(std::string host, node::PeerProcess process)
      : host_(std::move(host)), process_(std::move(process)) {}
  void order(const nlohmann::ordered_json& json);

  std::string host_;
  node::PeerProcess process_;
  std::vector<std::string> jobs_;
  std::vector<std::string> findings_;
  AlsoNode digests_;
  double patience_s_ = 0;
  bool switched_ = false;
  bool lost_ = false;
};

/// This node, and those that switch with it.
class Nodes {
 public:
  Nodes(node::Context& context, const cli::GlobalOptions& options, Watched& watched)
      : here_(context, options, watched), watched_(watched) {}
  ~Nodes() {
    try {
      (void)back();
    } catch (...) {  // each node's confirm window reverts what this cannot
      return;
    }
  }
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;

  /// `share`: ignore other jobs on these hosts.
  Result<> connect(const std::vector<std::string>& hosts, bool share, Evidence& evidence);
  Result<> prepare(Arm& arm, std::map<std::string, std::string>& variables) {
    return here_.prepare(arm, variables);
  }
  /// True if this node has nothing to write for the arm, and there is no other node.
  bool holds(const Arm& arm) { return others_.empty() && here_.holds(arm); }
  /// Switches all of them; returns the first failure.
  Result<Switched> to(const Arm& arm, bool is_b, std::int64_t longest_s);
  Result<Switched> back();
  /// Where the pid of what is measured belongs.
  std::atomic<pid_t>* benchmark() { return &watched_.benchmark; }
  std::vector<std::string> jobs() const;
  /// The findings of the half that back() ended.
  std::vector<std::string> findings() const;

 private:
  ArmSwitch here_;
  Watched& watched_;
  std::vector<PeerSwitch> others_;
};

/// `nettune ab --peer-stdio`: the side that ssh starts. At the end of its input, it reverts and
/// ends.
Result<node::Exit> switch_on_stdio(node::Context& context, const cli::GlobalOptions& options);

}  // namespace nettune::tools::measure::program
