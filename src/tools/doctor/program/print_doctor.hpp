// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cli/output.hpp"
#include "tools/doctor/program/diagnosis.hpp"

namespace nettune::tools::doctor::program {

namespace text {
/// With `whole`, also rules that hold or do not apply.
std::string doctor(const Diagnosis& diagnosis, bool whole, const cli::Style& style);
/// Every rule: what it reads, and who may read that.
std::string doctor_rules(const std::vector<checks::Rule>& rules, const cli::Style& style);
std::string doctor_rule(const checks::Rule& rule, const std::string& release,
                        const cli::Style& style);
}  // namespace text

namespace json {
std::string doctor(const Diagnosis& diagnosis);
std::string doctor_rules(const std::vector<checks::Rule>& rules);
}  // namespace json

/// In the exposition format of Prometheus.
std::string doctor_metrics(const Diagnosis& diagnosis, std::int64_t time_s);

}  // namespace nettune::tools::doctor::program
