// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/nccl/log/judge/verdict.hpp"

namespace nettune::tools::nccl::log::judge {

/// What the log leaves open about ranks of the main communicator that no line about a communicator
/// or a connection names; "" for nothing. A rank has a line where NCCL, PyTorch or a launcher says
/// its number, and processes that have lines and say no rank may be any of the others.
std::string say_who_is_unseen(const Log& log, const Verdict& verdict);

/// Of how many ranks NCCL's lines are.
struct RanksWithLines {
  std::size_t count = 0;    ///< those that some line says
  bool is_certain = false;  ///< no line can be of yet another one
};
RanksWithLines ranks_with_lines(const Log& log, const Verdict& verdict);

}  // namespace nettune::tools::nccl::log::judge
