// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/change.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

#include "base/text.hpp"
#include "cli/commands/again.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/required_traffic.hpp"

namespace nettune::cli::commands {

namespace {

bool places_files(const node::Planned& planned) {
  return std::ranges::any_of(planned.plan.items, [](const PlanItem& item) {
    return item.to_write() && item.lifetime == Lifetime::disk;
  });
}

/// Asks a person at a terminal; never a script, a service or a reader of JSON.
bool asks(const Arguments& arguments) {
  return arguments.command == Command::apply && !arguments.yes && !arguments.unattended &&
         !arguments.json && ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
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
class Shown {
 public:
  Shown(node::Context& context, const Arguments& arguments, Output& output)
      : context_(context), arguments_(arguments), output_(output) {}

  void recovery(const node::Changed& changed) {
    output_.print(text::notes(changed.notes, output_.style()));
    if (changed.recovered) output_.print(text::recovered(*changed.recovered, output_.style()));
  }

  Result<> plan(const node::Changed& changed) {
    const node::Planned& planned = *changed.planned;
    const bool worth_it = arguments_.dry_run || planned.plan.writes() || planned.record_only ||
                          planned.plan.has_not_permitted() || !planned.resolved.misfits.empty();
    if (!worth_it) return {};
    TRY_ASSIGN(const facts::Facts* const facts, context_.facts());
    if (arguments_.dry_run) output_.print(cat(changed.done, "\n"));
    text::PlanView view{facts->node.hostname, arguments_.verbose > 0,
                        arguments_.command == Command::rollback};
    view.blob = [this](const std::string& digest) -> std::optional<std::string> {
      auto blob = context_.state().blob(digest);
      return blob ? std::optional(std::move(*blob)) : std::nullopt;
    };
    output_.print(text::plan(planned, changed.state, view, output_.style()) + "\n");
    output_.flush();
    return {};
  }

  bool agrees(const node::Changed& changed) {
    const std::size_t changes = changed.planned->plan.changes();
    output_.print(cat("Apply ", changes == 1 ? "this change" : cat("these ", changes, " changes"),
                      "? [y/N] "));
    output_.flush();
    const std::optional<std::string> answer = read_line();
    if (!answer) output_.print("\n");
    return answer == "y" || answer == "Y" || answer == "yes";
  }

  void probing(const node::Changed& changed) {
    output_.print(text::report(*changed.report, changed.done, output_.style()));
    output_.print(cat("probing for at most ", arguments_.confirm_s, " s ...\n"));
    output_.flush();
  }

  void end(const node::Changed& changed) {
    if (changed.end == node::Changed::End::nothing) output_.print(changed.done + "\n");
    if (changed.end == node::Changed::End::declined) output_.print("nothing changed\n");
    if (changed.end == node::Changed::End::shown && changed.planned->plan.writes())
      output_.print(cat("Apply it with: ", without_dry_run(arguments_), "\n"));
    if (!changed.report) return;
    const bool waits = changed.planned && !changed.planned->plan.absent.empty();
    output_.print(changed.report->outcome == Outcome::unchanged &&
                          (waits || firewall::any_dropped(changed.passages))
                      ? text::nothing_but_waits(changed.planned->plan, output_.style())
                      : text::report(*changed.report, changed.done, output_.style(),
                                     changed.planned ? &changed.planned->plan : nullptr));
    if (arguments_.command == Command::rollback && changed.planned)
      output_.print(text::staying(changed.planned->plan));
    output_.print(text::passages(changed.passages, "required traffic:", output_.style()));
  }

  void next_step(const node::Changed& changed) {
    const Outcome outcome = changed.report->outcome;
    if (outcome == Outcome::committed && arguments_.command == Command::apply)
      output_.print(cat("Undo it with: ", same_node(arguments_, "rollback"), "\n"));
    if (outcome != Outcome::waiting) return;
    if (arguments_.temporary && places_files(*changed.planned))
      output_.print("--for writes no files, so programs that read them do not see the change.\n");
    output_.print(cat(
        "It is reverted in ", arguments_.confirm_s, " s (by ", changed.undo_by, ")",
        arguments_.temporary
            ? cat(", or now with: ", same_node(arguments_, "rollback"), "\n")
            : cat(" unless you log in again and run: ", same_node(arguments_, "confirm"), "\n")));
  }

 private:
  node::Context& context_;
  const Arguments& arguments_;
  Output& output_;
};

/// In JSON, a line of its own becomes a note.
void add_notes(node::Changed& changed) {
  if (changed.end == node::Changed::End::nothing)
    for (const std::string_view line : split(changed.done, '\n')) changed.notes.emplace_back(line);
  if (changed.end == node::Changed::End::shown) changed.notes.push_back(changed.done);
}

}  // namespace

Result<node::Exit> change(Invocation& context, Output& output, node::ChangeSpec spec) {
  const Arguments& arguments = context.arguments();
  Shown shown(context, arguments, output);
  const std::string command = spec.command;
  node::ChangeListener listener;
  listener.begun = [&](const node::Changed& now) {
    if (!arguments.json) shown.recovery(now);
  };
  listener.planned = [&](const node::Changed& now) {
    return arguments.json ? Result<>() : shown.plan(now);
  };
  listener.probing = [&](const node::Changed& now) {
    if (!arguments.json) shown.probing(now);
  };
  if (asks(arguments))
    listener.agrees = [&](const node::Changed& now) { return shown.agrees(now); };
  TRY_ASSIGN(node::Changed changed, node::carry_out(context, arguments, std::move(spec), listener));
  if (arguments.json) {
    add_notes(changed);
    output.print(json::changed(command, changed, arguments.set));
  } else {
    shown.end(changed);
  }
  const std::optional<Report>& told = changed.report ? changed.report : changed.recovered;
  if (changed.end == node::Changed::End::refused)
    output.complain(text::error(Error{Errc::denied, changed.refused, 0, {}, 0}, Style{}));
  else if (told && told->error && changed.exit != node::Exit::done)
    output.complain(text::error(*told->error, Style{}));
  if (!arguments.json && changed.report) shown.next_step(changed);
  return changed.exit;
}

}  // namespace nettune::cli::commands
