// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/graph_ports.hpp"

#include "base/text.hpp"
#include "core/plan.hpp"
#include "node/check/checking.hpp"
#include "node/check/listening.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor::program {

namespace {

using Heard = std::map<std::string, checks::Heard>;

/// The interfaces of active Ethernet ports.
std::vector<std::string> listening_ports(const doctor::Machine& machine) {
  std::vector<std::string> interfaces;
  for (const facts::RdmaDevice* const device : doctor::rdma_cards(machine))
    for (const facts::RdmaPort& port : device->ports)
      if (port.link_layer == "Ethernet" && port.state == "ACTIVE" && !port.netdev.empty())
        interfaces.push_back(port.netdev);
  return interfaces;
}

void add_leaves(const Heard& heard, PortReport& report) {
  for (const auto& [interface, one] : heard) {
    if (!one.trouble.empty()) report.notes.push_back(cat("LLDP at ", interface, ": ", one.trouble));
    if (!one.neighbour) continue;
    const checks::LldpNeighbour& leaf = *one.neighbour;
    report.leaves[interface] =
        cat(leaf.system.empty() ? leaf.chassis : leaf.system, " port ", leaf.port);
  }
}

void add_findings(const std::string& interface, const std::vector<checks::Finding>& findings,
                  PortReport& report) {
  for (const checks::Finding& finding : findings)
    report.contradictions.emplace(interface, cat(finding.where, ": ", finding.problem));
}

/// The settings of the switch at a lossless port, compared as check does.
Result<> compare_switch(node::Context& context, const std::string& port, const checks::Heard& heard,
                        PortReport& report) {
  if (!heard.neighbour) return {};
  TRY_ASSIGN(const Providers* const providers, context.providers());
  const auto readings = read_all(checks::switch_addresses(port, *heard.neighbour), *providers);
  add_findings(port, checks::judge_switch(port, heard, readings).findings, report);
  return {};
}

/// Check judges the ports that the applied profile makes lossless; only root can read that.
Result<> judge_lossless(node::Context& context, const Heard& heard, PortReport& report) {
  TRY_ASSIGN(const node::check::Checked checked, node::check::check_node(context, {}));
  if (!checked.skipped.empty()) return fail(Errc::not_found, std::string(checked.skipped));
  if (checked.chains.empty())
    return fail(Errc::not_found, "no applied setting makes a port lossless");
  for (const checks::Chain& chain : checked.chains) {
    add_findings(chain.interface, chain.findings, report);
    if (const auto found = heard.find(chain.interface); found != heard.end())
      TRY(compare_switch(context, chain.interface, found->second, report));
  }
  return {};
}

}  // namespace

PortReport report_ports(node::Context& context, const doctor::Machine& machine,
                        std::int64_t listen_s) {
  PortReport report;
  Heard heard;
  if (listen_s > 0) heard = node::check::hear_switches(listening_ports(machine), listen_s);
  add_leaves(heard, report);
  if (const auto judged = judge_lossless(context, heard, report); !judged)
    report.notes.push_back(cat("PFC is not judged: ", judged.error().text));
  return report;
}

}  // namespace nettune::tools::doctor::program
