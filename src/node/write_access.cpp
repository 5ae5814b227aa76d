// SPDX-License-Identifier: Apache-2.0
#include "node/write_access.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "facts/collect.hpp"
#include "node/device_index.hpp"
#include "node/devices.hpp"
#include "node/identity.hpp"
#include "node/signals.hpp"
#include "node/unit_files.hpp"

namespace nettune::node {

namespace {

/// Locates the devices of an open transaction. Gathers facts only if it has any.
Result<RecoverOptions> recover_options(Context& context, const Transaction& transaction) {
  RecoverOptions options;
  const bool bound = std::any_of(transaction.records.begin(), transaction.records.end(),
                                 [](const Record& record) { return !record.device.empty(); });
  if (!bound) return options;
  // Only the devices, nothing of the site file: a mistake there must not block an undo.
  TRY_ASSIGN(const facts::Facts facts,
             context.image() ? Result<facts::Facts>() : facts::collect(facts::live()));
  TRY_ASSIGN(const std::string boot, boot_id(context.disk()));
  const bool same_boot = boot == transaction.identity.boot_id;
  options.locate = [names = DeviceNames(facts),
                    indexes = same_boot ? DeviceIndexes::parse(transaction.device_token)
                                        : DeviceIndexes()](const Address& address,
                                                           const std::string& device) {
    auto now = indexes.locate(address, device);
    return now ? now : names.locate(address, device);
  };
  return options;
}

Result<> set_foreign_aside(Context& context, WriteAccess& writing) {
  if (!writing.state.foreign) return {};
  TRY_ASSIGN(const Identity identity, personal_identity(context.disk(), context.image()));
  TRY_ASSIGN(const std::string path, context.state().set_aside(cat(identity.time_s)));
  writing.notes.push_back(cat("the state of another machine (machine-id ",
                              printable(*writing.state.foreign), ") is now in ", path));
  TRY_ASSIGN(writing.state, context.look_at_state(OnDamage::tell));
  return {};
}

}  // namespace

Failure needs_root(const Context& context) {
  return fail(Errc::denied, cat("this needs root: try ", context.locations().again));
}

Result<Engine> make_engine(Context& context, const Providers& providers) {
  TRY_ASSIGN(Identity identity, personal_identity(context.disk(), context.image()));
  return Engine(context.disk(), context.state(), providers, std::move(identity),
                profile::kept_transactions(context.disk(), context.profile_sources()));
}

Result<Report> run_recovery(Context& context, const Recovery& how) {
  TRY_ASSIGN(const JournalStatus journal, context.state().journal());
  TRY_ASSIGN(RecoverOptions options, recover_options(context, journal.transaction));
  options.abandon = how.abandon;
  options.expire_window = how.expire_window;
  options.why = how.why;
  TRY_ASSIGN(const Providers* const providers, context.providers());
  TRY_ASSIGN(Engine engine, make_engine(context, *providers));
  Report report;
  {
    const DeferredSignals signals;
    report = engine.recover(options);
  }
  std::vector<Address> written;
  for (const Record& record : journal.transaction.records) written.push_back(record.address);
  if (!context.image()) tell_systemd(context, written, false, report);
  return report;
}

Result<> follow_devices(Context& context, const Planned& planned, ApplyOptions& options) {
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  TRY_ASSIGN(std::string token, token_of(planned.resolved.desired));
  DeviceIndexes indexes(*facts);
  options.device_token = indexes.with_indexes(std::move(token), planned.plan);
  options.locate = [indexes = std::move(indexes)](const Address& address,
                                                  const std::string& device) {
    auto now = indexes.locate(address, device);
    return now ? now : std::optional(address);
  };
  return {};
}

Result<Report> pay_debts(Context& context, const StateView& state) {
  TRY_ASSIGN(const Providers* const providers, context.providers());
  TRY_ASSIGN(Engine engine, make_engine(context, *providers));
  TRY_ASSIGN(Desired desired, engine.target(state.active ? state.active->number : 0));
  PlanRequest request;
  request.debts = state.debts;
  request.only_debts = true;
  request.per_device = true;
  // The restore was requested when the plan was made.
  request.allow_management = true;
  request.accept_owners = true;
  TRY_ASSIGN(const Planned planned,
             plan_desired(context, std::move(desired), state.active, request));
  ApplyOptions options;
  options.action = kPay;
  TRY(follow_devices(context, planned, options));
  const DeferredSignals signals;
  Report report = engine.apply(planned.plan, planned.resolved.desired, options);
  if (report.outcome == Outcome::unchanged) report.debts = state.debts;
  for (const PlanItem& item : planned.plan.items)
    if (item.for_good && find_debt(planned.plan.debts, item.setting.address) != nullptr)
      report.left.push_back({item.setting.address, item.now.value(), item.setting.want,
                             item.now.value(), item.now.why});
  return report;
}

Result<WriteAccess> lock_state(Context& context, std::int64_t patience_s) {
  if (!context.is_root()) return needs_root(context);
  WriteAccess writing;
  TRY_ASSIGN(const auto there, context.disk().info(context.state().directory()));
  if (there) {
    TRY(context.state().check_trust());
    TRY_ASSIGN(writing.lock, Lock::take(context.state().directory(), patience_s));
  }
  TRY_ASSIGN(writing.state, context.look_at_state(OnDamage::tell));
  TRY(set_foreign_aside(context, writing));
  writing.state.at_work.reset();  // that is this process
  return writing;
}

Result<WriteAccess> take_write_access(Context& context, const AccessRequest& how) {
  TRY_ASSIGN(WriteAccess writing, lock_state(context, how.patience_s));
  if (writing.state.journal.kind == JournalStatus::Kind::none) return writing;
  TRY_ASSIGN(writing.recovered,
             run_recovery(context, {.expire_window = how.ends_window,
                                    .why = how.ends_window ? "by rollback" : ""}));
  if (writing.recovered->outcome == Outcome::waiting)
    return fail(Errc::busy, join(writing.state.notes(), "; "));
  TRY_ASSIGN(writing.state, context.look_at_state(OnDamage::tell));
  return writing;
}

Result<> ensure_lock(Context& context, std::optional<Lock>& lock) {
  if (lock) return {};
  const std::string& directory = context.state().directory();
  Disk& disk = context.disk();
  TRY_ASSIGN(const auto above, disk.info(parent_path(directory)));
  if (!above)
    return fail(Errc::not_found,
                cat("the state directory ", printable(directory),
                    " cannot be created: ", printable(parent_path(directory)), " does not exist"));
  TRY(disk.make_directory(directory, 0700));
  TRY(disk.sync_directory(parent_path(directory)));
  TRY(context.state().check_trust());
  TRY_ASSIGN(lock, Lock::take(directory));
  TRY_ASSIGN(const StateView now, context.look_at_state());
  if (now.active || now.journal.kind != JournalStatus::Kind::none)
    return fail(Errc::busy, "another nettune changed this node in the meantime; plan again");
  return {};
}

Exit exit_of(const Report& report) {
  switch (report.outcome) {
    case Outcome::committed:
      // A value that somebody changed in the last moment is not as requested.
      return report.left.empty() && report.debts.empty() ? Exit::done : Exit::drift;
    case Outcome::unchanged:
    case Outcome::waiting:
      return report.debts.empty() ? Exit::done : Exit::drift;
    case Outcome::refused:
      return Exit::refused;
    case Outcome::failed: {
      const Exit exit = report.error ? exit_for(report.error->code) : Exit::failed;
      // Nothing was begun, so nothing is unfinished.
      return exit == Exit::usage || exit == Exit::unfinished ? Exit::failed : exit;
    }
    case Outcome::rolled_back:
      return Exit::rolled_back;
    case Outcome::incomplete:
    case Outcome::abandoned:
      return Exit::unfinished;
  }
  return Exit::failed;
}

}  // namespace nettune::node
