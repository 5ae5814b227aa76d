// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kBondHash = observable("bond.hash");
const Observable kBondMembers = observable("bond.members");
const Observable kCudnnVersion = observable("cudnn.version");
const Observable kGpuGsp = observable("gpu.gsp");
const Observable kPciAer = observable("pci.aer");
const Observable kPciMaxPayload = observable("pci.max-payload");
const Observable kPciRelaxedOrdering = observable("pci.relaxed-ordering");
const Observable kPciSriov = observable("pci.sriov");
const Observable kRdmaOfed = observable("rdma.ofed");

/// The functions that are judged: GPUs and RDMA cards, with their bridges.
std::vector<const PciFunction*> cards(const Machine& machine) {
  std::vector<const PciFunction*> out;
  if (!machine.pci) return out;
  std::set<std::string> rdma;
  for (const facts::RdmaDevice* const card : rdma_cards(machine)) rdma.insert(card->pci_address);
  for (const PciFunction& function : *machine.pci)
    if ((function.is_nvidia_gpu() || rdma.contains(function.address)) && !function.virtual_function)
      out.push_back(&function);
  return out;
}

std::string card_name(const PciFunction& card) {
  return card.is_nvidia_gpu() ? gpu_name(card.address) : cat("card ", card.address);
}

/// Adds a gap for all cards if nothing is known of them.
bool say_gap(const Machine& machine, std::initializer_list<Observable> whats, Sightings& out) {
  Gap gap;
  if (!machine.pci)
    gap = machine.pci.gap;
  else if (machine.virtual_machine && *machine.virtual_machine)
    gap = not_applicable("a virtual machine's PCI topology is not real");
  else if (cards(machine).empty())
    gap = not_applicable("there is no GPU and no RDMA card here");
  else
    return false;
  for (const Observable& what : whats) out.gap(what, "", gap);
  return true;
}

void observe_payload(const Machine& machine, const PciFunction& card, Sightings& out) {
  const PciFunction* const slot = machine.find_pci(card.parent);
  const std::string name = card_name(card);
  const Gap gap = card.acs ? unknown("the size of its packets is not known") : card.acs.gap;
  if (!card.max_payload || (slot && !slot->max_payload))
    out.gap(kPciMaxPayload, name, gap).concerns = {card.address};
  else if (!slot)
    out.gap(kPciMaxPayload, name, not_applicable("it is part of the root complex"));
  else
    out.add(
           kPciMaxPayload, name,
           *card.max_payload == *slot->max_payload  ? "equal"
           : *card.max_payload < *slot->max_payload ? "smaller"
                                                    : "larger",
           cat("its packets carry ", *card.max_payload, " bytes (MaxPayload), those of the bridge ",
               slot->address, " ", *slot->max_payload))
        .concerns = {card.address};
  if (!card.relaxed_ordering)
    out.gap(kPciRelaxedOrdering, name, gap);
  else
    out.add(kPciRelaxedOrdering, name, *card.relaxed_ordering ? "on" : "off",
            cat("relaxed ordering is ", *card.relaxed_ordering ? "on" : "off"));
}

/// The other end of a link also counts its errors, so both ends are summed.
void observe_errors(const Machine& machine, const PciFunction& card, Sightings& out) {
  const PciFunction* const slot = machine.find_pci(card.parent);
  const std::string name = card_name(card);
  if (!card.aer_uncorrected) {
    out.gap(kPciAer, name, unknown("its errors are not counted here (AER)"));
    return;
  }
  const std::int64_t above = slot ? slot->aer_uncorrected.value_or(0) : 0;
  out.add(kPciAer, name, std::to_string(*card.aer_uncorrected + above),
          cat(*card.aer_uncorrected, " uncorrected errors of the card and ", above,
              " of the bridge above since power-on; corrected: ", card.aer_corrected.value_or(0)))
      .concerns = {card.address};
}

void observe_functions(const Machine& machine, Sightings& out) {
  bool any = false;
  for (const facts::RdmaDevice* const card : rdma_cards(machine)) {
    const PciFunction* const function = machine.find_pci(card->pci_address);
    if (!function || !function->most_vfs || function->virtual_function) continue;
    any = true;
    int most = 0;
    for (const PciFunction& other : *machine.pci)
      if (other.id == function->id) most = std::max(most, other.most_vfs.value_or(0));
    out.add(kPciSriov, card->name, *function->most_vfs == most ? "equal" : "fewer",
            cat("it supports ", *function->most_vfs, " virtual functions and has ",
                function->vfs.value_or(0), "; cards of its model here support ", most))
        .concerns = {card->pci_address};
  }
  if (any) return;
  out.gap(kPciSriov, "",
          machine.pci ? not_applicable("no RDMA card here supports virtual functions")
                      : machine.pci.gap);
}

