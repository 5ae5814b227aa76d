// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/messages.hpp"
#include "core/engine.hpp"
#include "node/boot_trial.hpp"
#include "node/carry_out.hpp"
#include "node/check/checking.hpp"
#include "node/job_environment.hpp"
#include "node/own_units.hpp"
#include "node/planning.hpp"
#include "node/recorded.hpp"
#include "node/state_view.hpp"
#include "node/summary.hpp"

/// One JSON document per command, as described in docs/schema. Invalid UTF-8 is replaced, so that
/// the document is always valid.
namespace nettune::cli::json {

std::string error(const Error& error, node::Exit exit);
/// `known` says which profiles match this node.
std::string list(const std::vector<node::Match>& profiles, bool known);
std::string recommend(const std::vector<node::Match>& matches);
/// `values` is as in state.schema.json; empty if unknown.
std::string facts(const facts::Facts& facts, const node::RecordedValues& values = {});
std::string show(const profile::Resolved& resolved);
std::string env(const node::JobEnvironment& environment);
/// `set` has the --set values: apply needs them to make the same plan. `refused` says why apply
/// would not begin.
std::string plan(const node::Planned& planned, const std::map<std::string, std::string>& set,
                 const node::StateView& state, const std::string& refused);

/// The result of apply, reapply or rollback.
std::string changed(const std::string& command, const node::Changed& changed,
                    const std::map<std::string, std::string>& set);
/// The result of recover, which has only a report.
std::string outcome(const std::string& command, const std::optional<Report>& report);
/// Includes a check of the confirmed state.
std::string confirmed(const Report& report, const node::check::Checked& checked);

std::string check(const node::check::Checked& checked);
std::string boot_trial(const node::BootTrial& trial);
/// The same on one line, for a stream.
std::string check_line(const node::check::Checked& checked);
/// check --cached: the document of the file. `stale` as node::stale_reason() says it.
std::string cached(const node::Summary& summary, const std::string& stale);
/// `summary` is for whoever may not read the state; else null.
std::string history(const std::vector<Transaction>& transactions, const node::StateView& state,
                    const node::Summary* summary = nullptr, const std::string& stale = {});
std::string status(const node::StateView& state, const std::vector<std::string>& sources_moved,
                   const std::vector<node::Awaited>& awaited, const node::OwnUnits& units,
                   const node::Summary* summary = nullptr, const std::string& stale = {});
std::string messages(const std::vector<Message>& messages);
std::string hold(std::string_view kind, const std::optional<Hold>& hold);

/// The difference of one setting for diff; `text` is the diff of a file's content, or "".
struct Difference {
  Address address;
  Origin origin;
  std::optional<std::string> now;
  std::optional<std::string> wanted;
  std::string text;
};
/// The two generations, 0 for the baseline.
struct Between {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};
/// `passages` of the active generation; none if a profile is compared. `between`: two generations
/// instead of the node.
std::string diff(const std::string& profile, const std::vector<Difference>& differences,
                 const std::vector<firewall::RequiredTraffic>& passages,
                 const std::optional<Between>& between = {});

}  // namespace nettune::cli::json
