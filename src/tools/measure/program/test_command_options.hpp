// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/program_main.hpp"
#include "tools/measure/collective_kind.hpp"
#include "tools/measure/program/measuring.hpp"
#include "tools/measure/program/mesh.hpp"

namespace nettune::tools::measure::program {

struct TestOptions : cli::GlobalOptions {
  std::string peer;
  std::vector<std::string> others;   ///< more peers, with --nccl
  std::vector<std::string> command;  ///< starts the peer side in the place of ssh
  std::string address;
  std::string ports;
  std::string streams;
  std::string seconds;
  std::string bytes;
  std::string count;
  std::string transport;
  bool gpu = false;
  bool referee = false;
  bool nccl = false;
  std::string collective;
  bool mesh = false;
  bool alone = false;
  std::string schedule;
  std::string topology;
  std::string write_topology;
  std::string interface;
  std::string expect_rate;
  std::string token_file;
  std::string wait;
  bool share = false;
  bool peer_stdio = false;
};

struct NcclRequest {
  std::uint64_t seconds = 0;                ///< that all sizes share
  std::vector<CollectiveKind> collectives;  ///< in the order of the command line
  /// What PyTorch can measure, too.
  bool is_all_reduce_alone() const {
    return collectives.size() == 1 && collectives[0].word == kCollectives[0].word;
  }
};

cli::Command test_program(TestOptions& into);

/// Parses the numbers among the options. Every mistake is Errc::invalid and names the option.
Result<MeasureRequest> request_of(const TestOptions& options);
/// The same of --nccl.
Result<NcclRequest> nccl_request_of(const TestOptions& options);
/// The same of --mesh, but for the launcher's variables and the tokens.
Result<MeshRequest> mesh_request_of(const TestOptions& options);

}  // namespace nettune::tools::measure::program
