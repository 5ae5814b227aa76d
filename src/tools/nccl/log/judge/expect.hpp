// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "tools/nccl/log/judge/verdict.hpp"

namespace nettune::tools::nccl::log::judge {

/// What a job should have used.
struct Expectation {
  enum class Kind {
    ib,    ///< verbs (InfiniBand or RoCE), by NCCL itself or by a plugin IBext
    net,   ///< the network of this name
    gdr,   ///< every connection over the network with GPUDirect RDMA, in both directions
    p2p,   ///< no connection through host memory
    nvls,  ///< channels of NVLS
  };
  Kind kind = Kind::ib;
  std::string name;  ///< of Kind::net
  std::string word;  ///< as it was typed
};

/// "ib,gdr": words out of ib, gdr, p2p, nvls and net:NAME. Errc::invalid names the wrong one.
Result<std::vector<Expectation>> parse_expectations(std::string_view text);

struct Outcome {
  Expectation expectation;
  /// unknown: nothing in the log is against it, but not every rank is shown to meet it.
  Answer met = Answer::unknown;
  std::string why;
  std::vector<std::uint32_t> processes;  ///< those that do not meet it, or of which it is unknown
};

Outcome compare(const Expectation& expectation, const Log& log, const Verdict& verdict);

}  // namespace nettune::tools::nccl::log::judge
