// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "node/context.hpp"
#include "node/exit_codes.hpp"
#include "render/verify.hpp"

namespace nettune::cli {

/// What the nodes are asked, and how they are reached.
struct VerifyRequest {
  render::Meeting meeting;
  std::string profile;  ///< "" where the job has none
  std::map<std::string, std::string> set;
  std::string ssh;  ///< the program that is started as ssh is: PROGRAM NODE COMMAND
};

/// Starts `nettune render --verify-stdio` on every node, and here without ssh. The first node
/// listens where the ranks are to meet, and the others connect to it. Nothing stays there.
Result<std::vector<render::NodeAnswer>> ask_nodes(const VerifyRequest& request);

/// The other side of it, on a node: an order on standard input, an answer on standard output. The
/// first node listens until its standard input ends.
Result<Exit> answer_on_stdio(Context& context);

}  // namespace nettune::cli
