// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "kernel/sysfs.hpp"
#include "tools/measure/evidence.hpp"
#include "tools/measure/net/socket.hpp"

/// Whether the variables of an arm reach what is measured.
namespace nettune::tools::measure::program {

/// The value of conf::kArmMark for these variables. Those in `of_this_node` count on this host
/// alone.
std::string arm_mark(const std::map<std::string, std::string>& variables,
                     const std::set<std::string>& of_this_node);

/// The names whose value is not the same in all arms; one that an arm does not give has the value
/// that this process has.
std::set<std::string> differing(const std::vector<std::map<std::string, std::string>>& arms);

/// The variables of an arm, and whether they are all that it has: a profile says all, the current
/// state does not.
struct ArmVariables {
  std::map<std::string, std::string>* values;
  bool is_whole;
};
/// Adds to the mark of each whole arm the names of `compared` that it has no value for: no script
/// may take a value from elsewhere for them. They count where they do in another arm.
void mark_compared(const std::vector<ArmVariables>& arms, const std::set<std::string>& compared);

/// The value that each of `compared` is to have in the job; nothing for none. What the arm does not
/// give, the command has from this process.
using Wanted = std::map<std::string, std::optional<std::string>>;
Wanted wanted_of(const std::map<std::string, std::string>& arm,
                 const std::set<std::string>& compared);

/// What the scripts of nettune render say of an arm's variables.
struct Receipts {
  std::set<std::string> arrived;  ///< names
  std::vector<std::string> lost;  ///< "on n2 NCCL_ALGO is Ring, not Tree"
};
/// Takes the receipts out of the output: no metric is to be found in them. Only those of
/// `wanted` count. Lines that others cut are no receipts.
Receipts take_receipts(std::string& output, const Wanted& wanted);

/// Whether a variable was in the environment of what used the CPU time. Unknown: nothing shows it.
enum class Arrival { arrived, lost, unknown };
struct Arrived {
  Arrival state = Arrival::unknown;
  std::string why;  ///< "bench, which used most of the CPU time, was started without it"
};

/// Looks into the environments of a command's processes while it runs.
class ProcessWatch {
 public:
  /// `root` is "/", or a test's tree with a proc/ in it.
  explicit ProcessWatch(std::map<std::string, std::string> variables, const std::string& root = "/")
      : variables_(std::move(variables)), root_(kernel::Directory::open(root)) {}

  /// Looks at `command` and its descendants if it is time: at once, then after 1 ms, 2 ms, 4 ms ...
  void look(pid_t command);
  void look_now(pid_t command) { look_at(command, 0); }
  /// Of the variable, with its value, by all that was seen of the command's processes.
  Arrived state_of(const std::string& name) const;

 private:
  struct Process {
    std::string program;
    double used_s = 0;
    bool is_read = false;       ///< its environment
    std::set<std::string> has;  ///< names with their values
  };
  void look_at(std::int64_t pid, int depth);

  std::map<std::string, std::string> variables_;
  Result<kernel::Directory> root_;
  std::map<std::pair<std::int64_t, double>, Process> seen_;  ///< by PID and start
  /// A program among them that starts others elsewhere ("srun"), whose environment this node does
  /// not see.
  std::string launcher_;
  net::Clock::time_point begin_ = net::Clock::now();
  double next_s_ = 0;
};

/// The state of the arms' variables after many runs.
class Arrivals {
 public:
  void add(const std::string& arm, const std::map<std::string, std::string>& variables,
           const Receipts& receipts, const ProcessWatch& watch);
  /// Of each variable of each arm.
  std::vector<ArmVariable> all() const;
  /// A sentence for each that did not arrive, or may not have.
  std::vector<std::string> notes() const;

 private:
  struct Variable {
    bool has_receipt = false;
    std::map<Arrival, std::size_t> runs;
    std::map<Arrival, std::string> why;
    Arrival state() const;
  };
  std::map<std::pair<std::string, std::string>, Variable> variables_;  ///< by arm and "NAME=VALUE"
};

}  // namespace nettune::tools::measure::program
