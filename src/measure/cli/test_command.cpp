// SPDX-License-Identifier: Apache-2.0
#include "measure/cli/test_command.hpp"

#include <unistd.h>

#include "base/text.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "measure/cli/print_test.hpp"
#include "measure/cli/session.hpp"
#include "node/signals.hpp"

namespace nettune::measure {
namespace {

using cli::Exit;

/// What would be disturbed, on both nodes.
std::string busy_text(const Session& session) {
  std::string out;
  for (const NodeView* view : {&session.ours, &session.theirs}) {
    for (const std::string& one : view->busy)
      out += cat("\n  ", printable(view->host), ": ", printable(one));
    if (session.is_this_node()) break;
  }
  return out;
}

Exit exit_of(const Measurement& one) {
  if (one.error) return Exit::unknown;
  const Grade verdict = one.verdict();
  return verdict == Grade::low || verdict == Grade::bad ? Exit::drift : Exit::done;
}

}  // namespace

Result<Exit> test_peer(cli::Context& context, const TestOptions& options,
                       const MeasureRequest& request, cli::Output& output) {
  const cli::DeferredSignals signals;
  const Cancelled cancelled = [] { return cli::DeferredSignals::arrived(); };
  TRY_ASSIGN(const Session session,
             open_session(context, options.peer, options.command, options.ports));
  for (const std::string& note : session.notes) output.complain(cat("note: ", note, "\n"));
  const std::string busy = busy_text(session);
  if (!busy.empty() && !options.share) {
    const Error error{Errc::denied,
                      cat("a measurement would disturb running jobs:", busy,
                          "\nwait until it has finished, or measure anyway with --share"),
                      0,
                      {},
                      0};
    if (options.json) output.print(cli::json::error(error, Exit::refused));
    output.complain(cli::text::error(error, cli::Style{}));
    return Exit::refused;
  }
  TRY_ASSIGN(const std::vector<Path> paths, paths_to(session, options.peer, options.address));
  Exit exit = Exit::done;
  for (const Path& path : paths) {
    if (cancelled()) break;
    Progress progress(!options.json && ::isatty(STDERR_FILENO) == 1);
    if (!options.json) output.print(heading(path.ends, output.style()));
    output.flush();
    measure_path(
        path, session.ours, session.theirs, request, cancelled,
        [&](const std::string& what) { progress.show(what); },
        [&](const Measurement& one) {
          progress.clear();
          output.print(options.json ? json_line(one) : line_of(one, output.style()));
          output.flush();
          exit = cli::worse(exit, exit_of(one));
        });
    progress.clear();
  }
  if (!cancelled()) return exit;
  output.complain("stopped; nothing was left behind\n");
  return Exit::failed;
}

}  // namespace nettune::measure
