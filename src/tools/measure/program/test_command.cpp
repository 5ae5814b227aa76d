// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/test_command.hpp"

#include <algorithm>
#include <unistd.h>

#include "base/text.hpp"
#include "node/signals.hpp"
#include "tools/measure/program/peer_session.hpp"
#include "tools/measure/program/print_measurement.hpp"
#include "tools/measure/program/print_paths.hpp"

namespace nettune::tools::measure::program {
namespace {

using node::Exit;

Exit exit_of(const Measurement& one) {
  if (one.error) return Exit::unknown;
  if (std::ranges::any_of(one.findings, &TcpFinding::is_fault)) return Exit::drift;
  const Grade verdict = one.verdict();
  return verdict == Grade::low || verdict == Grade::bad ? Exit::drift : Exit::done;
}

/// A peer side that ended is the reason of what failed after it.
Measurement with_end(Measurement one, PeerSession& session, const std::string& name) {
  if (!one.error || one.error->code != Errc::io) return one;
  if (const auto how = session.process.ended())
    one.error->text =
        cat("the peer side on ", printable(name), " ended (", *how, "): ", one.error->text);
  return one;
}

}  // namespace

Result<Exit> test_peer(node::Context& context, const TestOptions& options,
                       const MeasureRequest& request, cli::Output& output) {
  const node::DeferredSignals signals;
  const net::Cancelled cancelled = [] { return node::DeferredSignals::arrived(); };
  TRY_ASSIGN(PeerSession session,
             open_peer_session(context, options.peer, options.command, options.ports));
  for (const std::string& note : session.notes) output.complain(cat("note: ", note, "\n"));
  std::vector<const NodeView*> nodes = {&session.ours};
  if (!session.is_this_node()) nodes.push_back(&session.theirs);
  if (const auto refused = refuse_busy(nodes, options.share, options.json, output)) return *refused;
  TRY_ASSIGN(const std::vector<Path> paths, paths_to(session, options.peer, options.address));
  Exit exit = Exit::done;
  std::vector<PathResults> results;
  Progress progress(!options.json && ::isatty(STDERR_FILENO) == 1);
  for (const Path& path : paths) {
    if (cancelled()) break;
    results.push_back({path.ends, {}});
    measure_path(
        path, session.ours, session.theirs, request, cancelled,
        [&](const std::string& what) {
          progress.show(cat("path ", results.size(), " of ", paths.size(), ": ", what));
        },
        [&](const Measurement& found) {
          const Measurement one = with_end(found, session, session.theirs.host);
          if (options.json) output.print(measure::json_line(one));
          output.flush();
          exit = node::worse(exit, exit_of(one));
          results.back().results.push_back(one);
        });
  }
  progress.clear();
  if (!options.json) output.print(text_of(results, output.style()));
  if (!cancelled()) return exit;
  output.complain("stopped; nothing was left behind\n");
  return Exit::failed;
}

}  // namespace nettune::tools::measure::program
