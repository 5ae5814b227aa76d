// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/observe_variables.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "nccl/lint.hpp"
#include "nccl/values.hpp"
#include "tools/doctor/paths.hpp"

namespace nettune::tools::doctor {

const Observable kNcclTurnedOff = observable("nccl.turned-off");
const Observable kNcclVariable = observable("nccl.variable");

namespace {

std::string where(const nettune::nccl::Assignment& set) {
  return cat(set.name, "=", set.value, " (", set.file, " line ", set.line, ")");
}

/// Interfaces are judged by their addresses, cards by their ports: what was not read is not absent.
bool is_decided(const Machine& machine, const nettune::nccl::Finding& finding) {
  if (finding.judgement.verdict != nettune::nccl::Verdict::not_on_this_node) return true;
  const bool has_addresses = std::ranges::any_of(machine.facts.net, [](const auto& device) {
    return device.name != "lo" && !device.addresses.empty();
  });
  const bool is_card = finding.set.name.find("_IB_") != std::string::npos;
  std::size_t ports = 0;
  std::size_t read = 0;
  for (const facts::RdmaDevice& device : machine.facts.rdma)
    for (const facts::RdmaPort& port : device.ports) {
      ++ports;
      const bool has_types =
          std::ranges::none_of(port.gids, [](const facts::Gid& gid) { return gid.type.empty(); });
      read += !port.state.empty() && has_types ? 1U : 0U;
    }
  const bool has_ports = ports > 0 && read == ports;
  return is_card ? has_ports : has_addresses;
}

void observe_judgement(const Machine& machine, const nettune::nccl::Finding& finding,
                       Sightings& out) {
  const nettune::nccl::Judgement& judgement = finding.judgement;
  const std::string text = cat(where(finding.set), judgement.why.empty() ? "" : ": ", judgement.why,
                               judgement.instead.empty() ? "" : "; instead: ", judgement.instead);
  if (!is_decided(machine, finding)) {
    out.gap(kNcclVariable, finding.set.name,
            unknown(cat(where(finding.set), ": what it names was not read on this node")));
    return;
  }
  const bool is_missing = judgement.verdict == nettune::nccl::Verdict::not_on_this_node &&
                          judgement.level == nettune::nccl::Level::error;
  const bool is_bad = judgement.level >= nettune::nccl::Level::warning ||
                      judgement.verdict == nettune::nccl::Verdict::unknown_name;
  out.add(kNcclVariable, finding.set.name,
          is_missing ? "missing"
          : is_bad   ? "objection"
                     : "good",
          text);
}

const nettune::nccl::Assignment* last_of(const Machine& machine, std::string_view name) {
  const auto value = machine.environment.find(std::string(name));
  if (value == machine.environment.end()) return nullptr;
  const auto found =
      std::ranges::find_if(machine.assignments, [&](const nettune::nccl::Assignment& set) {
        return set.name == name && set.value == value->second;
      });
  return found == machine.assignments.end() ? nullptr : &*found;
}

bool is_number(const nettune::nccl::Assignment* set) {
  return set && nettune::nccl::read_number(set->value).value != 0;
}

/// GPUs that NVLink or a common PCIe switch connects.
bool has_peers(const Machine& machine) {
  const auto gpus = nvidia_gpus(machine);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const GpuState* const state = machine.find_gpu(gpus[i]);
    if (gpus.size() > 1 && state && state->nvlinks_up.value_or(0) > 0) return true;
    for (std::size_t j = i + 1; j < gpus.size(); ++j)
      if (const auto path = pci_path(machine, gpus[i], gpus[j]);
          path && path->distance <= Distance::pxb)
        return true;
  }
  return false;
}

/// RDMA or peer-to-peer traffic that is turned off on a node that has it.
void observe_off(const Machine& machine, Sightings& out) {
  const bool has_rdma = std::ranges::any_of(rdma_cards(machine), [](const auto* card) {
    return std::ranges::any_of(card->ports,
                               [](const auto& port) { return port.state == "ACTIVE"; });
  });
  bool any = false;
  const auto add = [&](const nettune::nccl::Assignment& set, const char* value, const char* what) {
    any = true;
    out.add(kNcclTurnedOff, set.name, value, cat(where(set), what));
  };
  const nettune::nccl::Assignment* const disable = last_of(machine, "NCCL_IB_DISABLE");
  const nettune::nccl::Assignment* const net = last_of(machine, "NCCL_NET");
  if (has_rdma && is_number(disable))
    add(*disable, "rdma", " turns RDMA off, and this node has active RDMA ports");
  if (has_rdma && net && lower(net->value) == "socket")
    add(*net, "rdma", " chooses sockets, and this node has active RDMA ports");
  const nettune::nccl::Assignment* const peer = last_of(machine, "NCCL_P2P_DISABLE");
  const nettune::nccl::Assignment* const level = last_of(machine, "NCCL_P2P_LEVEL");
  const char* const kPeers =
      " turns peer-to-peer traffic off, and this node has GPUs that NVLink or a PCIe switch "
      "connects";
  if (is_number(peer) && has_peers(machine)) add(*peer, "p2p", kPeers);
  if (level && (level->value == "LOC" || level->value == "0") && has_peers(machine))
    add(*level, "p2p", kPeers);
  if (!any)
    out.add(kNcclTurnedOff, "", "nothing", "no file turns off RDMA or peer-to-peer traffic");
}

}  // namespace

void observe_variables(const Machine& machine, const nettune::nccl::Catalog& catalog,
                       Sightings& out) {
  std::optional<Gap> gap;
  if (nvidia_gpus(machine).empty()) gap = gap_without_gpu(machine);
  if (!gap && machine.assignments.empty())
    gap = not_applicable("no file of this node sets variables for jobs");
  if (gap) {
    out.gap(kNcclVariable, "", *gap);
    out.gap(kNcclTurnedOff, "", *gap);
    return;
  }
  const auto installed = machine.nccl.empty()
                             ? std::nullopt
                             : nettune::nccl::parse_version(machine.nccl.front().version);
  nettune::nccl::Job job;
  job.catalog = &catalog;
  job.version = installed.value_or(catalog.releases.back());
  job.node = &machine.facts;
  bool any = false;
  for (const nettune::nccl::Finding& finding : nettune::nccl::lint(job, machine.assignments)) {
    any = true;
    observe_judgement(machine, finding, out);
  }
  if (!any)
    out.gap(kNcclVariable, "", not_applicable("no file of this node sets variables of NCCL"));
  observe_off(machine, out);
}

}  // namespace nettune::tools::doctor
