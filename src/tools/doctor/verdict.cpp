// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/verdict.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kDemandPresent = observable("demand.present");

using checks::Opinion;

bool has_port(const Machine& machine, std::string_view layer, bool active) {
  return std::ranges::any_of(rdma_cards(machine), [&](const facts::RdmaDevice* device) {
    return std::ranges::any_of(device->ports, [&](const facts::RdmaPort& port) {
      return port.link_layer == layer && (!active || port.state == "ACTIVE");
    });
  });
}

bool is_open(const Finding& finding) {
  return finding.opinion == Opinion::unknown || finding.opinion == Opinion::not_permitted;
}

facts::Observation observed(std::string text) {
  facts::Observation seen;
  seen.what = kDemandPresent.name;
  seen.text = std::move(text);
  return seen;
}

}  // namespace

std::string_view verdict_text(Verdict verdict) {
  if (verdict == Verdict::undecided) return "undecided";
  return verdict == Verdict::ready ? "ready" : "not ready";
}

std::vector<std::string> demands_of(const Machine& machine, const std::string& asked) {
  if (!asked.empty()) return {asked};
  std::vector<std::string> demands;
  if (!nvidia_gpus(machine).empty()) demands.emplace_back("nccl");
  if (has_port(machine, "InfiniBand", false)) demands.emplace_back("ib");
  if (has_port(machine, "Ethernet", false)) demands.emplace_back("roce");
  if (demands.empty()) demands.emplace_back("tcp");
  return demands;
}

std::optional<facts::Observation> demanded(const Machine& machine, const std::string& asked) {
  if (asked.empty()) {
    const bool is_known = machine.pci || machine.nvidia.gpus || !machine.facts.rdma.empty() ||
                          machine.pci.gap.blank == facts::Blank::not_applicable;
    if (is_known) return std::nullopt;
    return observed("what hardware this node has is not known: its PCI bus was not read");
  }
  bool present = std::ranges::any_of(machine.facts.net, [](const facts::NetDevice& device) {
    return device.name != "lo" && device.is_addressed();
  });
  bool is_known = machine.listed.addresses;
  std::string what = "an interface with an address";
  if (asked == "ib" || asked == "roce") {
    present = has_port(machine, asked == "ib" ? "InfiniBand" : "Ethernet", true);
    is_known = gap_without_rdma(machine).blank == facts::Blank::not_applicable;
    what = asked == "ib" ? "an active InfiniBand port" : "an active RoCE port";
  }
  if (asked == "nccl") {
    present = !nvidia_gpus(machine).empty();
    is_known = gap_without_gpu(machine).blank == facts::Blank::not_applicable;
    what = "an NVIDIA GPU";
  }
  if (!present && !is_known)
    return observed(
        cat("--for ", asked, " needs ", what, ", and it is not known whether there is one"));
  facts::Observation seen = observed(
      cat("--for ", asked, " needs ", what, present ? ", which is present" : ": there is none"));
  seen.value = present ? "present" : "missing";
  return seen;
}

Decision decide(const Judged& judged, const std::vector<std::string>& demands, bool quick) {
  Decision decision;
  const auto decides = [&](const checks::Rule& rule) {
    if (rule.looks_at == kDemandPresent.name) return true;
    if (!rule.is_fault || (quick && rule.needs == "device")) return false;
    return std::ranges::any_of(rule.demanded_by, [&](const std::string& demand) {
      return std::ranges::find(demands, demand) != demands.end();
    });
  };
  for (std::size_t i = 0; i < judged.findings.size(); ++i) {
    const Finding& finding = judged.findings[i];
    if (!is_open(finding) || !decides(*finding.rule)) continue;
    decision.open.push_back(i);
    if (finding.opinion == Opinion::unknown) decision.lacks_only_permission = false;
  }
  if (judged.has_fault())
    decision.verdict = Verdict::not_ready;
  else if (!decision.open.empty())
    decision.verdict = Verdict::undecided;
  return decision;
}

}  // namespace nettune::tools::doctor
