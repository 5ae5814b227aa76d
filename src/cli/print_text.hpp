// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/advice.hpp"
#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "core/engine.hpp"
#include "firewall/required_traffic.hpp"
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
/// With its file and line, if it has them; on one line if it is one.
std::string located(const Error& error);
std::string error(const Error& error, const Style& style);
/// How list and recommend show profiles, which come as match_profiles() sorts them.
struct ProfilesView {
  bool known = true;     ///< it is known which of them match this node
  bool reasons = false;  ///< -v: files, devices, and every reason in full
};
/// One line a profile.
std::string list(const std::vector<node::Match>& profiles, const ProfilesView& view,
                 const Style& style);
/// Which profile suits this node and why, and why the others do not, in at most 12 lines without
/// reasons. `node` is the host name.
std::string recommend(const std::vector<node::Match>& matches, const std::string& node,
                      const ProfilesView& view, const Style& style);
std::string show(const profile::Resolved& resolved, bool with_origin, const Style& style);
std::string facts(const facts::Facts& facts, const Style& style);
/// How much of a plan is shown.
struct PlanView {
  std::string node;          ///< the host name of the planned node
  bool all = false;          ///< -v: every setting with its origin, and files in full
  bool undoes = false;       ///< a rollback: no word on how to undo it
  std::string closing = {};  ///< the last line
  /// Finds the content of a file by its digest, if the profile does not have it.
  std::function<std::optional<std::string>(const std::string&)> blob = {};
  const facts::Facts* facts = nullptr;  ///< of the planned node
  enum class Seen { here, recorded, image };
  Seen seen = Seen::here;   ///< the planned node is this machine, a recorded one, an image
  std::string values = {};  ///< the name of the file with a recorded node's values
  bool impact = true;       ///< the plan knows what it disturbs and who would be locked out
};
std::string plan(const node::Planned& planned, const node::StateView& state, const PlanView& view,
                 const Style& style);
/// The same rows for what differs, below a title: "--- now +++ tcp-fallback".
std::string differences(const std::string& title, const node::Planned& planned,
                        const PlanView& view, const Style& style);
/// The number of changes in the plan's first line.
std::size_t changes_counted(const Plan& plan);
/// The fate of required traffic, below a heading; "" for none.
std::string passages(const std::vector<firewall::RequiredTraffic>& passages,
                     std::string_view heading, const Style& style);
/// The same for traffic that is blocked or unknown, with counts; "" if all is allowed.
std::string passages_in_short(const std::vector<firewall::RequiredTraffic>& passages,
                              const Style& style);
/// One line per improvement or fault, one per reason for what is unknown, and the number of rules.
std::string advice(const std::vector<checks::Advice>& advice, const Style& style);
/// `plan` is the executed plan, if it was not shown. `undoes`: also what the plan kept, and why.
std::string report(const Report& report, const std::string& what, const Style& style,
                   const Plan* plan = nullptr, bool undoes = false);
/// Warnings: what does not hold although nothing refuses it, one line each; "" for none.
std::string warnings(const Plan& plan, const Style& style,
                     const std::vector<node::Warning>& others = {});
/// ", 2 warnings", for a first line; "" for none.
std::string warnings_counted(const Plan& plan, const std::vector<node::Warning>& others = {});
/// A plan without writes in which something waits for its device.
std::string nothing_but_waits(const Plan& plan, const Style& style);
/// The result of ending an unfinished transaction.
std::string recovered(const Report& report, const Style& style);
/// As Engine::recover_active().
std::string recovered_active(const Report& report, const Style& style);
/// A label and its text, wrapped and indented.
std::string labelled(const std::string& label, std::string_view text, const Style& style);
/// A message in full, and all of them with one line each.
std::string message(const Message& message, const Style& style);
std::string messages(const std::vector<Message>& messages, const Style& style);
/// Lines that start with "note: ".
std::string notes(const std::vector<std::string>& notes, const Style& style);
/// "2026-08-21 06:18" in local time.
std::string time(std::int64_t seconds);
/// "06:18" if that is today, else as time().
std::string moment(std::int64_t seconds);
/// "14:03:22", local time.
std::string clock(std::int64_t seconds);
/// What was tried, with which result, and whether the device is as before.
std::string qualified(const node::qualify::Qualified& qualified, const Style& style);

}  // namespace nettune::cli::text
