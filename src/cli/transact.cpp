// SPDX-License-Identifier: Apache-2.0
#include "cli/transact.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/text.hpp"
#include "cli/connection.hpp"
#include "cli/devices.hpp"
#include "cli/identity.hpp"
#include "cli/objections.hpp"
#include "cli/passing.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "cli/probing.hpp"
#include "cli/signals.hpp"
#include "cli/undo_timer.hpp"
#include "cli/unit_files.hpp"
#include "kernel/rtnl.hpp"

namespace nettune::cli {

namespace {

class Run {
 public:
  Run(Context& context, Output& output, Transact transact)
      : context_(context),
        output_(output),
        arguments_(context.arguments()),
        transact_(std::move(transact)) {}

  Result<Exit> go() {
    TRY(prepare());
    tell_recovery();
    if (transact_.ends_window && may_write() && !writing_.recovered)
      return stop({Exit::failed,
                   "what waited to be confirmed was confirmed, or is over, meanwhile; see nettune "
                   "history"});
    if (writing_.recovered && exit_of(*writing_.recovered) == Exit::unfinished)
      return end(Exit::unfinished);
    if (!may_write() && !shows_window() && writing_.state.is_open())
      return stop({writing_.state.exit(), "an unfinished transaction is in the way"});
    if (const Objection hold = objection_of_hold(writing_.state, arguments_);
        hold.exit != Exit::done)
      return stop(hold);
    TRY_ASSIGN(planned_, transact_.make(writing_.state, transact_));
    if (!planned_) return nothing();
    TRY(tell_plan());
    TRY_ASSIGN(const Objection why_not, objection());
    if (why_not.exit != Exit::done) return stop(why_not);
    if (arguments_.dry_run) return shown();
    auto probes = probes_that_succeed_now(writes() ? arguments_.probes : std::vector<Probe>(),
                                          arguments_.confirm_s);
    if (!probes) return stop({Exit::refused, probes.error().text});
    probes_ = std::move(*probes);
    TRY(apply());
    if (run_.report->outcome == Outcome::waiting && !probes_.empty()) TRY(settle());
    if (!context_.image()) tell_of_units();
    look_at_passages();
    return end(exit_of_run());
  }

 private:
  /// What waits for its device is not as asked for.
  Exit exit_of_run() const {
    const Exit exit = exit_of(*run_.report);
    return exit == Exit::done && (waits_for_devices() || any_dropped(run_.passages)) ? Exit::drift
                                                                                     : exit;
  }

  bool waits_for_devices() const { return !planned_->plan.absent.empty(); }

  void tell_of_units() {
    std::vector<Address> written;
    for (const PlanItem& item : planned_->plan.items)
      if (item.to_write()) written.push_back(item.setting.address);
    tell_systemd(written, *run_.report);
  }

  /// What was let in must get in, whoever else filters here.
  void look_at_passages() {
    const Outcome outcome = run_.report->outcome;
    if (outcome == Outcome::committed || outcome == Outcome::waiting ||
        outcome == Outcome::unchanged)
      run_.passages = passages_now(context_, planned_->resolved.desired.admissions);
  }

  bool may_write() const { return context_.is_root() && !arguments_.dry_run; }
  bool shows_window() const { return transact_.ends_window && arguments_.dry_run; }

  /// Without root, and for --dry-run, nothing is put in order: what can be read is looked at.
  Result<> prepare() {
    if (may_write()) {
      TRY_ASSIGN(writing_, begin_writing(context_, {transact_.ends_window, transact_.patience_s}));
    } else {
      TRY_ASSIGN(writing_.state, context_.look_at_state());
    }
    writing_.state.volatile_reason = volatile_file_system(context_.state().directory());
    run_.command = transact_.command;
    run_.recovered = writing_.recovered;
    run_.notes = writing_.notes;
    run_.state = &writing_.state;
    return {};
  }

  void tell_recovery() {
    if (arguments_.json) return;
    output_.print(text::notes(writing_.notes, output_.style()));
    if (writing_.recovered) output_.print(text::recovered(*writing_.recovered, output_.style()));
  }

