// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "node/check/checking.hpp"
#include "node/job_environment.hpp"
#include "node/planning.hpp"
#include "node/recorded.hpp"
#include "node/state_view.hpp"
#include "node/transact.hpp"

/// One JSON document for every command, as docs/schema describes them. Bytes that are no UTF-8 are
/// replaced, so that the document always is.
namespace nettune::cli::json {

std::string error(const Error& error, Exit exit);
/// `known`: which of them match this node.
std::string list(const std::vector<Match>& profiles, bool known);
std::string recommend(const std::vector<Match>& matches);
/// `values`: as state.schema.json has them; none where they are not known.
std::string facts(const facts::Facts& facts, const RecordedValues& values = {});
std::string show(const profile::Resolved& resolved);
std::string env(const JobEnvironment& environment);
/// `set` is what --set said: apply needs it to make the same plan again. `refused` is why apply
/// would not begin.
std::string plan(const Planned& planned, const std::map<std::string, std::string>& set,
                 const StateView& state, const std::string& refused);

/// How apply, reapply or rollback went.
std::string changed(const std::string& command, const Changed& changed,
                    const std::map<std::string, std::string>& set);
/// Of recover, which has nothing but a report to tell.
std::string outcome(const std::string& command, const std::optional<Report>& report);
/// With what was found of what was confirmed.
std::string confirmed(const Report& report, const Checked& checked);

std::string check(const Checked& checked);
/// The same on one line, for a stream of them.
std::string check_line(const Checked& checked);
std::string history(const std::vector<Transaction>& transactions, const StateView& state);
std::string status(const StateView& state, const std::vector<std::string>& sources_moved);
std::string hold(std::string_view kind, const std::optional<Hold>& hold);

/// A difference of one setting for diff: `text` is the diff of a file's content, or empty.
struct Difference {
  Address address;
  Origin origin;
  std::optional<std::string> now;
  std::optional<std::string> wanted;
  std::string text;
};
/// Which generations are compared, 0 for the baseline.
struct Between {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};
/// `passages` of what is applied; of a profile that is compared with, none. `between`: two
/// generations, and not the node.
std::string diff(const std::string& profile, const std::vector<Difference>& differences,
                 const std::vector<checks::Passage>& passages,
                 const std::optional<Between>& between = {});

}  // namespace nettune::cli::json
