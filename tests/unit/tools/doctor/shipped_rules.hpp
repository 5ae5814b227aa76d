// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <vector>

#include "checks/advice.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::test {

/// The rules that the package installs.
inline const std::vector<checks::Rule>& shipped_rules() {
  static const std::vector<checks::Rule> rules = [] {
    std::vector<checks::Rule> all;
    for (const auto& entry : std::filesystem::directory_iterator(NETTUNE_SOURCE_DIR "/checks")) {
      std::ifstream file(entry.path());
      std::ostringstream text;
      text << file.rdbuf();
      auto parsed = checks::parse_rules(text.str(), entry.path().string(),
                                        {tools::doctor::all_observables()});
      if (!parsed) {
        ADD_FAILURE() << parsed.error().file << ":" << parsed.error().line << ": "
                      << parsed.error().text;
        continue;
      }
      all.insert(all.end(), parsed->begin(), parsed->end());
    }
    return all;
  }();
  return rules;
}

}  // namespace nettune::test
