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
  std::string address;  ///< "" where only the name is known
};

/// What the command line says.
struct Request {
  std::string kind;
  std::vector<JobNode> nodes;
  std::optional<std::int64_t> count;  ///< nodes that a scheduler will choose
  std::optional<std::int64_t> gpus;
  std::string image;
  std::string job;  ///< "" for one made of the program's name
  std::optional<std::int64_t> port;
  std::string expect;
  bool explain = true;    ///< the job's NCCL logs are explained at its end
  bool preflight = true;  ///< nettune doctor looks at each node before the job
  std::vector<std::string> ports;
  std::vector<std::string> resources;  ///< "rdma/hca=1"
  std::vector<std::string> program;
};

/// "a,b=10.0.0.2,gpu[01-08]" as nodes. Errors: an empty or repeated name, one that begins with a
/// dash, and that a command would take for an option, brackets that are not a range.
Result<std::vector<JobNode>> parse_nodes(std::string_view text);

/// The values of a template. `profile` may be null: then those of a profile are not given.
Result<Inputs> inputs_of(const Request& request, const FromProfile* profile);

}  // namespace nettune::render
