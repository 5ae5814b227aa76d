// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/commands/transact_and_print.hpp"
#include "core/undo_path.hpp"
#include "node/display_text.hpp"
#include "node/undo_target.hpp"
#include "node/unrecorded.hpp"

namespace nettune::cli::commands {

namespace {

struct RollbackCommand : ChangeOptions {
  /// A mistake in the site file must not block an undo.
  RollbackCommand() { forgives_site_file = true; }

  std::optional<std::uint64_t> to;  ///< a generation, 0 for the baseline
  std::string to_text;
  bool yes = false;  ///< do not ask

  Options options() {
    return joined(
        {{
             {"--to", "N|baseline", "A generation from history, or the state before the first",
              &to_text, false, generation_names},
             {"--unattended", "", "Run by automation: respect a hold", &unattended},
             root_option(*this),
             force_option(*this),
             unrecorded_option(*this, "Only remove this, which has nettune's mark but no record"),
         },
         window_options(*this),
         {allow_busy_option(*this),
          accept_owners_option(*this),
          {"--dry-run", "", "Only show what would be restored; write nothing", &dry_run},
          {"-y,--yes", "", "Do not ask before writing (asked only on a terminal)", &yes}}});
  }

  Result<> take() {
    const auto number = to_text == "baseline" ? std::optional<std::int64_t>(0) : parse_int(to_text);
    if (!to_text.empty() && (!number || *number < 0 || (*number == 0 && to_text != "baseline")))
      return fail(Errc::invalid, cat("--to takes a generation's number or \"baseline\", not \"",
                                     printable(to_text), "\""));
    if (!to_text.empty()) to = static_cast<std::uint64_t>(*number);
    TRY(take_change(*this));
    if (!unrecorded.empty() && (to || force))
      return fail(
          Errc::invalid,
          "--unrecorded removes what it names if it is exactly what nettune would write, and "
          "nothing else; it cannot be combined with --to or --force");
    return {};
  }

