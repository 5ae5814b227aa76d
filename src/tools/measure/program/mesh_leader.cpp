// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/mesh_leader.hpp"

#include <algorithm>
#include <unistd.h>
#include <utility>

#include "base/text.hpp"
#include "node/output_file.hpp"
#include "node/signals.hpp"
#include "tools/measure/program/mesh_lldp.hpp"
#include "tools/measure/program/peer_side.hpp"
#include "tools/measure/program/print_measurement.hpp"
#include "tools/measure/samples.hpp"
#include "tools/measure/topology_slurm.hpp"

namespace nettune::tools::measure::program {
namespace {

using node::Exit;

constexpr std::uint64_t kTopologyLimit = 16U << 20U;

Result<Schedule> schedule_of(const MeshRequest& request, const std::optional<Topology>& topology,
                             std::string& note) {
  const std::size_t nodes = request.launch.size;
  if (request.schedule == ScheduleKind::ring) return ring(nodes);
  if (request.schedule == ScheduleKind::cube) return cube(nodes);
  if (request.schedule == ScheduleKind::all) return all_pairs(nodes);
  if (request.schedule == ScheduleKind::links) {
    LinkSchedule all = links(*topology);
    if (all.uncovered > 0)
      note = cat(all.uncovered,
                 " links between switches are not on any shortest path and are not measured");
    return std::move(all.rounds);
  }
  TRY_ASSIGN(const net::Tokens random, net::new_tokens());
  std::uint64_t seed = 0;
  for (const char c : random.caller) seed = seed * 31 + static_cast<unsigned char>(c);
  return quick(nodes, kQuickRounds, seed);
}

/// The interfaces to measure: named, or "" for those that lead to rank 0.
Result<std::vector<std::string>> rails_of(const MeshRequest& request, const NodeView& own) {
  std::vector<std::string> rails = request.interfaces;
  for (const std::string& name : rails)
    if (std::ranges::find(own.ends, name, &End::interface) == own.ends.end())
      return fail(Errc::not_found, cat("no interface ", printable(name), " with an address on ",
                                       printable(own.host)));
  if (!rails.empty()) return rails;
  if (request.schedule != ScheduleKind::rails) return std::vector<std::string>{""};
  for (const End& end : own.ends)
    if (end.rdma && !end.address.empty() && std::ranges::find(rails, end.interface) == rails.end())
      rails.push_back(end.interface);
  if (rails.empty())
    return fail(Errc::not_found,
                cat("no interface of ", printable(own.host),
                    " has an RDMA port and an address; name the rails, for example "
                    "--interface eth1,eth2"));
  return rails;
}

std::vector<std::string> hosts_of(const Mesh& mesh) {
  std::vector<std::string> out;
  for (const MeshNode& node : mesh.nodes()) out.push_back(node.name);
  return out;
}

Result<> write_slurm_topology(const std::string& file, const MeshReport& report) {
  if (!report.topology)
    return fail(Errc::not_found, cat("no node hears its switch, so ", printable(file),
                                     " was not written; name a file with --topology"));
  const SlurmTopology form = file.ends_with(".yaml") ? SlurmTopology::yaml : SlurmTopology::conf;
  return node::write_output_file(file, slurm_topology(*report.topology, report.names, form), 0644);
}

/// The leaves, by what the nodes hear of their switches. Nothing if none hears any.
std::optional<Topology> heard_topology(Mesh& mesh, cli::Output& output) {
  const auto heard = mesh.hear_switches();
  std::vector<std::string> switches;
  for (std::size_t node = 0; node < heard.size(); ++node) {
    switches.push_back(heard[node].value_or(""));
    if (heard[node] || !mesh.nodes()[node].alive) continue;
    output.complain(cat("note: the switch of ", printable(mesh.nodes()[node].name),
                        " is not known: ", printable(heard[node].error().text), "\n"));
  }
  const bool any = std::ranges::any_of(switches, [](const auto& one) { return !one.empty(); });
  return any ? std::optional(topology_of_leaves(switches)) : std::nullopt;
}

std::vector<PairValue> values_of(const MeshReport& report) {
  std::vector<PairValue> out;
  for (const auto& [round, value] : report.values) out.push_back(value);
  return out;
}

/// Measures the pairs of the last round again, one after the other: in a cube these are the
/// farthest.
std::optional<double> compare_alone(Mesh& mesh, const MeshReport& report,
                                    const net::Cancelled& cancelled,
                                    const std::function<void(const std::string&)>& line) {
  std::vector<double> ratios;
  for (const auto& [round, value] : report.values) {
    if (round != report.rounds || !value.gbps || cancelled()) continue;
    const auto alone = mesh.measure({value.pair}, report.rails[value.rail], line);
    if (alone[0].value.gbps) ratios.push_back(*value.gbps / *alone[0].value.gbps);
  }
  return ratios.empty() ? std::nullopt : std::optional(median(ratios));
}

}  // namespace

Exit exit_of(const MeshReport& report) {
  const bool complete =
      report.verdict.unknown.empty() && report.verdict.count(PairState::missing) == 0;
  const bool decided =
      report.verdict.doubt == Doubt::none && report.verdict.count(PairState::unjudged) == 0;
  Exit exit = decided && complete ? Exit::done : Exit::unknown;
  const bool is_known = report.verdict.groups.empty();
  // Against a known rate, a pair is bad even where nothing says which of its nodes is.
  if (is_known && report.verdict.doubt == Doubt::unplaced) exit = node::worse(exit, Exit::drift);
  for (const FaultLocation& one : report.verdict.located)
    if (one.where != FaultPlace::passed && (is_known || one.where != FaultPlace::unknown))
      exit = node::worse(exit, Exit::drift);
  return exit;
}

Result<Exit> mesh_leader(node::Context& context, const MeshRequest& request, cli::Output& output) {
  const node::DeferredSignals signals;
  const net::Cancelled cancelled = [] { return node::DeferredSignals::arrived(); };
  TRY_ASSIGN(const net::SocketAddress master,
             net::resolve_address(request.launch.master, request.launch.port));
  TRY_ASSIGN(const MeshSelf self, mesh_self(context, master));
  MeshReport report;
  TRY_ASSIGN(report.rails, rails_of(request, self.view));
  TRY_ASSIGN(const net::PortRange ports, mesh_ports(request, self.view));
  net::DataServer server(request.tokens, answers(self.view.ends), taken_orders());
  TRY(server.start(ports, in_one_network(self.view.ends)));
  Mesh mesh(request, self, server.port(), cancelled);
  Progress progress(!request.json && ::isatty(STDERR_FILENO) == 1);
  progress.show(cat("waiting for ", request.launch.size - 1, " ranks"));
  TRY(mesh.gather());
  progress.clear();
  std::vector<const NodeView*> views;
  for (const MeshNode& node : mesh.nodes()) views.push_back(&node.view);
  if (const auto refused = refuse_busy(views, request.share, request.json, output)) {
    mesh.end();
    return *refused;
  }
  report.names = hosts_of(mesh);
  if (request.topology_file == kByLldp) {
    progress.show(cat("listening for the switches (LLDP), at most ", kHearing_s, " s"));
    report.topology = heard_topology(mesh, output);
  } else if (!request.topology_file.empty()) {
    TRY_ASSIGN(const std::string text,
               node::read_named_file(context.disk(), request.topology_file, kTopologyLimit));
    TRY_ASSIGN(report.topology, parse_topology(text, report.names));
  }
  if (!request.slurm_file.empty()) TRY(write_slurm_topology(request.slurm_file, report));
  std::string note;
  TRY_ASSIGN(const Schedule schedule, schedule_of(request, report.topology, note));
  if (!note.empty()) output.complain(cat("note: ", note, "\n"));
  const auto line = [&](const std::string& text) {
    if (request.json) output.print(text);
    output.flush();
  };
  // The rails of a pair one after the other: together they may have no more than one PCIe switch.
  const auto measure = [&](const Round& round, std::size_t rail) {
    auto outcomes = mesh.measure(round, report.rails[rail], line);
    for (Mesh::Outcome& one : outcomes) one.value.rail = rail;
    return outcomes;
  };
  for (const Round& round : schedule) {
    if (cancelled()) break;
    progress.show(
        cat("round ", ++report.rounds, " of ", schedule.size(), ", ", round.size(), " pairs"));
    for (std::size_t rail = 0; rail < report.rails.size() && !cancelled(); ++rail)
      for (Mesh::Outcome& one : measure(round, rail)) {
        report.values.emplace_back(report.rounds, one.value);
        report.errors.push_back(std::move(one.error));
      }
  }
  const auto again = [&](const Round& round, std::size_t rail) {
    std::vector<PairValue> values;
    if (cancelled()) return values;
    progress.show("second pass: which of the suspects is bad");
    for (const Mesh::Outcome& one : measure(round, rail)) values.push_back(one.value);
    return values;
  };
  report.verdict = judge_mesh(request.launch.size, report.rails.size(), values_of(report),
                              report.topology ? &*report.topology : nullptr, again);
  if (request.alone) {
    progress.show("the pairs of the last round, one after the other");
    report.together_of_alone = compare_alone(mesh, report, cancelled, line);
  }
  progress.clear();
  for (std::size_t node = 0; node < mesh.nodes().size(); ++node)
    if (!mesh.nodes()[node].alive) report.gone.insert(node);
  mesh.end();
  report.expect_rate_gbps = request.expect_rate_gbps;
  output.print(request.json ? json_line(report) : text_of(report, output.style()));
  if (!cancelled()) return exit_of(report);
  output.complain("stopped; nothing was left behind\n");
  return Exit::failed;
}

}  // namespace nettune::tools::measure::program
