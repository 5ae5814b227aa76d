// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "tools/measure/experiment.hpp"
#include "tools/measure/forecast.hpp"

namespace nettune::tools::measure {

/// One of the two states that are compared.
struct Arm {
  std::string profile;                     ///< "" for the current state
  std::map<std::string, std::string> set;  ///< variables of the profile
  std::map<std::string, std::string> env;  ///< of the command
  std::string digest;                      ///< of the resolved settings of the profile; "" for none

  std::string name() const;  ///< "tcp-25g dscp=26 env.NCCL_ALGO=Ring", "current"
};

/// Another node that switches, too: the digests of its settings, as in Arm.
struct AlsoNode {
  std::string host;
  std::string a;
  std::string b;
};

/// A variable in which the arms differ, and whether it reached what was measured.
struct ArmVariable {
  std::string arm;
  std::string variable;         ///< "NCCL_ALGO=Ring"
  std::optional<bool> arrived;  ///< nothing: not known
};

/// How often the command ran in an arm, and how often it failed.
struct Runs {
  std::size_t all = 0;
  std::size_t failed = 0;
};

struct EvidenceBlock {
  Block block;
  std::map<std::string, Block> strata;  ///< of metrics with several values a run
};

/// A comparison, with everything that its verdict is based on: the file of --evidence.
struct Evidence {
  std::string time;
  std::string host;
  std::string kernel;
  std::string facts_digest;
  std::vector<std::string> command;
  std::string metric;  ///< as typed by the user; "" for the duration of the command
  bool lower_is_better = false;
  double delta = 0.02;
  std::uint64_t seed = 0;
  Arm a;
  Arm b;
  std::vector<AlsoNode> also;
  std::vector<EvidenceBlock> noise;  ///< A against A
  std::size_t planned = 0;           ///< blocks; 0: not planned yet
  std::vector<EvidenceBlock> blocks;
  std::size_t failures_allowed = 0;  ///< in each arm
  Runs runs_a;
  Runs runs_b;
  std::vector<ArmVariable> variables;
  std::string ended;               ///< why it ended early; "" if it did not
  std::vector<std::string> notes;  ///< what a reader of the verdict has to know

  /// The value of every run, of A and of B, if it is the same in all of them; there are at least
  /// two.
  std::optional<double> constant() const;
};

std::vector<double> differences_of(const std::vector<EvidenceBlock>& blocks, bool lower_is_better);

struct Judged {
  Judgement judgement;
  double p = 1;  ///< of Wilcoxon's signed-rank test over the blocks of the judgement
  /// Of Fisher's exact test that A and B fail equally often; it is no verdict.
  double failures_p = 1;
  /// For information only: the verdict is based on all strata together.
  std::map<std::string, Judgement> strata;
};
/// Uses only the blocks, and the counts of failures.
Judged judge(const Evidence& evidence);

/// Also has the verdict, for readers.
std::string to_json(const Evidence& evidence);
/// Errc::invalid names what is wrong, such as an order of halves that the seed does not give.
Result<Evidence> evidence_from(const std::string& text);

}  // namespace nettune::tools::measure
