// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "cli/signals.hpp"
#include "cli/unit_files.hpp"
#include "cli/writing.hpp"

namespace nettune::cli {

namespace {

std::string done_text(const Transaction& transaction) {
  return transaction.profile.empty() ? std::string("confirmed: the baseline")
                                     : cat("confirmed: ", printable(transaction.profile));
}

}  // namespace

Result<Exit> cmd_confirm(Context& context, Output& output) {
  const Arguments& arguments = context.arguments();
  TRY_ASSIGN(const Writing writing, lock_state(context));
  const Transaction& waiting = writing.state.journal.transaction;
  if (!writing.state.confirm_left_s) {
    const Error error{Errc::not_found, "nothing waits to be confirmed; see nettune history"};
    if (arguments.json) output.print(json::error(error, Exit::failed));
    output.complain(text::error(error, Style{}));
    return Exit::failed;
  }
  if (waiting.temporary) {
    const Error error{
        Errc::conflict,
        "this change was made to end by itself (apply --for); to keep it, end it with "
        "sudo nettune rollback and apply it without --for"};
    if (arguments.json) output.print(json::error(error, Exit::refused));
    output.complain(text::error(error, Style{}));
    return Exit::refused;
  }
  if (!arguments.any_connection) {
    if (const auto how = check_connection(context.disk(), ::getpid(), waiting.applied_ms); !how) {
      if (arguments.json) output.print(json::error(how.error(), Exit::refused));
      output.complain(text::error(how.error(), Style{}));
      return Exit::refused;
    }
  }
  TRY_ASSIGN(const Providers* const providers, context.providers());
  TRY_ASSIGN(Engine engine, make_engine(context, *providers));
  const DeferredSignals signals;
  Report report = engine.confirm();
  std::vector<Address> written;
  for (const Record& record : waiting.records) written.push_back(record.address);
  tell_systemd(written, report);
  output.print(arguments.json ? json::outcome("confirm", report)
                              : text::report(report, done_text(waiting), output.style()));
  if (report.error) output.complain(text::error(*report.error, Style{}));
  return exit_of(report);
}

}  // namespace nettune::cli
