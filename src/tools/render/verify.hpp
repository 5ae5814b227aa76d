// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/render/inputs.hpp"

namespace nettune::tools::render {

/// The rendezvous of a job, and how each node recognises itself.
struct Meeting {
  std::vector<JobNode> nodes;
  std::string master;  ///< the name that the others look up for the first node
  std::string port;
  bool rank_by_name = false;  ///< the script finds its rank by the host name
};

/// The answer of one node. Empty texts mean success.
struct NodeAnswer {
  std::string no_answer;      ///< why there is none; then nothing below counts
  std::string hostname;       ///< as hostname(1) prints it
  std::string profile_error;  ///< of nettune env PROFILE
  std::string address;        ///< of Meeting::master, the first one that it resolves to
  std::string address_error;
  std::string listen_error;   ///< on the first node
  std::string connect_error;  ///< to the first node
  bool was_asked_to_connect = false;
  double connect_ms = 0;
};

/// One condition for the job to start.
struct Check {
  enum class Verdict { good, fault, unknown };
  Verdict verdict = Verdict::good;
  std::string node;
  std::string what;    ///< "answer", "name", "profile", "address", "port", "rendezvous"
  std::string text;    ///< the observation
  std::string remedy;  ///< "" if it is good
};

/// Judges the answers of all nodes, in their order.
std::vector<Check> verify(const Meeting& meeting, const std::vector<NodeAnswer>& answers);

}  // namespace nettune::tools::render
