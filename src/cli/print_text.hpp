// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/advice.hpp"
#include "checks/lossless.hpp"
#include "checks/switch_half.hpp"
#include "cli/output.hpp"
#include "core/engine.hpp"
#include "firewall/required_traffic.hpp"
#include "node/held.hpp"
#include "node/planning.hpp"
#include "node/qualify/qualify.hpp"
#include "node/state_view.hpp"

/// Texts for people. Everything from outside is made printable first.
namespace nettune::cli::text {

/// The debts of devices that were away or refused; "" for none.
std::string debts(const Debts& debts);
/// The result of pay_debts().
std::string paid(const Report& report, const Style& style);

/// "ens1: error text" with file and line, and a final newline.
std::string error(const Error& error, const Style& style);
/// `known` says which profiles match this node.
std::string list(const std::vector<node::Match>& profiles, bool known, const Style& style);
/// Which profile suits this node and why, and why the others do not. `node` is the host name.
std::string recommend(const std::vector<node::Match>& matches, const std::string& node,
                      const Style& style);
std::string show(const profile::Resolved& resolved, bool with_origin, const Style& style);
std::string facts(const facts::Facts& facts, const Style& style);
/// How much of a plan is shown.
struct PlanView {
  std::string node;          ///< the host name of the planned node
  bool all = false;          ///< -v: every side effect, and files in full
  bool undoes = false;       ///< a rollback: no word on how to undo it
  std::string closing = {};  ///< a line before the count, which comes last
  /// Finds the content of a file by its digest, if the profile does not have it.
  std::function<std::optional<std::string>(const std::string&)> blob = {};
};
std::string plan(const node::Planned& planned, const node::StateView& state, const PlanView& view,
                 const Style& style);
/// "3 to add, 7 to change, 1 to remove"; "nothing to change" for none.
std::string changes_counted(const Plan& plan);
/// `again` is the line that applies the active generation again.
std::string check(const node::Held& held, const Transaction& active,
                  const std::vector<firewall::RequiredTraffic>& passages, const std::string& again,
                  const Style& style);
/// The path of data through every lossless port, and where its layers disagree.
std::string chains(const std::vector<checks::Chain>& chains, const Style& style);
/// The fate of required traffic, below a heading; "" for none.
std::string passages(const std::vector<firewall::RequiredTraffic>& passages,
                     std::string_view heading, const Style& style);
/// The same for traffic that is blocked or unknown, with counts; one line if all is allowed.
std::string passages_in_short(const std::vector<firewall::RequiredTraffic>& passages,
                              const Style& style);
/// The configuration of the switches, and where it differs from this node's.
std::string switches(const std::vector<checks::SwitchHalf>& switches, const Style& style);
/// One line per improvement or fault, one per reason for what is unknown, and the number of rules.
std::string advice(const std::vector<checks::Advice>& advice, const Style& style);
/// `plan` is the executed plan, if it was not shown.
std::string report(const Report& report, const std::string& what, const Style& style,
                   const Plan* plan = nullptr);
/// Warnings: what does not hold although nothing refuses it, one line each; "" for none.
std::string warnings(const Plan& plan, const Style& style,
                     const std::vector<node::Warning>& others = {});
/// ", 2 warnings", for a first line; "" for none.
std::string warnings_counted(const Plan& plan, const std::vector<node::Warning>& others = {});
/// A plan without writes in which something waits for its device.
std::string nothing_but_waits(const Plan& plan, const Style& style);
/// What a rollback leaves, and why: one line each; "" for nothing.
std::string staying(const Plan& plan);
/// The result of ending an unfinished transaction.
std::string recovered(const Report& report, const Style& style);
/// As Engine::recover_active().
std::string recovered_active(const Report& report, const Style& style);
std::string history(const std::vector<Transaction>& transactions, const Style& style);
/// `more` comes after those of the state.
std::string status(const node::StateView& state, const std::vector<std::string>& more,
                   const Style& style);
/// A label and its text, wrapped and indented.
std::string labelled(const std::string& label, std::string_view text, const Style& style);
/// Lines that start with "note: ".
std::string notes(const std::vector<std::string>& notes, const Style& style);
/// "2026-08-21 06:18" in local time.
std::string time(std::int64_t seconds);
/// "14:03:22", local time.
std::string clock(std::int64_t seconds);
/// What was tried, with which result, and whether the device is as before.
std::string qualified(const node::qualify::Qualified& qualified, const Style& style);

}  // namespace nettune::cli::text
