// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "render/inputs.hpp"

namespace nettune::render {

/// Where the ranks of a job meet, and by what each node is to know itself.
struct Meeting {
  std::vector<JobNode> nodes;
  std::string master;  ///< the first node, as the others look for it
  std::string port;
  bool rank_by_name = false;  ///< the script finds its rank by the host name
};

/// What one node said. An empty text is no trouble.
struct NodeAnswer {
  std::string no_answer;      ///< why there is none; nothing below counts then
  std::string hostname;       ///< as hostname(1) prints it
  std::string profile_error;  ///< of nettune env PROFILE
  std::string address;        ///< of Meeting::master, the first one that the node finds
  std::string address_error;
  std::string listen_error;   ///< on the first node
  std::string connect_error;  ///< to the first node
  bool was_asked_to_connect = false;
  double connect_ms = 0;
};

/// One thing that has to hold for the job to start.
struct Check {
  enum class Verdict { good, fault, unknown };
  Verdict verdict = Verdict::good;
  std::string node;
  std::string what;    ///< "answer", "name", "profile", "address", "port", "rendezvous"
  std::string text;    ///< what was seen
  std::string remedy;  ///< "" where it is good
};

/// Judges the answers, one of each node, in the order of the nodes.
std::vector<Check> verify(const Meeting& meeting, const std::vector<NodeAnswer>& answers);

}  // namespace nettune::render
