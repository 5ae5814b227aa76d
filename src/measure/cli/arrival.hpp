// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

#include "measure/net/socket.hpp"

/// Whether the variables of an arm reach what is measured.
namespace nettune::measure {

/// The value of formats::kArmMark for these variables. Those in `of_this_node` count on this host
/// alone.
std::string arm_mark(const std::map<std::string, std::string>& variables,
                     const std::set<std::string>& of_this_node);

/// The names whose value is not the same in all arms; one that an arm does not give has the value
/// that this process has.
std::set<std::string> differing(const std::vector<std::map<std::string, std::string>>& arms);

/// What the scripts of nettune render say of an arm's variables.
struct Receipts {
  std::set<std::string> arrived;  ///< names
  std::vector<std::string> lost;  ///< "on n2 NCCL_ALGO is Ring, not Tree"
};
/// Takes the receipts out of the output: no metric is to be found in them. Only those of
/// `variables` count. Lines that others cut are no receipts.
Receipts take_receipts(std::string& output, const std::map<std::string, std::string>& variables);

/// Looks into the environments of a command's processes while it runs.
class ProcessWatch {
 public:
  explicit ProcessWatch(std::map<std::string, std::string> variables)
      : variables_(std::move(variables)) {}

  /// Looks at `root` and its descendants if it is time: at once, then after 0.1 s, 0.2 s, 0.4 s ...
  void look(pid_t root);
  /// A program among them that starts others elsewhere ("srun"), whose environment this node does
  /// not see; "" for none.
  const std::string& launcher() const { return launcher_; }
  /// The program that used more CPU time than all that have the variable with its value, if it was
  /// started without it: "bench". "" where nothing is known, or the variable arrived.
  std::string lacks(const std::string& name) const;

 private:
  struct Process {
    std::string program;
    long ticks = 0;
    std::set<std::string> has;  ///< names with their values
    bool is_root = false;
  };
  void look_at(pid_t pid, bool is_root, int depth);

  std::map<std::string, std::string> variables_;
  std::map<std::string, Process> seen_;  ///< by PID and start
  std::string launcher_;
  Clock::time_point begin_ = Clock::now();
  double next_s_ = 0;
};

/// The state of an arm's variables after many runs, in sentences for whoever reads the verdict.
class Arrivals {
 public:
  void add(const std::string& arm, const std::map<std::string, std::string>& variables,
           const Receipts& receipts, const ProcessWatch& watch);
  std::vector<std::string> notes() const;

 private:
  struct Variable {
    bool arrived = false;
    std::string launcher;
    std::string lacking;  ///< the program
  };
  std::map<std::string, Variable> variables_;  ///< by "NAME=VALUE of ARM"
};

}  // namespace nettune::measure
