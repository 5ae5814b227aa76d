// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "tools/render/from_profile.hpp"
#include "tools/render/values.hpp"

namespace nettune::tools::render {

/// A node of the job.
struct JobNode {
  std::string name;
  std::string address;  ///< "" if only the name is known
};

/// A directory for the containers of a job.
struct Mount {
  std::string source;  ///< an absolute path of the node, or the name of a volume
  std::string target;
  bool read_only = false;

  bool is_volume() const { return !source.starts_with('/'); }
};

/// A variable that the command line gives the job.
struct GivenVariable {
  std::string name;
  std::string value;
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
  std::optional<std::int64_t> time_s;
  std::optional<std::int64_t> mem_mib;  ///< per node
  std::string partition;
  std::string account;
  std::string queue;
  std::vector<Mount> mounts;
  std::vector<GivenVariable> env;
  std::vector<std::string> options;  ///< for the program that starts the job, as they are
};

constexpr std::int64_t kMostNodes = 65536;

/// Parses "a,b=10.0.0.2,gpu[01-08]". Errors: an empty or repeated name, a name with a leading dash,
/// which commands would take for an option, brackets that are not a range, more than kMostNodes
/// nodes, a name that is longer than a DNS name.
Result<std::vector<JobNode>> parse_nodes(std::string_view text);

/// For each node the first label of its name, "a" of "a.example.org", if no other has it; else "".
/// A host that gives its name without a domain, or with one, is still known by it.
std::vector<std::string> own_labels(const std::vector<JobNode>& nodes);

/// Seconds of "90m", "2h", "1d", "12:00:00" or Slurm's "1-12:00:00".
Result<std::int64_t> parse_time(std::string_view text);
/// MiB of "512G" or "1T", in powers of 1024.
Result<std::int64_t> parse_memory(std::string_view text);
/// "SOURCE:TARGET" or "SOURCE:TARGET:ro".
Result<Mount> parse_mount(std::string_view text);
/// "NAME=VALUE". Errors: names that a job's file sets itself, or that change how a shell works.
Result<GivenVariable> parse_variable(std::string_view text);
/// An option of the program that starts the job: "--constraint=h100".
Result<std::string> parse_option(std::string_view text);

/// The values for a template. If `profile` is null, the values of a profile are missing.
Result<Inputs> inputs_of(const Request& request, const FromProfile* profile);

}  // namespace nettune::tools::render
