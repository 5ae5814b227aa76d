// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tools/slurm/node.hpp"

namespace nettune::tools::slurm::program {

/// slurmd kills a HealthCheckProgram after 60 s. It begins nothing new after 50 s.
class Deadline {
 public:
  /// What is left, at most `most_ms`; 0 if nothing is.
  int left_ms(int most_ms) const;

 private:
  std::chrono::steady_clock::time_point end_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(50);
};

/// Runs scontrol, without a shell.
class Scontrol {
 public:
  Scontrol(std::string program, const Deadline& deadline)
      : program_(std::move(program)), deadline_(deadline) {}

  Result<Node> show(const std::string& node) const;
  Result<std::vector<Node>> show_all() const;
  /// `fields` are words such as "State=DRAIN"; all are set, or none is.
  Result<> update(const std::string& node, const std::vector<std::string>& fields) const;

 private:
  Result<std::string> run(std::vector<std::string> words, int left_ms) const;

  std::string program_;
  const Deadline& deadline_;
};

}  // namespace nettune::tools::slurm::program
