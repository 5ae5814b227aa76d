// SPDX-License-Identifier: Apache-2.0
#include "measure/cli/mesh_leader.hpp"

#include <algorithm>
#include <unistd.h>

#include "base/text.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "measure/cli/peer_side.hpp"
#include "measure/cli/print_test.hpp"
#include "measure/samples.hpp"
#include "node/signals.hpp"

namespace nettune::measure {
namespace {

using cli::Exit;

constexpr std::uint64_t kTopologyLimit = 16U << 20U;

Result<Schedule> schedule_of(const MeshRequest& request, const std::optional<Topology>& topology,
                             std::string& note) {
  const std::size_t nodes = request.launch.size;
  if (request.schedule == "ring") return ring(nodes);
  if (request.schedule == "cube") return cube(nodes);
  if (request.schedule == "all") return all_pairs(nodes);
  if (request.schedule == "links") {
    LinkSchedule all = links(*topology);
    if (all.uncovered > 0)
      note = cat(all.uncovered,
                 " links between switches are not on any shortest path and are not measured");
    return std::move(all.rounds);
  }
  TRY_ASSIGN(const Tokens random, new_tokens());
  std::uint64_t seed = 0;
  for (const char c : random.caller) seed = seed * 31 + static_cast<unsigned char>(c);
  return quick(nodes, kQuickRounds, seed);
}

std::vector<std::string> hosts_of(const Mesh& mesh) {
  std::vector<std::string> out;
  for (const MeshNode& node : mesh.nodes()) out.push_back(node.name);
  return out;
}

std::string busy_nodes(const Mesh& mesh) {
  std::string out;
  for (const MeshNode& node : mesh.nodes())
    for (const std::string& one : node.view.busy)
      out += cat("\n  ", printable(node.name), ": ", printable(one));
  return out;
}

Exit exit_of(const MeshReport& report) {
  const bool complete =
      report.suspects.unknown.empty() &&
      std::ranges::find(report.tests, PairState::missing, &PairTest::test) == report.tests.end();
  Exit exit = complete ? Exit::done : Exit::unknown;
  for (const Located& one : report.located)
    if (one.where != Where::passed) exit = cli::worse(exit, Exit::drift);
  return exit;
}

/// The tests of the second pass, judged beside those of the first.
std::vector<RailTest> second_tests(const MeshReport& report, const std::vector<PairValue>& second) {
  std::vector<PairValue> all;
  for (const auto& [round, value] : report.values) all.push_back(value);
  const std::size_t first = all.size();
  all.insert(all.end(), second.begin(), second.end());
  const auto tests = judge_pairs(all);
  std::vector<RailTest> out;
  for (std::size_t i = first; i < tests.size(); ++i)
    out.push_back({tests[i].pair, 0, tests[i].test});
  return out;
}

/// Measures the pairs of the last round again, one after the other: in a cube these are the
/// farthest.
std::optional<double> compare_alone(Mesh& mesh, const MeshReport& report,
                                    const Cancelled& cancelled,
                                    const std::function<void(const std::string&)>& line) {
  std::vector<double> ratios;
  for (const auto& [round, value] : report.values) {
    if (round != report.rounds || !value.gbps || cancelled()) continue;
    const auto alone = mesh.measure({value.pair}, line);
    if (alone[0].value.gbps) ratios.push_back(*value.gbps / *alone[0].value.gbps);
  }
  return ratios.empty() ? std::nullopt : std::optional(median(ratios));
}

/// Who was in no round is not missing.
void forget_unplanned(MeshReport& report) {
  std::erase_if(report.suspects.unknown, [&](std::size_t node) {
    return std::ranges::none_of(report.tests, [&](const PairTest& one) {
      return one.pair.a == node || one.pair.b == node;
    });
  });
}

}  // namespace

Result<Exit> mesh_leader(cli::Context& context, const MeshRequest& request, cli::Output& output) {
  const cli::DeferredSignals signals;
  const Cancelled cancelled = [] { return cli::DeferredSignals::arrived(); };
  TRY_ASSIGN(const SocketAddress master,
             resolve_address(request.launch.master, request.launch.port));
  TRY_ASSIGN(const MeshSelf self, mesh_self(context, request, master));
  TRY_ASSIGN(const PortRange ports, mesh_ports(request, self.view));
  DataServer server(request.tokens, answers(), taken_orders());
  TRY(server.start(ports));
  Mesh mesh(request, self, server.port(), cancelled);
  Progress progress(!request.json && ::isatty(STDERR_FILENO) == 1);
  progress.show(cat("waiting for ", request.launch.size - 1, " ranks"));
  TRY(mesh.gather());
  progress.clear();
  if (const std::string busy = busy_nodes(mesh); !busy.empty() && !request.share) {
    mesh.end();
    const Error error{Errc::denied,
                      cat("a measurement would disturb running jobs:", busy,
                          "\nwait until it has finished, or measure anyway with --share"),
                      0,
                      {},
                      0};
    if (request.json) output.print(cli::json::error(error, Exit::refused));
    output.complain(cli::text::error(error, cli::Style{}));
    return Exit::refused;
  }
  MeshReport report;
  report.names = hosts_of(mesh);
  if (!request.topology_file.empty()) {
    TRY_ASSIGN(const std::string text,
               cli::read_named_file(context.disk(), request.topology_file, kTopologyLimit));
    TRY_ASSIGN(report.topology, parse_topology(text, report.names));
  }
  std::string note;
  TRY_ASSIGN(const Schedule schedule, schedule_of(request, report.topology, note));
  if (!note.empty()) output.complain(cat("note: ", note, "\n"));
  const auto line = [&](const std::string& text) {
    if (request.json) output.print(text);
    output.flush();
  };
  for (const Round& round : schedule) {
    if (cancelled()) break;
    progress.show(
        cat("round ", ++report.rounds, " of ", schedule.size(), ", ", round.size(), " pairs"));
    for (Mesh::Outcome& one : mesh.measure(round, line)) {
      report.values.emplace_back(report.rounds, one.value);
      report.errors.push_back(std::move(one.error));
    }
  }
  std::vector<PairValue> values;
  for (const auto& [round, value] : report.values) values.push_back(value);
  report.tests = judge_pairs(values);
  report.suspects = decode(request.launch.size, report.tests);
  const Topology* const topology = report.topology ? &*report.topology : nullptr;
  std::vector<PairValue> second;
  for (const Round& round : second_pass(report.suspects, request.launch.size, topology)) {
    if (cancelled()) break;
    progress.show("second pass: which of the suspects is bad");
    for (const Mesh::Outcome& one : mesh.measure(round, line)) second.push_back(one.value);
  }
  if (request.alone) {
    progress.show("the pairs of the last round, one after the other");
    report.together_of_alone = compare_alone(mesh, report, cancelled, line);
  }
  progress.clear();
  mesh.end();
  report.located = locate(report.suspects, second_tests(report, second), topology);
  forget_unplanned(report);
  output.print(request.json ? json_line(report) : text_of(report, output.style()));
  if (!cancelled()) return exit_of(report);
  output.complain("stopped; nothing was left behind\n");
  return Exit::failed;
}

}  // namespace nettune::measure
