// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "doctor/findings.hpp"

namespace nettune::doctor {

/// The findings that are settings of nettune, as a profile.
struct Fix {
  std::string profile;              ///< its text; "" where there is nothing to set
  std::vector<std::string> mends;   ///< rules, in the order of the findings
  std::vector<std::string> leaves;  ///< rules of what a person has to mend
};

/// What is bad and not ignored, in a profile `name` that extends `parent` ("" for none). Where the
/// setting needs an interface and none is known, or its name is none for a set, a person is left
/// with it.
Fix fix_of(const Judged& judged, const Machine& machine, const std::string& name,
           const std::string& parent);

}  // namespace nettune::doctor
