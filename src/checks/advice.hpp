// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "facts/observe.hpp"

namespace nettune::checks {

/// An expectation about something that nettune reads and does not set. Rules are data: a TOML file
/// with one table for each (docs/checks.md). Exactly one of want, at_least and at_most is set.
struct Rule {
  std::string id;
  std::string looks_at;           ///< facts::Observation::what
  std::vector<std::string> want;  ///< the good values
  std::optional<std::int64_t> at_least;
  std::optional<std::int64_t> at_most;
  std::int64_t from_gbps = 0;  ///< only for links with at least this speed now
  std::optional<std::int64_t> below_gbps;
  bool is_fault = false;  ///< it does not work; otherwise it could be better
  std::string why;
  std::string remedy;
  std::string source;
};

/// Parses the text of a catalogue. Every mistake is Errc::invalid, with file and line.
Result<std::vector<Rule>> parse_rules(std::string_view text, const std::string& file);

enum class Opinion { good, advice, fault, unknown };
std::string_view opinion_text(Opinion opinion);  ///< "good", "advice", "fault", "unknown"

/// A rule applied to a device.
struct Advice {
  Opinion opinion = Opinion::unknown;
  std::string device;
  std::string rule;  ///< its id
  std::string seen;  ///< the observation, or why it is unknown
  std::string why;   ///< from the rule, as are the next two
  std::string remedy;
  std::string source;
};

/// Applies every rule to all its observations, in the order of the observations. A rule for a link
/// speed skips other links; if the link's speed is not known, the result is unknown.
std::vector<Advice> judge(const std::vector<Rule>& rules,
                          const std::vector<facts::Observation>& observations);

}  // namespace nettune::checks
