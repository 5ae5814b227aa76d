// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/slurm/decide.hpp"

namespace nettune::tools::slurm::program {

/// What a check of this node came to.
enum class HealthResult { pass, fault, undecided, error };
std::string_view result_word(HealthResult result);

struct Health {
  std::string node;
  HealthResult result = HealthResult::error;
  Subject fault;  ///< of HealthResult::fault
  Decision decision;
  std::vector<std::string> warnings;  ///< what was decided and could not be done
  bool drained = false;               ///< by nettune, now
};

/// One entry for systemd's journal; none for a node without anything to report.
std::vector<std::string> journal_entry(const Health& health);
std::string health_metrics(const Health& health, std::int64_t time_s);
std::string health_text(const Health& health);
std::string health_json(const Health& health);

}  // namespace nettune::tools::slurm::program
