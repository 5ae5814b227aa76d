// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/full_facts.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "facts/platform.hpp"
#include "node/planning.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/paths.hpp"

namespace nettune::tools::doctor::program {

namespace {

using doctor::Machine;
using Json = nlohmann::ordered_json;

/// Unknown values are left out, as in the rest of the document.
template <class T>
void put(Json& into, const char* key, const std::optional<T>& value) {
  if (value) into[key] = *value;
}
void put(Json& into, const char* key, const std::string& value) {
  if (!value.empty()) into[key] = value;
}

Json driver_json(const Nvidia& nvidia) {
  Json driver = Json::object();
  put(driver, "module", nvidia.module_version.value);
  put(driver, "library", nvidia.library_version.value);
  put(driver, "open_module", nvidia.open_module);
  if (nvidia.cuda_major)
    driver["cuda"] = cat(*nvidia.cuda_major, ".", nvidia.cuda_minor.value_or(0));
  if (nvidia.fabric_manager)
    driver["fabric_manager"] = doctor::kServiceStates.word(*nvidia.fabric_manager);
  return driver;
}

Json gpus_json(const Nvidia& nvidia) {
  Json gpus = Json::array();
  if (!nvidia.gpus) return gpus;
  for (const GpuState& gpu : *nvidia.gpus) {
    Json one = {{"pci_address", gpu.pci_address}};
    put(one, "name", gpu.name);
    put(one, "memory_mib", gpu.memory_mib);
    put(one, "bar1_mib", gpu.bar1_mib);
    put(one, "persistence", gpu.persistence);
    put(one, "compute_mode", gpu.compute_mode);
    put(one, "mig", gpu.mig);
    put(one, "power_limit_w", gpu.power_limit_w);
    put(one, "nvlinks", gpu.nvlinks);
    put(one, "nvlinks_up", gpu.nvlinks_up);
    put(one, "fabric_state", gpu.fabric_state);
    if (gpu.max_link) one["max_link"] = doctor::link_text(*gpu.max_link);
    if (const auto gsp = nvidia.gsp.find(gpu.pci_address); gsp != nvidia.gsp.end())
      one["gsp"] = gsp->second;
    gpus.push_back(std::move(one));
  }
  return gpus;
}

Json distances_json(const Machine& machine) {
  Json distances = Json::array();
  for (const std::string& gpu : doctor::nvidia_gpus(machine))
    for (const facts::RdmaDevice* const card : doctor::rdma_cards(machine))
      if (const auto path = doctor::pci_path(machine, gpu, card->pci_address))
        distances.push_back({{"gpu", gpu},
                             {"rdma", card->name},
                             {"distance", doctor::distance_text(path->distance)}});
  return distances;
}

/// What doctor derives from these values, in its words.
Json computed_json(const std::vector<facts::Observation>& observations) {
  const std::array kComputed = {doctor::kGdrGpu.name, doctor::kGlooAddress.name,
                                doctor::kNcclInterface.name, doctor::kRdmaCeiling.name,
                                doctor::kRendezvousHost.name};
  Json all = Json::array();
  for (const facts::Observation& seen : observations)
    if (seen.value && std::ranges::find(kComputed, seen.what) != kComputed.end())
      all.push_back({{"what", seen.what},
                     {"device", seen.device},
                     {"value", *seen.value},
                     {"text", seen.text}});
  return all;
}

Json software_json(const Machine& machine) {
  Json all = Json::array();
  const auto add = [&](const char* kind, const std::vector<Installed>& found) {
    for (const Installed& one : found) {
      Json entry = {{"kind", kind}, {"path", one.path}};
      put(entry, "version", one.version);
      put(entry, "cuda", one.cuda);
      all.push_back(std::move(entry));
    }
  };
  add("torch", machine.torch);
  add("nccl", machine.nccl);
  add("cudnn", machine.cudnn);
  if (machine.ofed) all.push_back({{"kind", "ofed"}, {"path", ""}, {"version", *machine.ofed}});
  return all;
}

/// The address of the node's own name: no other node may have it. Every node has a loopback
/// address.
Json name_json(const Machine& machine) {
  Json name = Json::object();
  if (!machine.own_name || machine.own_name->addresses.empty()) return name;
  const std::string& first = machine.own_name->addresses.front();
  if (doctor::is_loopback(first))
    name["own"] = "loopback";
  else
    name["address"] = first;
  return name;
}

Json profile_json(node::Context& context) {
  const auto state = context.look_at_state(node::OnDamage::tell);
  if (!state || !state->active) return Json::object();
  return {{"name", state->active->profile}, {"digest", node::settings_digest(*state->active)}};
}

Json full_json(node::Context& context, const Machine& machine) {
  Json full = {{"driver", driver_json(machine.nvidia)},
               {"gpus", gpus_json(machine.nvidia)},
               {"distances", distances_json(machine)},
               {"computed", computed_json(doctor::observe(machine))},
               {"software", software_json(machine)},
               {"name", name_json(machine)},
               {"profile", profile_json(context)}};
  put(full, "clock", machine.time_sync.value);
  if (const auto root = kernel::Directory::open("/"))
    put(full, "bmc_firmware", facts::read_bmc_firmware(*root));
  return full;
}

/// The values of an entry in a line: "nccl  /usr/lib/libnccl.so.2  2.21.5".
std::string full_text(const Json& full) {
  std::string out;
  for (const auto& [section, entries] : full.items()) {
    if (entries.empty()) continue;
    out += cat("\n", section, "\n");
    for (const Json& entry : entries.is_array() ? entries : Json::array({entries})) {
      if (!entry.is_object()) {
        out +=
            cat("  ", printable(entry.is_string() ? entry.get<std::string>() : entry.dump()), "\n");
        continue;
      }
      out += ' ';
      for (const auto& [key, value] : entry.items()) {
        const std::string text =
            value.is_string() ? value.get<std::string>() : cat(key, "=", value.dump());
        if (!text.empty()) out += cat(" ", printable(text));
      }
      out += "\n";
    }
  }
  return out;
}

}  // namespace

Result<std::string> full_facts(node::Context& context, const Machine& machine, bool json,
                               const cli::Style& style) {
  TRY_ASSIGN(const facts::Facts facts, context.described_facts());
  const Json full = full_json(context, machine);
  if (!json) return cli::text::facts(facts, style) + full_text(full);
  // A wrong value does not keep the devices from being shown.
  const std::string plain =
      cli::json::facts(facts, node::record_values(context, facts).value_or(node::RecordedValues()));
  Json document = Json::parse(plain, nullptr, false);
  if (!document.is_object()) return plain;
  document["full"] = full;
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace nettune::tools::doctor::program
