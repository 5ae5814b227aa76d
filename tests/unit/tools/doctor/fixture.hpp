// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "checks/advice.hpp"

namespace nettune::tools::doctor {

inline checks::Rule rule(const std::string& id, const std::string& what, checks::Cost cost,
                         bool is_fault, std::vector<std::string> explains = {}) {
  checks::Rule one;
  one.id = id;
  one.looks_at = what;
  one.want = {"good"};
  one.is_fault = is_fault;
  one.cost = cost;
  one.explains = std::move(explains);
  one.remedy.any = cat("mend ", id);
  return one;
}

inline facts::Observation bad(const std::string& what, const std::string& device,
                              std::vector<std::string> concerns = {}) {
  facts::Observation seen;
  seen.device = device;
  seen.what = what;
  seen.value = "bad";
  seen.text = cat(what, " of ", device);
  seen.concerns = std::move(concerns);
  return seen;
}

}  // namespace nettune::tools::doctor