  Result<node::Exit> run(node::Context& context, Output& output) const;
};

std::string target_text(std::uint64_t number, const std::string& profile) {
  return number == 0 ? std::string("the baseline")
                     : cat("generation ", number, " (", printable(profile), ")");
}

bool is_baseline(const std::optional<Transaction>& active) {
  return !active || (active->profile.empty() && active->settings.empty() && active->owned.empty());
}

/// What the end of the open window restores, one line each. Files are not placed yet; what was
/// left out, or has its old value by now, is not written.
std::string window_text(const Transaction& waiting, const Providers& providers) {
  std::string lines;
  std::size_t count = 0;
  std::vector<Address> addresses;
  for (const Record& record : waiting.records) addresses.push_back(record.address);
  const auto now = read_all(std::move(addresses), providers);
  for (const Record& record : waiting.records) {
    if (!record.cause.text.empty() || record.staged) continue;
    const auto reading = now.find(record.address);
    const bool is_as_before = reading != now.end() && reading->second.has_value()
                                  ? reading->second.value() == record.before
                                  : record.before == record.after;
    if (is_as_before) continue;
    ++count;
    lines += cat("\n  ", printable(record.address.text), ": ",
                 record.before ? printable(*record.before) : std::string("absent"));
  }
  const std::string what =
      waiting.temporary ? cat("would end the ", waiting.action, " of ", printable(waiting.profile),
                              ", which was applied for a limited time")
                        : std::string("would revert the change that is waiting for confirmation");
  return cat(what, ", ", node::counted(count, "setting"), " to restore:", lines);
}

/// An image's generation has only files: a machine with only these never existed.
Result<> check_target(node::Context& context, std::uint64_t number) {
  if (number == 0 || context.image()) return {};
  auto target = context.state().generation(number);
  if (!target) {
    Error error = std::move(target).error();
    if (error.code != Errc::corrupt) return fail(std::move(error));
    // recover cannot help, and nothing is unfinished.
    error.code = Errc::conflict;
    error.text += "; or roll back to another generation (nettune history) or to the baseline";
    return fail(std::move(error));
  }
  if (!target->image) return {};
  return fail(Errc::conflict, cat("generation ", number,
                                  " was made in an image and has only its files; roll back to the "
                                  "one after it, or to the baseline"));
}

/// What stays although everything of the record is restored. 3 if there is any.
std::vector<std::string> notes_on_unrecorded(node::Context& context, node::StateView state,
                                             node::Exit& exit) {
  node::find_unrecorded(context, state);
  if (!state.unrecorded.empty()) exit = node::Exit::drift;
  return node::unrecorded_notes(state);
}

/// Removes what is named, and nothing else. 3 if some of it had to stay.
Result<node::Exit> remove_unrecorded(node::Context& context, const RollbackCommand& options,
                                     Output& output) {
  node::Exit exit = node::Exit::done;
  node::ChangeSpec removal;
  removal.command = "rollback";
  removal.make = [&](const node::StateView& state,
                     node::ChangeSpec& self) -> Result<std::optional<node::Planned>> {
    if (!state.unreadable.empty()) return node::needs_root(context);
    TRY_ASSIGN(const node::TakenOver taken, node::take_over(context, state, options.unrecorded));
    if (!taken.left.empty()) exit = node::Exit::drift;
    self.action =
        is_baseline(state.active) ? rollback_action(0) : std::string(node::kRemoveUnrecorded);
    self.done = cat(options.dry_run ? "would remove " : "removed ",
                    node::counted(options.unrecorded.size() - taken.left.size(), "thing"),
                    " without a record");
    if (taken.owned.empty()) {
      self.done = join(taken.left, "\n");
      return std::optional<node::Planned>();
    }
    TRY_ASSIGN(node::Planned planned,
               node::plan_removal(context, state, node::request_of(options, state), taken));
    return std::optional<node::Planned>(std::move(planned));
  };
  TRY_ASSIGN(const node::Exit changed,
             transact_and_print(context, options, output, std::move(removal),
                                {.asks = !options.yes, .undoes = true}));
  return node::worse(changed, exit);
}

Result<node::Exit> RollbackCommand::run(node::Context& context, Output& output) const {
  if (!unrecorded.empty()) return remove_unrecorded(context, *this, output);
  node::Exit exit = node::Exit::done;
  node::ChangeSpec rollback;
  rollback.command = "rollback";
  // The unconfirmed change is what would be rolled back.
  TRY_ASSIGN(const node::StateView now, context.look_at_state(node::OnDamage::tell));
  const bool takes_window_back = now.confirm_left_s && !now.foreign && !to;
  rollback.ends_window = takes_window_back;
  rollback.make = [&](const node::StateView& state,
                      node::ChangeSpec& self) -> Result<std::optional<node::Planned>> {
    if (!state.unreadable.empty()) return node::needs_root(context);
    if (takes_window_back) {
      TRY_ASSIGN(const Providers* const live, context.providers());
      self.done = dry_run ? window_text(state.journal.transaction, *live)
                  : now.journal.transaction.temporary
                      ? std::string("reverted what was applied for a limited time")
                      : std::string("reverted what waited for confirmation");
      return std::optional<node::Planned>();
    }
    const bool to_baseline = !to || *to == 0;
    if (is_baseline(state.active) && to_baseline && state.debts.empty()) {
      std::vector<std::string> lines = notes_on_unrecorded(context, state, exit);
      lines.insert(lines.begin(), "nothing is applied, so there is nothing to roll back");
      self.done = join(lines, "\n");
      return std::optional<node::Planned>();
    }
    std::uint64_t number = to.value_or(0);
    std::vector<std::string> passed_over;
    if (!to && !is_baseline(state.active)) {
      TRY_ASSIGN(const auto history, context.state().history());
      const auto previous = node::previous_generation(history);
      if (!previous)
        return fail(Errc::conflict,
                    "the generation before this one is no longer kept ([history] keep in the site "
                    "file); to restore the original state: sudo nettune rollback --to baseline");
      number = *previous;
      for (const Transaction& one : history)
        if (one.damaged && one.number > number)
          passed_over.push_back(
              cat("generation ", one.number, " cannot be read and is skipped: ", one.reason));
    }
    TRY(check_target(context, number));
    TRY_ASSIGN(const Providers* const providers, context.providers());
    TRY_ASSIGN(Engine engine, node::make_engine(context, *providers));
    TRY_ASSIGN(Desired desired, engine.target(number));
    self.action = rollback_action(number);
    self.done = cat(dry_run ? "would roll back to " : "rolled back to ",
                    target_text(number, desired.profile));
    node::PlanRequest request = node::request_of(*this, state);
    request.per_device = true;
    TRY_ASSIGN(node::Planned planned,
               node::plan_desired(context, std::move(desired), state.active, request));
    std::ranges::move(passed_over, std::back_inserter(planned.plan.notes));
    if (number == 0)
      std::ranges::move(notes_on_unrecorded(context, state, exit),
                        std::back_inserter(planned.plan.notes));
    return std::optional<node::Planned>(std::move(planned));
  };
  TRY_ASSIGN(const node::Exit changed,
             transact_and_print(context, *this, output, std::move(rollback),
                                {.asks = !yes, .undoes = true}));
  return node::worse(changed, exit);
}

}  // namespace

Command rollback_command() { return make_command<RollbackCommand>(Work::changes); }

}  // namespace nettune::cli::commands
