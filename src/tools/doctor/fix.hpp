// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/doctor/findings.hpp"

namespace nettune::tools::doctor {

/// The network interface that a finding is about; nullptr if it is not known.
const facts::NetDevice* interface_of(const Finding& finding, const Machine& machine);

/// A profile that resolves the findings that nettune has settings for.
struct Fix {
  std::string profile;              ///< its text; "" if there is nothing to set
  std::vector<std::string> mends;   ///< rules, in the order of the findings
  std::vector<std::string> leaves;  ///< rules that a person has to resolve
};

/// Covers the faults that are not ignored, in a profile `name` that extends `parent` ("" for none).
/// A fault is left to a person if its setting needs an interface that is not known, or whose name
/// cannot name a set, or if guests may need what it takes away.
Fix fix_of(const Judged& judged, const Machine& machine, const std::string& name,
           const std::string& parent);

}  // namespace nettune::tools::doctor