/// 508 of "5.8-1.0.1", 2310 of "23.10-0.5.5".
std::optional<std::int64_t> ofed_code(std::string_view version) {
  const auto parts = split(version.substr(0, version.find('-')), '.');
  if (parts.size() < 2) return std::nullopt;
  const auto major = parse_int(parts[0]);
  const auto minor = parse_int(parts[1]);
  if (!major || !minor) return std::nullopt;
  return *major * 100 + *minor;
}

void observe_ofed(const Machine& machine, Sightings& out) {
  if (!machine.ofed) {
    out.gap(kRdmaOfed, "", machine.ofed.gap);
    return;
  }
  const auto code = ofed_code(*machine.ofed);
  if (code)
    out.add(kRdmaOfed, "", std::to_string(*code), cat("mlx5_core is from OFED ", *machine.ofed));
  else
    out.gap(kRdmaOfed, "", unknown(cat("mlx5_core has the version ", *machine.ofed)));
}

void observe_bonds(const Machine& machine, Sightings& out) {
  if (machine.bonds.empty())
    for (const Observable& what : {kBondMembers, kBondHash})
      out.gap(what, "", not_applicable("there is no bond with RDMA here"));
  for (const Bond& bond : machine.bonds) {
    if (bond.members.empty())
      out.gap(kBondMembers, bond.name, unknown("its members are not known"));
    else
      out.add(kBondMembers, bond.name, bond.down.empty() ? "up" : "down",
              bond.down.empty()
                  ? cat(join(bond.members, ", "), " have their links")
                  : cat(join(bond.down, ", "), " of ", join(bond.members, ", "), " has no link"));
    if (bond.mode == "active-backup")
      out.gap(kBondHash, bond.name,
              not_applicable("one member carries all traffic (active-backup)"));
    else if (bond.hash.empty())
      out.gap(kBondHash, bond.name, unknown("it is not known how it distributes connections"));
    else
      out.add(kBondHash, bond.name, bond.hash,
              cat("its mode is ", bond.mode, ", and it distributes by ", bond.hash));
  }
}

void observe_gsp(const Machine& machine, Sightings& out) {
  bool any = false;
  for (const auto& [gpu, version] : machine.nvidia.gsp) {
    if (version == "N/A") continue;
    any = true;
    if (!machine.nvidia.module_version)
      out.gap(kGpuGsp, gpu_name(gpu), unknown("the version of the driver is not known"));
    else
      out.add(kGpuGsp, gpu_name(gpu),
              version == *machine.nvidia.module_version ? "driver's" : "other",
              cat("its GSP runs firmware ", version, ", the driver is ",
                  *machine.nvidia.module_version));
  }
  if (!any) out.gap(kGpuGsp, "", not_applicable("no GPU here is known to run a GSP"));
}

/// 90100 of "9.1.0".
void observe_cudnn(const Machine& machine, Sightings& out) {
  if (machine.cudnn.empty())
    out.gap(kCudnnVersion, "", machine.no_versions.value_or(not_applicable("no cuDNN was found")));
  for (const Installed& one : machine.cudnn) {
    const auto parts = split(one.version, '.');
    const auto major = !parts.empty() ? parse_int(parts[0]) : std::nullopt;
    const auto minor = parts.size() > 1 ? parse_int(parts[1]) : std::nullopt;
    if (!major || !minor)
      out.gap(kCudnnVersion, one.path, unknown("it does not state its version"));
    else
      out.add(kCudnnVersion, one.path, std::to_string(*major * 10000 + *minor * 100),
              cat("it is cuDNN ", one.version));
  }
}

}  // namespace

void observe_cards(const Machine& machine, Sightings& out) {
  if (!say_gap(machine, {kPciMaxPayload, kPciRelaxedOrdering, kPciAer}, out))
    for (const PciFunction* const card : cards(machine)) {
      observe_payload(machine, *card, out);
      observe_errors(machine, *card, out);
    }
  observe_functions(machine, out);
  observe_ofed(machine, out);
  observe_bonds(machine, out);
  observe_gsp(machine, out);
  observe_cudnn(machine, out);
}

}  // namespace nettune::tools::doctor
