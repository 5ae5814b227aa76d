// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "node/context.hpp"
#include "node/exit_codes.hpp"
#include "tools/render/verify.hpp"

namespace nettune::tools::render::program {

/// The checks for the nodes, and how to reach them.
struct VerifyRequest {
  Meeting meeting;
  std::string profile;  ///< "" if the job has none
  std::map<std::string, std::string> set;
  std::string ssh;  ///< a program with the arguments of ssh: PROGRAM NODE COMMAND
};

/// Starts `nettune render --verify-stdio` on every node, and here without ssh. The first node
/// listens on the rendezvous port, and the others connect to it. Nothing is left behind.
Result<std::vector<render::NodeAnswer>> ask_nodes(const VerifyRequest& request);

/// The side on a node: reads an order from standard input, and writes an answer to standard output.
/// The first node listens until its standard input ends.
Result<node::Exit> answer_on_stdio(node::Context& context);

}  // namespace nettune::tools::render::program