  Result<> tell_plan() {
    run_.planned = &*planned_;
    const Plan& plan = planned_->plan;
    const bool worth_it = arguments_.dry_run || plan.writes() || planned_->record_only ||
                          plan.has_not_permitted() || !planned_->resolved.misfits.empty();
    if (arguments_.json || !worth_it) return {};
    TRY_ASSIGN(const facts::Facts* const facts, context_.facts());
    if (arguments_.dry_run) output_.print(cat(transact_.done, "\n"));
    output_.print(text::plan(*planned_, facts->node.hostname, writing_.state, output_.style()) +
                  "\n");
    output_.flush();
    return {};
  }

  Result<Objection> objection() {
    const Plan& plan = planned_->plan;
    Objection found = objection_to_plan(transact_.command, *planned_, arguments_);
    if (found.exit != Exit::done) return found;
    if (auto why = transact_.objection(*planned_); !why.empty())
      return Objection{Exit::failed, std::move(why)};
    if (!context_.is_root() && !arguments_.dry_run && writes())
      return Objection{Exit::not_permitted, needs_root(again()).value().text};
    const auto denied =
        std::find_if(plan.items.begin(), plan.items.end(), [](const PlanItem& each) {
          return each.verdict == Verdict::not_permitted && !each.setting.optional;
        });
    if (denied != plan.items.end())
      return Objection{Exit::not_permitted,
                       cat(denied->setting.address.text, " cannot be written here: ",
                           printable(denied->now.why), "; nothing was written (",
                           plan.count(Verdict::not_permitted), " not permitted in all)")};
    if (!writes()) return Objection{};
    TRY_ASSIGN(const facts::Facts* const facts, context_.facts());
    return objection_of_node(transact_.command, *planned_, writing_.state, *facts, arguments_);
  }

  /// What was typed, near enough to be typed again behind sudo.
  std::string again() const {
    std::string line = cat(transact_.command, arguments_.subject.empty() ? "" : " ",
                           printable(arguments_.subject));
    for (const auto& [name, value] : arguments_.set)
      line += cat(" --set ", printable(name), "=", printable(value));
    return line;
  }

  bool places_files() const {
    const std::vector<PlanItem>& items = planned_->plan.items;
    return std::any_of(items.begin(), items.end(), [](const PlanItem& item) {
      return item.to_write() && item.lifetime == Lifetime::disk;
    });
  }

  bool writes() const { return planned_->plan.writes() || planned_->record_only; }

  Result<> apply() {
    if (!writes()) {
      run_.report.emplace();
      run_.report->outcome = Outcome::unchanged;
      run_.report->debts = planned_->plan.debts_after();
      return {};
    }
    TRY(ensure_lock(context_, writing_));
    ApplyOptions options;
    options.action = transact_.action;
    options.image = awaits_first_boot(context_, planned_->plan);
    options.cancelled = DeferredSignals::arrived;
    TRY_ASSIGN(options.device_token, token_of(planned_->resolved.desired));
    TRY(arm(options));
    TRY_ASSIGN(const Providers* const providers, context_.providers());
    TRY_ASSIGN(Engine engine, make_engine(context_, *providers));
    const DeferredSignals signals;
    run_.report = engine.apply(planned_->plan, planned_->resolved.desired, options);
    if (run_.report->outcome == Outcome::waiting) {
      TRY_ASSIGN(writing_.state, context_.look_at_state());
      writing_.state.at_work.reset();  // that is this process
    }
    return {};
  }

  /// The probes decide instead of a person.
  Result<> settle() {
    if (!arguments_.json) {
      output_.print(text::report(*run_.report, transact_.done, output_.style()));
      output_.print(cat("probing, for at most ", arguments_.confirm_s, " s ...\n"));
      output_.flush();
    }
    const Transaction& waiting = writing_.state.journal.transaction;
    const std::string id = waiting.id;
    const std::int64_t deadline_s = waiting.confirm_deadline_s;
    writing_.lock.reset();  // a person may be faster
    auto settled = settle_by_probes(context_, probes_, id, deadline_s);
    TRY_ASSIGN(writing_.state, context_.look_at_state());
    writing_.state.at_work.reset();
    if (!settled)
      return fail_in(cat("probing; what is not confirmed is undone by ", undo_by_),
                     std::move(settled).error());
    run_.report = std::move(*settled);
    return {};
  }

