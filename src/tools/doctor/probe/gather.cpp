// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/probe/gather.hpp"

#include <algorithm>
#include <optional>
#include <poll.h>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/probe/child.hpp"

namespace nettune::tools::doctor::probe {
namespace {

/// NCCL queries every rank before it answers, and may be asked twice.
constexpr int kRasDeadline_ms = 24'000;
/// A library of NCCL has some hundred MB, and may be on a slow disk.
constexpr int kVersionsDeadline_ms = 5000;
constexpr std::size_t kLargestLog = std::size_t{96} << 20;

/// The answers of probes in their own process; for a recording, the recorded answers.
class Answers {
 public:
  Answers(const GatherRequest& request, const Place& place, Machine& machine)
      : request_(request), place_(place), machine_(machine) {}

  std::optional<Child> start(const std::string& name, const std::function<std::string()>& work) {
    if (!place_.live) return std::nullopt;
    auto child = Child::start(name, work);
    if (child) return std::move(*child);
    machine_.notes.push_back(child.error().text);
    return std::nullopt;
  }

  /// Nothing if the probe did not answer, or the recording does not have it. Without `blame` that
  /// is not a finding: the probe may just be slow.
  std::optional<std::string> finish(std::optional<Child>& child, const std::string& recorded,
                                    const std::string& blame, int deadline_ms = 0) {
    if (!place_.live) {
      auto text = place_.root.read(cat("nettune/", recorded), kLargestLog);
      return text ? std::optional(std::move(*text)) : std::nullopt;
    }
    if (!child) return std::nullopt;
    auto answer = child->finish(deadline_ms > 0 ? deadline_ms : request_.deadline_ms);
    if (answer) {
      machine_.answers[recorded] = *answer;
      return std::move(*answer);
    }
    if (blame.empty())
      machine_.notes.push_back(answer.error().text);
    else
      machine_.silent_probes.push_back(cat(answer.error().text, ": ", blame));
    return std::nullopt;
  }

