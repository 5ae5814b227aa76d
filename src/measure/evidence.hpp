// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/experiment.hpp"
#include "measure/forecast.hpp"

namespace nettune::measure {

/// One of the two that are compared.
struct Arm {
  std::string profile;                     ///< "" for the node as it is
  std::map<std::string, std::string> set;  ///< variables of the profile
  std::map<std::string, std::string> env;  ///< of the command
  std::string digest;  ///< of the settings that the profile resolves to here; "" for none

  std::string name() const;  ///< "tcp-25g dscp=26 env.NCCL_ALGO=Ring", "current"
};

/// A node that is switched along: the digests of its settings, as of Arm.
struct AlsoNode {
  std::string host;
  std::string a;
  std::string b;
};

struct EvidenceBlock {
  Block block;
  std::map<std::string, Block> strata;  ///< of metrics with several values a run
};

/// A comparison with all that its verdict rests on: the file of --evidence.
struct Evidence {
  std::string time;
  std::string host;
  std::string kernel;
  std::string facts_digest;
  std::vector<std::string> command;
  std::string metric;  ///< as it was typed; "" for the time that the command takes
  bool lower_is_better = false;
  double delta = 0.02;
  std::uint64_t seed = 0;
  Arm a;
  Arm b;
  std::vector<AlsoNode> also;
  std::vector<EvidenceBlock> noise;  ///< A against A
  std::size_t planned = 0;           ///< blocks; 0: not planned yet
  std::vector<EvidenceBlock> blocks;
  std::string ended;  ///< why it ended before its plan did; "" where it did not
};

std::vector<double> differences_of(const std::vector<EvidenceBlock>& blocks, bool lower_is_better);

struct Judged {
  Judgement judgement;
  double p = 1;  ///< of Wilcoxon's signed-rank test over the blocks of the judgement
  /// For information: the verdict rests on all together.
  std::map<std::string, Judgement> strata;
};
/// From the blocks alone.
Judged judge(const Evidence& evidence);

/// With the verdict in it, for readers.
std::string to_json(const Evidence& evidence);
/// Errc::invalid names what is wrong: also an order of halves that is not the seed's.
Result<Evidence> evidence_from(const std::string& text);

}  // namespace nettune::measure
