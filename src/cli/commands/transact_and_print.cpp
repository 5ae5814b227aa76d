// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/transact_and_print.hpp"

#include <algorithm>
#include <ctime>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "base/text.hpp"
#include "cli/commands/suggested_lines.hpp"
#include "cli/plan_view.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/required_traffic.hpp"

namespace nettune::cli::commands {

namespace {

/// "the file is", "the 4 files are": those that a confirmed change places; "" for none. The lines
/// of one file are a kind.
std::string files_text(const Plan& plan) {
  std::set<std::string_view> files;
  for (const PlanItem& item : plan.items) {
    const Address& address = item.setting.address;
    if (item.to_write() && item.lifetime == Lifetime::disk && address.kind() != "dir")
      files.insert(address.kind() == "file" ? std::string_view(address.text) : address.kind());
  }
  if (files.empty()) return {};
  return files.size() == 1 ? "the file is" : cat("the ", files.size(), " files are");
}

/// Asks a person at a terminal; never a script, a service or a reader of JSON.
bool can_ask(const ChangeOptions& options) {
  return !options.unattended && !options.json && ::isatty(STDIN_FILENO) == 1 &&
         ::isatty(STDOUT_FILENO) == 1;
}

/// A line of standard input, without its newline; nothing at the end of input.
std::optional<std::string> read_line() {
  std::string line;
  char byte = 0;
  while (::read(STDIN_FILENO, &byte, 1) == 1) {
    if (byte == '\n') return line;
    line += byte;
  }
  return std::nullopt;
}

/// Prints the progress of a change for people.
struct Shown {
  node::Context& context;
  const ChangeOptions& options;
  Output& output;
  std::string command;
  ChangeManner manner;

  void recovery(const node::Changed& changed) {
    output.print(text::notes(changed.notes, output.style()));
    if (changed.recovered) output.print(text::recovered(*changed.recovered, output.style()));
  }

  Result<> plan(const node::Changed& changed) {
    const node::Planned& planned = *changed.planned;
    const bool worth_it = options.dry_run || planned.plan.writes() || planned.record_only ||
                          planned.plan.has_not_permitted() || !planned.resolved.misfits.empty();
    if (!worth_it) return {};
    TRY_ASSIGN(const facts::Facts* const facts, context.facts());
    if (options.dry_run) output.print(cat(changed.done, "\n"));
    text::PlanView view = text::plan_view(context, *facts, options.verbose > 0);
    view.undoes = manner.undoes;
    view.blob = [this](const std::string& digest) -> std::optional<std::string> {
      auto blob = context.state().blob(digest);
      return blob ? std::optional(std::move(*blob)) : std::nullopt;
    };
    output.print(text::plan(planned, changed.state, view, output.style()) + "\n");
    output.flush();
    return {};
  }

  bool agrees(const node::Changed& changed) {
    const std::size_t changes = text::changes_counted(changed.planned->plan);
    output.print(cat(manner.undoes ? "Roll back " : "Apply ",
                     changes == 1 ? "this change" : cat("these ", changes, " changes"),
                     "? [y/N] "));
    output.flush();
    const std::optional<std::string> answer = read_line();
    if (!answer) output.print("\n");
    return answer == "y" || answer == "Y" || answer == "yes";
  }

  void probing(const node::Changed& changed) {
    output.print(
        text::report(*changed.report, changed.done, output.style(), &changed.planned->plan));
    output.print(cat("probing for at most ", options.confirm_s, " s ...\n"));
    output.flush();
  }

  void end(const node::Changed& changed) {
    if (changed.end == node::Changed::End::nothing) output.print(changed.done + "\n");
    if (changed.end == node::Changed::End::declined) output.print("nothing changed\n");
    if (changed.end == node::Changed::End::shown && changed.planned->plan.writes())
      output.print(cat(command == "apply" ? "Apply it with: " : "Do it with: ",
                       without_dry_run(command, options.typed), "\n"));
    if (!changed.report) return;
    const bool waits = changed.planned && !changed.planned->plan.absent.empty();
    output.print(changed.report->outcome == Outcome::unchanged &&
                         (waits || firewall::any_dropped(changed.passages))
                     ? text::nothing_but_waits(changed.planned->plan, output.style())
                     : text::report(*changed.report, changed.done, output.style(),
                                    changed.planned ? &changed.planned->plan : nullptr,
                                    manner.undoes));
    const Outcome outcome = changed.report->outcome;
    const bool holds = outcome == Outcome::committed || outcome == Outcome::waiting;
    if (holds && changed.planned && !changed.planned->part.empty())
      output.print(text::notes({changed.planned->part}, output.style()));
    output.print(text::passages(changed.passages, "required traffic:", output.style()));
  }

  void next_step(const node::Changed& changed) {
    const Outcome outcome = changed.report->outcome;
    const bool wrote = changed.planned && changed.planned->plan.writes();
    if (outcome == Outcome::committed && manner.names_undo && wrote)
      output.print(cat("Undo it with: ", same_node_line(context.locations(), "rollback"), "\n"));
    if (outcome != Outcome::waiting) return;
    const std::string files = files_text(changed.planned->plan);
    if (options.temporary) {
      const std::int64_t left_s = changed.state.confirm_left_s.value_or(options.confirm_s);
      output.print(cat("It holds until ", text::clock(std::time(nullptr) + left_s),
                       files.empty() ? "" : cat("; ", files, " not written"),
                       ".\nIt is reverted then (by ", changed.undo_by,
                       "), or now with: ", same_node_line(context.locations(), "rollback"), "\n"));
      return;
    }
    if (!files.empty()) output.print(cat("When it is confirmed, ", files, " placed.\n"));
    output.print(cat("It is reverted in ", options.confirm_s, " s (by ", changed.undo_by,
                     ") unless you log in again and run: ",
                     same_node_line(context.locations(), "confirm"), "\n"));
  }
};

/// In JSON, a line of its own becomes a note.
void add_notes(node::Changed& changed) {
  if (changed.end == node::Changed::End::nothing)
    for (const std::string_view line : split(changed.done, '\n')) changed.notes.emplace_back(line);
  if (changed.end == node::Changed::End::shown) changed.notes.push_back(changed.done);
}

}  // namespace

Result<node::Exit> transact_and_print(node::Context& context, const ChangeOptions& options,
                                      Output& output, node::ChangeSpec spec,
                                      const ChangeManner& manner) {
  Shown shown{context, options, output, spec.command, manner};
  node::ChangeListener listener;
  listener.begun = [&](const node::Changed& now) {
    if (!options.json) shown.recovery(now);
  };
  listener.planned = [&](const node::Changed& now) {
    return options.json ? Result<>() : shown.plan(now);
  };
  listener.probing = [&](const node::Changed& now) {
    if (!options.json) shown.probing(now);
  };
  if (manner.asks && can_ask(options))
    listener.agrees = [&](const node::Changed& now) { return shown.agrees(now); };
  TRY_ASSIGN(node::Changed changed, node::carry_out(context, options, std::move(spec), listener));
  if (options.json) {
    add_notes(changed);
    output.print(json::changed(shown.command, changed, context.locations().set));
  } else {
    shown.end(changed);
  }
  const std::optional<Report>& told = changed.report ? changed.report : changed.recovered;
  if (changed.end == node::Changed::End::refused)
    output.complain(text::error(Error{Errc::denied, changed.refused, 0, {}, 0}, Style{}));
  else if (told && told->error && changed.exit != node::Exit::done)
    output.complain(text::error(*told->error, Style{}));
  if (!options.json && changed.report) shown.next_step(changed);
  return changed.exit;
}

}  // namespace nettune::cli::commands
