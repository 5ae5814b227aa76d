// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checks/advice.hpp"
#include "tools/doctor/machine.hpp"

namespace nettune::tools::doctor {

/// A rule applied to an observation.
struct Finding {
  const checks::Rule* rule = nullptr;  ///< of the rules that were given
  checks::Opinion opinion = checks::Opinion::unknown;
  facts::Observation seen;
  std::string text;
  std::optional<std::size_t> explained_by;  ///< index in Judged::findings
  std::string ignored;                      ///< why the site ignores it; "" if it does not

  bool is_bad() const {
    return ignored.empty() &&
           (opinion == checks::Opinion::fault || opinion == checks::Opinion::advice);
  }
};

/// A finding that the site accepts: [doctor] ignore in site.toml.
struct Ignore {
  std::string id;
  std::string device;  ///< a glob; "" for every device
  std::string until;   ///< "2026-12-31", the last day; "" for always
  std::string why;
};

struct Judged {
  /// Faults come first, in the order in which they should be fixed.
  std::vector<Finding> findings;
  std::vector<std::string> notes;  ///< ignores that expired, or that name no rule

  std::size_t count(checks::Opinion opinion) const;
  std::size_t ignored() const;
  bool has_fault() const;
};

struct JudgeRequest {
  std::vector<Ignore> ignores;
  std::string today;  ///< "2026-11-24"
};

/// Applies every rule to all its observations. `rules` must outlive the result.
Judged judge(const std::vector<checks::Rule>& rules, const Machine& machine,
             const std::vector<facts::Observation>& observations, const JudgeRequest& request);

}  // namespace nettune::tools::doctor
