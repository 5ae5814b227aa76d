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

/// What is held of something that nettune looks at and does not write. Rules are data: a TOML file
/// with a table for each (docs/checks.md). Exactly one of want, at_least and at_most is there.
struct Rule {
  std::string id;
  std::string looks_at;           ///< facts::Observation::what
  std::vector<std::string> want;  ///< the good values
  std::optional<std::int64_t> at_least;
  std::optional<std::int64_t> at_most;
  std::int64_t from_gbps = 0;  ///< only of links that are as fast now
  std::optional<std::int64_t> below_gbps;
  bool is_fault = false;  ///< it does not work so; else it could be better
  std::string why;
  std::string remedy;
  std::string source;
};

/// The rules in the text of a catalogue. Every mistake is Errc::invalid, with file and line.
Result<std::vector<Rule>> parse_rules(std::string_view text, const std::string& file);

enum class Opinion { good, advice, fault, unknown };
std::string_view opinion_text(Opinion opinion);  ///< "good", "advice", "fault", "unknown"

/// A rule applied to a device.
struct Advice {
  Opinion opinion = Opinion::unknown;
  std::string device;
  std::string rule;  ///< its id
  std::string seen;  ///< what was seen, or why it is unknown
  std::string why;   ///< of the rule, as the next two
  std::string remedy;
  std::string source;
};

/// Every rule on everything that it looks at, in the order of the observations. A rule for links of
/// a speed has nothing to say of others; of one whose speed is not known it says unknown.
std::vector<Advice> judge(const std::vector<Rule>& rules,
                          const std::vector<facts::Observation>& observations);

}  // namespace nettune::checks