  /// With --confirm: from here on the undo comes by itself, whatever becomes of this process.
  Result<> arm(ApplyOptions& options) {
    if (arguments_.confirm_s == 0) return {};
    options.confirm_deadline_s = boottime_s() + arguments_.confirm_s;
    options.temporary = arguments_.temporary;
    options.boottime_ms = boottime_ms;
    auto armed = arm_undo(context_.state().directory(), options.confirm_deadline_s);
    if (!armed)
      return fail_in("nothing was written, since nothing would undo it", std::move(armed).error());
    undo_by_ = std::move(*armed);
    return {};
  }

  /// Nothing to plan, let alone to write: `done` says why.
  Exit nothing() {
    const Exit exit = shows_window() ? Exit::drift : Exit::done;
    if (arguments_.json) {
      for (const std::string_view line : split(transact_.done, '\n')) run_.notes.emplace_back(line);
      return end(exit);
    }
    output_.print(transact_.done + "\n");
    return exit;
  }

  /// The plan was all that was asked for.
  Exit shown() {
    const bool writes = planned_->plan.writes();
    run_.notes.push_back(transact_.done);
    if (!arguments_.json && writes) output_.print("Do it with the same without --dry-run\n");
    return end(writes ? Exit::drift : Exit::done);
  }

  Exit stop(const Objection& objection) {
    run_.refused = objection.why;
    if (arguments_.json) output_.print(json::run(run_, arguments_.set));
    output_.complain(text::error(Error{Errc::denied, objection.why, 0, {}, 0}, Style{}));
    return objection.exit;
  }

  Exit end(Exit exit) {
    if (run_.report && run_.report->outcome == Outcome::waiting && !arguments_.temporary)
      await_new_logins();
    if (arguments_.json) {
      output_.print(json::run(run_, arguments_.set));
    } else if (run_.report) {
      const bool unchanged = run_.report->outcome == Outcome::unchanged;
      output_.print(unchanged && (waits_for_devices() || any_dropped(run_.passages))
                        ? text::nothing_but_waits(planned_->plan, output_.style())
                        : text::report(*run_.report, transact_.done, output_.style(),
                                       planned_ ? &planned_->plan : nullptr));
      output_.print(text::passages(run_.passages, "what has to get in:", output_.style()));
    }
    const std::optional<Report>& told = run_.report ? run_.report : run_.recovered;
    if (told && told->error && exit != Exit::done)
      output_.complain(text::error(*told->error, Style{}));
    if (!arguments_.json && run_.report) tell_next_step(run_.report->outcome);
    return exit;
  }

  /// A login that begins once apply has returned is newer than the change for check_connection().
  void await_new_logins() {
    constexpr std::int64_t kTick_ms = 10;  // of the start time in /proc/PID/stat
    writing_.lock.reset();
    const std::int64_t from_ms =
        writing_.state.journal.transaction.applied_ms + kLoginDelay_ms + kTick_ms;
    while (boottime_ms() < from_ms)
      std::this_thread::sleep_for(std::chrono::milliseconds(kTick_ms));
  }

  void tell_next_step(Outcome outcome) {
    if (outcome == Outcome::committed && transact_.command == "apply")
      output_.print(cat("Undo it with: sudo nettune rollback",
                        context_.image() ? cat(" --root ", printable(arguments_.root)) : "", "\n"));
    if (outcome != Outcome::waiting) return;
    if (arguments_.temporary && places_files())
      output_.print(
          "Files are not put in place by --for: what reads them does not see the change.\n");
    output_.print(cat("It is undone in ", arguments_.confirm_s, " s (by ", undo_by_, ")",
                      arguments_.temporary
                          ? ", or at once by: sudo nettune rollback\n"
                          : " unless you log in anew and say: sudo nettune confirm\n"));
  }

  Context& context_;
  Output& output_;
  const Arguments& arguments_;
  Transact transact_;
  Writing writing_;
  std::optional<Planned> planned_;
  std::vector<Probe> probes_;  ///< with addresses in the place of names
  std::string undo_by_;        ///< what waits for the deadline
  json::Run run_;
};

}  // namespace

Result<Exit> transact(Context& context, Output& output, Transact transact) {
  return Run(context, output, std::move(transact)).go();
}

}  // namespace nettune::cli
