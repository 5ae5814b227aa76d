// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "render/from_profile.hpp"
#include "render/values.hpp"

namespace nettune::render {

/// A node of the job.
struct JobNode {
  std::string name;
  std::string address;  ///< "" if only the name is known
};

/// The contents of the command line.
struct Request {
  std::string kind;
  std::vector<JobNode> nodes;
  std::optional<std::int64_t> count;  ///< nodes that a scheduler will choose
  std::optional<std::int64_t> gpus;
  std::string image;
  std::string job;  ///< "" to derive it from the program's name
  std::optional<std::int64_t> port;
  std::string expect;
  bool explain = true;    ///< explain the job's NCCL logs at its end
  bool preflight = true;  ///< run nettune doctor on each node before the job
  std::vector<std::string> ports;
  std::vector<std::string> resources;  ///< "rdma/hca=1"
  std::vector<std::string> program;
};

/// Parses "a,b=10.0.0.2,gpu[01-08]". Errors: an empty or repeated name, a name with a leading dash,
/// which commands would take for an option, brackets that are not a range.
Result<std::vector<JobNode>> parse_nodes(std::string_view text);

/// The values for a template. If `profile` is null, the values of a profile are missing.
Result<Inputs> inputs_of(const Request& request, const FromProfile* profile);

}  // namespace nettune::render