 private:
  const GatherRequest& request_;
  const Place& place_;
  Machine& machine_;
};

void take_names(const Place& place, const std::optional<std::string>& text, Machine& machine) {
  if (text)
    if (auto own = parse_own_name(*text)) {
      own->by = hosts_line(place.root, *own);
      machine.own_name = std::move(*own);
      return;
    }
  if (place.live) {
    machine.own_name = unknown("the lookup of the node's own name did not finish in time");
    return;
  }
  machine.own_name = own_name_of_files(place.root);
  if (machine.own_name) machine.own_name.value->by = hosts_line(place.root, *machine.own_name);
}

void take_log(const Place& place, const std::optional<std::string>& text, Machine& machine) {
  if (text && !text->starts_with("from nowhere"))
    machine.log = parse_kernel_log(*text);
  else if (place.live && !machine.facts.node.container.empty())
    machine.log = not_permitted("the kernel log, which is the host's");
  else if (place.live)
    machine.log = not_permitted(
        "the kernel log is readable only by root and the groups adm and systemd-journal");
  else
    machine.log = unknown("the recording has no kernel log");
}

/// Messages of the kernel carry the time since boot.
void take_uptime(const Directory& root, Machine& machine) {
  if (!machine.log || !machine.log->uptime_clock) return;
  const std::string line = root.line("proc/uptime").value_or("");
  if (const auto whole = parse_int(line.substr(0, line.find('.'))))
    machine.log.value->now_s = static_cast<double>(*whole);
}

void take_ras(const std::optional<std::string>& text, Machine& machine) {
  Ras ras;
  const std::string answer = text.value_or("none the RAS port of NCCL did not answer");
  ras.answers = !answer.starts_with("none");
  const std::string rest = answer.size() > 5 ? answer.substr(5) : "";
  const auto end = std::min(rest.find(kNextAnswer), rest.size());
  (answer.starts_with("json") ? ras.json : ras.text) = rest.substr(0, end);
  if (end < rest.size()) ras.later = rest.substr(end + 1);
  machine.ras = std::move(ras);
}

void look_again_at_counters(const Place& place, int gap_ms, std::int64_t first_ms,
                            Machine& machine) {
  if (!place.live) return;
  const std::int64_t left = first_ms + gap_ms - monotonic_ms();
  if (left > 0) ::poll(nullptr, 0, static_cast<int>(left));
  for (PortState& port : machine.ports)
    if (!port.counters.empty()) port.later = read_counters(place.root, port.device, port.port);
  for (const auto& [name, before] : machine.statistics)
    machine.statistics_later[name] = read_statistics(name);
  machine.counter_gap_ms = monotonic_ms() - first_ms;
}

bool is_rail(const Machine& machine, const std::string& name) {
  return std::ranges::none_of(machine.facts.rdma, [&](const facts::RdmaDevice& device) {
    return device.name == name && machine.manages_switches(device);
  });
}

bool has_nvidia(const Machine& machine) {
  return !nvidia_gpus(machine).empty() || machine.nvidia.module_version.value.has_value();
}

}  // namespace

Result<Machine> gather(const GatherRequest& request) {
  TRY_ASSIGN(const Directory root, Directory::open_node(request.root));
  const Place place{root, request.root == "/"};
  Machine machine;
  Answers answers(request, place, machine);
  // Probes that wait for others start first, and run beside the rest.
  auto names = answers.start("the lookup of the node's own name", look_up_own_name);
  auto log = answers.start("the kernel log", read_kernel_log);
  auto space = answers.start("the space of /tmp and /var/tmp", measure_space);
  auto versions =
      answers.start("the search for torch and NCCL", [&] { return find_versions(root, ""); });
  TRY(read_facts(request, machine));
  read_rdma_ports(place, machine);
  read_pci(place, machine);
  // Before the counters: a function that manages NVSwitches refuses them, and its driver logs that.
  read_fabric(place, machine);
  const std::int64_t first_ms = monotonic_ms();
  if (!request.quick)
    for (PortState& port : machine.ports)
      if (is_rail(machine, port.device))
        port.counters = read_counters(root, port.device, port.port);
  if (!request.quick && place.live)
    for (const facts::NetDevice& device : machine.facts.net)
      if (device.physical && device.link_layer == "Ethernet" && !device.rdma_devices.empty())
        machine.statistics[device.name] = read_statistics(device.name);
  read_nvidia(place, machine);
  const auto start_if = [&](bool wanted, const char* name,
                            const std::function<std::string()>& work) {
    return wanted ? answers.start(name, work) : std::nullopt;
  };
  auto nvml = start_if(has_nvidia(machine), "NVML", [&] {
    return ask_nvml(request.nvml, request.quick ? 0 : request.deadline_ms / 4);
  });
  auto verbs = start_if(!machine.facts.rdma.empty() && !request.quick, "libibverbs", ask_verbs);
  auto ras = start_if(request.job, "the RAS port of NCCL", ask_ras);
  read_rdma_nodes(place, machine);
  read_peer_memory(place, request.quick || nvidia_gpus(machine).empty(), machine);
  read_services(place, machine);
  read_host(place, machine);
  read_cards(place, machine);
  read_container(place, machine);
  // It reads the maps of every process, which blocks on one that hangs in a driver.
  if (!request.quick) read_shm(place, machine);
  read_listeners(place, machine);
  read_environment(place, machine);

  take_names(place, answers.finish(names, "names", "a name server does not answer"), machine);
  take_log(place, answers.finish(log, "kernel.log", "the log could not be read"), machine);
  take_space(place, answers.finish(space, "space", "a file system (NFS?) hangs"), machine);
  const auto found = answers.finish(versions, "versions", "", kVersionsDeadline_ms);
  if (found || !place.live)
    parse_versions(found ? *found : find_versions(root, request.root), machine);
  else
    machine.no_versions = unknown("the search for torch and NCCL did not finish in time");
  machine.nvidia.gpus =
      has_nvidia(machine) ? unknown("NVML was not asked") : gap_without_gpu(machine);
  const std::size_t silent = machine.silent_probes.size();
  if (const auto text = answers.finish(nvml, "nvml", "the GPU driver hangs"))
    parse_nvml(*text, machine.nvidia);
  machine.nvidia.nvml_hangs = machine.silent_probes.size() > silent;
  if (const auto text = answers.finish(verbs, "verbs", "an RDMA device's driver hangs"))
    parse_verbs(*text, machine);
  if (request.pid > 0) machine.job = read_job_process(root, request.pid);
  if (request.job)
    take_ras(answers.finish(ras, "ras", "an NCCL job hangs", kRasDeadline_ms), machine);
  if (!place.live) read_loose_texts(place, machine);
  take_uptime(root, machine);
  const bool counts =
      !request.quick && std::ranges::any_of(machine.ports, [](const PortState& port) {
        return !port.counters.empty();
      });
  if (counts) look_again_at_counters(place, request.counter_gap_ms, first_ms, machine);
  return machine;
}

}  // namespace nettune::tools::doctor::probe
