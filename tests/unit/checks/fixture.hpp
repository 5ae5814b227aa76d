// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/text.hpp"
#include "checks/advice.hpp"

namespace nettune::checks {

/// Those of check, and one of doctor's whose values are known.
inline Observables observables() {
  Observables known{{facts::kObservables.begin(), facts::kObservables.end()}};
  known.all.push_back({"gpu.driver", "loaded|absent|nouveau|mismatch"});
  return known;
}

inline Result<std::vector<Rule>> rules_with_remedy(const std::string& remedy,
                                                   const std::string& want = "loaded") {
  return parse_rules(cat("schema = 1\n[rule.r]\nlooks_at = \"gpu.driver\"\nwant = \"", want,
                         "\"\nseverity = \"fault\"\nwhy = \"w\"\nsource = \"s\"\n", remedy),
                     "r.toml", observables());
}

inline std::string rule(const std::string& lines) {
  return cat("schema = 1\n[rule.r]\nlooks_at = \"link.fec\"\nwhy = \"w\"\nremedy = \"do\"\n",
             "source = \"s\"\n", lines);
}

}  // namespace nettune::checks
