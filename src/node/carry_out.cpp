// SPDX-License-Identifier: Apache-2.0
#include "node/carry_out.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/text.hpp"
#include "kernel/rtnl.hpp"
#include "node/confirm/connection.hpp"
#include "node/confirm/probing.hpp"
#include "node/confirm/undo_timer.hpp"
#include "node/devices.hpp"
#include "node/identity.hpp"
#include "node/objections.hpp"
#include "node/required_traffic.hpp"
#include "node/signals.hpp"
#include "node/unit_files.hpp"

namespace nettune::node {

namespace {

/// Devices appear together, and each one starts a reapply; automation does not try again.
constexpr std::int64_t kUnattendedPatience_s = 60;

class Change {
 public:
  Change(Context& context, const ChangeRequest& request, ChangeSpec spec,
         const ChangeListener& listener)
      : context_(context), request_(request), spec_(std::move(spec)), listener_(listener) {}

  Result<Changed> go() {
    TRY(prepare());
    listener_.begun(run_);
    if (spec_.ends_window && may_write() && !run_.recovered)
      return stop({Exit::failed,
                   "the change that waited was confirmed or reverted in the meantime; see nettune "
                   "history"});
    if (run_.recovered && exit_of(*run_.recovered) == Exit::unfinished)
      return end(Exit::unfinished);
    if (!may_write() && !shows_window() && run_.state.is_open())
      return stop({run_.state.exit(), cat("a transaction is unfinished",
                                          run_.state.exit() == Exit::unfinished
                                              ? cat("; ", spec_.command,
                                                    " would end it first, as recover does, "
                                                    "and what it does then depends on the result")
                                              : std::string())});
    // Ending an open window needs only the journal.
    if (const auto known = refuse_damaged(run_.state); !known && !spec_.ends_window)
      return stop({Exit::unfinished, known.error().text});
    if (const Objection hold = objection_of_hold(run_.state, request_); hold.exit != Exit::done)
      return stop(hold);
    TRY_ASSIGN(run_.planned, spec_.make(run_.state, spec_));
    run_.done = spec_.done;
    if (!run_.planned) return nothing();
    TRY(listener_.planned(run_));
    TRY_ASSIGN(const Objection why_not, objection());
    if (why_not.exit != Exit::done) return stop(why_not);
    if (request_.dry_run) return shown();
    if (listener_.agrees && run_.planned->plan.writes()) {
      TRY_ASSIGN(const bool moved, ask());
      if (run_.end == Changed::End::declined) return end(Exit::failed);
      if (moved)
        return stop(
            {Exit::failed,
             "another nettune changed this node in the meantime, so nothing was written; review "
             "the plan again"});
      TRY_ASSIGN(const Objection since, judge_again());
      if (since.exit != Exit::done) return stop(since);
    }
    auto probes = confirm::probes_that_succeed_now(
        writes() ? request_.probes : std::vector<confirm::Probe>(), request_.confirm_s);
    if (!probes) return stop({Exit::refused, probes.error().text});
    probes_ = std::move(*probes);
    TRY(apply());
    if (run_.report->outcome == Outcome::waiting && !probes_.empty()) TRY(settle());
    if (!context_.image()) tell_of_units();
    look_at_passages();
    return end(exit_of_run());
  }

 private:
  /// A setting that waits for its device is not as requested.
  Exit exit_of_run() const {
    const Exit exit = exit_of(*run_.report);
    return exit == Exit::done && (waits_for_devices() || firewall::any_dropped(run_.passages))
               ? Exit::drift
               : exit;
  }

  bool waits_for_devices() const { return !run_.planned->plan.absent.empty(); }

  void tell_of_units() {
    std::vector<Address> written;
    for (const PlanItem& item : run_.planned->plan.items)
      if (item.to_write()) written.push_back(item.setting.address);
    tell_systemd(context_, written, request_.allow_busy, *run_.report);
  }

  /// Required traffic must get through, whoever else filters it.
  void look_at_passages() {
    const Outcome outcome = run_.report->outcome;
    if (outcome == Outcome::committed || outcome == Outcome::waiting ||
        outcome == Outcome::unchanged)
      run_.passages = traffic_now(context_, run_.planned->resolved.desired.admissions);
  }

  bool may_write() const { return context_.is_root() && !request_.dry_run; }
  bool shows_window() const { return spec_.ends_window && request_.dry_run; }

  /// Without root, and with --dry-run, nothing is repaired; this uses what can be read.
  Result<> prepare() {
    if (may_write()) {
      const std::int64_t patience_s = request_.unattended ? kUnattendedPatience_s : 0;
      TRY_ASSIGN(WriteAccess writing, take_write_access(context_, {spec_.ends_window, patience_s}));
      lock_ = std::move(writing.lock);
      run_.recovered = std::move(writing.recovered);
      run_.notes = std::move(writing.notes);
      run_.state = std::move(writing.state);
    } else {
      TRY_ASSIGN(run_.state, context_.look_at_state(OnDamage::tell));
    }
    run_.state.volatile_reason = volatile_file_system(context_.state().directory());
    return add_older_baselines(context_.disk(), context_.state(), run_.state);
  }

  /// Releases the lock while a person answers, which may take an hour. Returns true if the state
  /// changed since the plan was made.
  Result<bool> ask() {
    TRY_ASSIGN(const std::string before, context_.state_stamp());
    lock_.reset();
    if (!listener_.agrees(run_)) {
      run_.end = Changed::End::declined;
      return false;
    }
    TRY_ASSIGN(WriteAccess writing, lock_state(context_));
    lock_ = std::move(writing.lock);
    TRY_ASSIGN(const std::string after, context_.state_stamp());
    return before != after;
  }

