// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/word_table.hpp"
#include "facts/observe.hpp"

namespace nettune::checks {

/// What a finding costs, the worst first: it does not work, at half of the rate, some per cent
/// less, or nothing today.
enum class Cost { fails, halves, percent, risk };
inline constexpr auto kCosts = word_table<Cost>({
    {Cost::fails, "fails"},
    {Cost::halves, "halves"},
    {Cost::percent, "percent"},
    {Cost::risk, "risk"},
});

/// A remedy: one text, or one for each release of Debian, or one for each value that was seen.
struct Remedy {
  std::string any;                                ///< for whatever is not in the lists
  std::map<std::string, std::string> by_release;  ///< "12", "13"
  /// The value of an observation, or the pattern of a line of the kernel log, to its remedy; in the
  /// order of the values.
  std::vector<std::pair<std::string, std::string>> by_value;

  /// For one release and one value; for "" (unknown) all of them, each with its release or value.
  std::string text(const std::string& release, const std::string& value) const;
};

/// An expectation about something that nettune reads and does not set. Rules are data: a TOML file
/// with one table for each (docs/checks.md, docs/doctor.md). Exactly one of want, at_least, at_most
/// and lines is set.
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
  Remedy remedy;
  std::string source;
  // The rest is doctor's.
  std::vector<std::string> lines;  ///< globs of lines of the kernel log, which are the finding
  std::optional<std::int64_t> per_hour;  ///< so many lines within an hour; otherwise one will do
  std::int64_t within_h = 0;             ///< older lines are no finding, 0: lines of any age are
  Cost cost = Cost::percent;
  std::vector<std::string> explains;     ///< ids of rules whose findings this one causes
  std::vector<std::string> demanded_by;  ///< of kDemands
  std::string needs;                     ///< who can see it: "user", "root", "device", "group adm"
  /// What it finds may be over soon, such as a link that still trains: it needs a second reading.
  bool passing = false;
  std::string undo;  ///< how to revert the remedy; "" where there is no way
  /// Lines of a profile that mend it, where it is a setting of nettune: dotted keys. SET is a set
  /// of devices with INTERFACE alone, the interface of the finding.
  std::vector<std::string> setting;
};

/// What --for can ask for.
inline constexpr std::array<std::string_view, 5> kDemands = {"ddp", "ib", "nccl", "roce", "tcp"};

/// The lines of the kernel log: rules with `lines` look at them.
inline constexpr facts::Observable kKernelLog{"log.kernel"};

/// What rules may look at.
struct Observables {
  std::vector<facts::Observable> all;
  /// False for a reader that observes only a part, such as `nettune check`: a rule that looks at
  /// anything else is another program's, and its observation and values are not checked.
  bool is_whole = true;
};

/// Parses the text of a catalogue. Every mistake is Errc::invalid, with file and line.
Result<std::vector<Rule>> parse_rules(std::string_view text, const std::string& file,
                                      const Observables& observables);

enum class Opinion { good, advice, fault, unknown, not_permitted, not_applicable };
/// "good", "advice", "fault", "unknown", "not permitted", "not applicable"
std::string_view opinion_text(Opinion opinion);

/// Whether a rule is about what was observed: a rule for links of a speed is not about others.
bool applies(const Rule& rule, const facts::Observation& seen);
Opinion opinion_of(const Rule& rule, const facts::Observation& seen);
/// What there is to say of it: of what is unknown, why.
std::string text_of(const Rule& rule, const facts::Observation& seen);

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
