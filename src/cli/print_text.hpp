// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/advice.hpp"
#include "checks/lossless.hpp"
#include "checks/passage.hpp"
#include "checks/switch_half.hpp"
#include "cli/output.hpp"
#include "core/engine.hpp"
#include "node/planning.hpp"
#include "node/state_view.hpp"

/// What people read. Everything that came from outside is made printable on its way into a line.
namespace nettune::cli::text {

/// What devices that were away, or refused, still have to get; "" for nothing.
std::string debts(const Debts& debts);
/// How pay_debts() ended.
std::string paid(const Report& report, const Style& style);

/// "ens1: error text" with file and line, and a final newline.
std::string error(const Error& error, const Style& style);
/// `known`: which of them match this node.
std::string list(const std::vector<Match>& profiles, bool known, const Style& style);
/// Which profile is for this node and why, and why the others are not. `node` is its host name.
std::string recommend(const std::vector<Match>& matches, const std::string& node,
                      const Style& style);
std::string show(const profile::Resolved& resolved, bool with_origin, const Style& style);
std::string facts(const facts::Facts& facts, const Style& style);
/// How much of a plan is shown, and around it.
struct PlanView {
  std::string node;          ///< the host name of the node that is planned for
  bool all = false;          ///< -v: each side effect of the kernel, and files in full
  bool undoes = false;       ///< a rollback: nothing is said of how that would be undone
  std::string closing = {};  ///< a line before the count, which is the last one
  /// The content of a file by its digest, where the profile does not have it.
  std::function<std::optional<std::string>(const std::string&)> blob = {};
};
std::string plan(const Planned& planned, const StateView& state, const PlanView& view,
                 const Style& style);
/// "3 to add, 7 to change, 1 to remove"; "nothing to change" for none.
std::string changes_counted(const Plan& plan);
std::string check(const Held& held, const Transaction& active,
                  const std::vector<checks::Passage>& passages, const Style& style);
/// How data goes through every lossless port, and where its layers do not agree.
std::string chains(const std::vector<checks::Chain>& chains, const Style& style);
/// What becomes of traffic that has to get in, below a heading; "" for none.
std::string passages(const std::vector<checks::Passage>& passages, std::string_view heading,
                     const Style& style);
/// The same of what is not let in, or not known to be, and how much is: one line where all is.
std::string passages_in_short(const std::vector<checks::Passage>& passages, const Style& style);
/// What the switches say, and where that differs from what this node has.
std::string switches(const std::vector<checks::SwitchHalf>& switches, const Style& style);
/// One line for each thing that could be better or does not work, one for what is unknown for the
/// same reason, and how many rules were asked.
std::string advice(const std::vector<checks::Advice>& advice, const Style& style);
/// `plan` is what was carried out, where it was not shown.
std::string report(const Report& report, const std::string& what, const Style& style,
                   const Plan* plan = nullptr);
/// What does not hold and nobody refuses: a line each; "" for none.
std::string warnings(const Plan& plan, const Style& style, const std::vector<Warning>& others = {});
/// ", 2 warnings", for a first line; "" for none.
std::string warnings_counted(const Plan& plan, const std::vector<Warning>& others = {});
/// A plan without writes of which something waits for its device.
std::string nothing_but_waits(const Plan& plan, const Style& style);
/// What a rollback leaves as it is, and why: a line each; "" for nothing.
std::string staying(const Plan& plan);
/// How bringing an unfinished transaction to its end went.
std::string recovered(const Report& report, const Style& style);
/// As Engine::recover_active().
std::string recovered_active(const Report& report, const Style& style);
std::string history(const std::vector<Transaction>& transactions, const Style& style);
std::string status(const StateView& state, const std::vector<std::string>& sources_moved,
                   const Style& style);
/// A label and a text behind it, wrapped, the lines below indented.
std::string labelled(const std::string& label, std::string_view text, const Style& style);
/// Lines that start with "note: ".
std::string notes(const std::vector<std::string>& notes, const Style& style);
/// "2026-08-21 06:18" in local time.
std::string time(std::int64_t seconds);
/// "14:03:22", local time.
std::string clock(std::int64_t seconds);

}  // namespace nettune::cli::text