  /// While a person thinks, a job may start, somebody may log in, or a device may be renamed. So
  /// the node is read again and the plan made anew; it must equal the accepted one.
  Result<Objection> judge_again() {
    const std::string agreed = run_.planned->plan.digest();
    context_.forget();
    TRY_ASSIGN(run_.planned, spec_.make(run_.state, spec_));
    if (!run_.planned || run_.planned->plan.digest() != agreed)
      return Objection{
          Exit::failed,
          "the node changed in the meantime, so nothing was written; review the plan again"};
    return objection();
  }

  Result<Objection> objection() {
    Objection found = objection_to_plan(spec_.command, *run_.planned, request_);
    if (found.exit != Exit::done) return found;
    if (auto why = spec_.objection(*run_.planned); !why.empty())
      return Objection{Exit::failed, std::move(why)};
    if (!context_.is_root() && !request_.dry_run && writes())
      return Objection{Exit::not_permitted, needs_root(context_).value().text};
    TRY_ASSIGN(const facts::Facts* const facts, context_.facts());
    if (Objection denied = objection_to_denied(run_.planned->plan, facts->node);
        denied.exit != Exit::done)
      return denied;
    if (!writes()) return Objection{};
    if (Objection lost = objection_to_lost(*run_.planned, context_.state());
        lost.exit != Exit::done)
      return lost;
    return objection_of_node(spec_.command, *run_.planned, run_.state, *facts, request_);
  }

  bool writes() const { return run_.planned->plan.writes() || run_.planned->record_only; }

  Result<> apply() {
    if (!writes()) {
      run_.report.emplace();
      run_.report->outcome = Outcome::unchanged;
      run_.report->debts = run_.planned->plan.debts_after();
      return {};
    }
    TRY(ensure_lock(context_, lock_));
    ApplyOptions options;
    options.action = spec_.action;
    options.image = awaits_first_boot(context_, run_.planned->plan);
    options.cancelled = DeferredSignals::arrived;
    TRY(follow_devices(context_, *run_.planned, options));
    TRY(arm(options));
    TRY_ASSIGN(const Providers* const providers, context_.providers());
    TRY_ASSIGN(Engine engine, make_engine(context_, *providers));
    const DeferredSignals signals;
    run_.report = engine.apply(run_.planned->plan, run_.planned->resolved.desired, options);
    if (run_.report->outcome == Outcome::waiting) {
      TRY_ASSIGN(run_.state, context_.look_at_state());
      run_.state.at_work.reset();  // that is this process
    }
    return {};
  }

  /// The probes decide instead of a person.
  Result<> settle() {
    listener_.probing(run_);
    const Transaction& waiting = run_.state.journal.transaction;
    const std::string id = waiting.id;
    const std::int64_t deadline_s = waiting.confirm_deadline_s;
    lock_.reset();  // a person may be faster
    auto settled = confirm::settle_by_probes(context_, probes_, id, deadline_s);
    TRY_ASSIGN(run_.state, context_.look_at_state());
    run_.state.at_work.reset();
    if (!settled)
      return fail_in(cat("probing; unless confirmed, the change is reverted by ", run_.undo_by),
                     std::move(settled).error());
    run_.report = std::move(*settled);
    return {};
  }

  /// With --confirm the undo is armed from here on, whatever happens to this process.
  Result<> arm(ApplyOptions& options) {
    if (request_.confirm_s == 0) return {};
    options.confirm_deadline_s = boottime_s() + request_.confirm_s;
    options.temporary = request_.temporary;
    options.boottime_ms = boottime_ms;
    auto armed = confirm::arm_undo(context_.state().directory(), options.confirm_deadline_s);
    if (!armed)
      return fail_in("nothing was written, because nothing would revert it",
                     std::move(armed).error());
    run_.undo_by = std::move(*armed);
    return {};
  }

  /// Nothing to plan or write; `done` says why.
  Changed nothing() {
    run_.end = Changed::End::nothing;
    return end(shows_window() ? Exit::drift : Exit::done);
  }

  /// Only the plan was requested. What would stay apart after it counts, too.
  Changed shown() {
    run_.end = Changed::End::shown;
    const Plan& plan = run_.planned->plan;
    const bool apart = plan.writes() || waits_for_devices() || !plan.debts_after().empty() ||
                       firewall::any_dropped(run_.planned->passages);
    return end(apart ? Exit::drift : Exit::done);
  }

  Changed stop(const Objection& objection) {
    run_.end = Changed::End::refused;
    run_.refused = objection.why;
    return end(objection.exit);
  }

  Changed end(Exit exit) {
    if (run_.report && run_.report->outcome == Outcome::waiting && !request_.temporary)
      await_new_logins();
    run_.exit = exit;
    return std::move(run_);
  }

  /// check_connection() accepts a login that begins after apply has returned.
  void await_new_logins() {
    constexpr std::int64_t kTick_ms = 10;  // resolution of the start time in /proc/PID/stat
    lock_.reset();
    const std::int64_t from_ms =
        run_.state.journal.transaction.applied_ms + confirm::kLoginDelay_ms + kTick_ms;
    while (boottime_ms() < from_ms)
      std::this_thread::sleep_for(std::chrono::milliseconds(kTick_ms));
  }

  Context& context_;
  const ChangeRequest& request_;
  ChangeSpec spec_;
  const ChangeListener& listener_;
  Changed run_;
  std::optional<Lock> lock_;            ///< absent while there is no state directory
  std::vector<confirm::Probe> probes_;  ///< with addresses instead of names
};

}  // namespace

Result<Changed> carry_out(Context& context, const ChangeRequest& request, ChangeSpec spec,
                          const ChangeListener& listener) {
  return Change(context, request, std::move(spec), listener).go();
}

}  // namespace nettune::node
