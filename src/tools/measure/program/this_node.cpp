// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/this_node.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <thread>

#include "base/cpu_list.hpp"
#include "base/digest.hpp"
#include "base/text.hpp"
#include "firewall/rules/opening.hpp"
#include "kernel/near_memory.hpp"
#include "kernel/sysfs.hpp"
#include "node/job_environment.hpp"
#include "tools/measure/end_json.hpp"
#include "tools/measure/net/wire.hpp"
#include "tools/measure/program/pci_ends.hpp"
#include "tools/measure/program/rdma_ends.hpp"

namespace nettune::tools::measure::program {
namespace {

using Json = nlohmann::ordered_json;

/// The traffic of an interface in both directions.
std::int64_t traffic(const kernel::Directory& root, const std::string& interface) {
  const std::string at = cat("sys/class/net/", interface, "/statistics/");
  return root.number(at + "rx_bytes").value_or(0) + root.number(at + "tx_bytes").value_or(0);
}

/// The third word of a file with three, such as net.ipv4.tcp_rmem.
std::int64_t third_word(const kernel::Directory& root, const std::string& path) {
  const std::string line = root.line(path).value_or("");
  const auto parts = words(line);
  return parts.size() == 3 ? parse_int(parts[2]).value_or(0) : 0;
}

std::vector<End> ends_of(const facts::Facts& facts, const kernel::Directory& root) {
  std::vector<End> out;
  const std::int64_t receive = third_word(root, "proc/sys/net/ipv4/tcp_rmem");
  const std::int64_t send = third_word(root, "proc/sys/net/ipv4/tcp_wmem");
  for (const facts::NetDevice& device : facts.net) {
    for (const std::string& address : device.addresses) {
      End end;
      end.host = facts.node.hostname;
      end.interface = device.name;
      end.address = address;
      // A bond, team or VLAN has the rate of its lower device.
      const bool has_rate = device.physical || device.kind == "bond" || device.kind == "team" ||
                            device.kind == "vlan";
      if (!has_rate)
        end.kind =
            device.kind.empty() ? (device.name == "lo" ? "loopback" : "virtual") : device.kind;
      if (has_rate) end.speed_mbps = device.speed_mbps;
      end.mtu = device.mtu;
      end.pci_address = device.pci_address;
      end.numa_node = device.numa_node;
      end.carrier = device.carrier;
      end.receive_bytes = receive;
      end.send_bytes = send;
      end.rdma = rdma_of(facts, device, address);
      out.push_back(std::move(end));
    }
  }
  for (End& end : infiniband_ends(facts)) out.push_back(std::move(end));
  for (End& end : out) {
    add_pci(root, end);
    if (end.rdma) end.gpu = nearest_gpu(root, facts.gpus, end.pci_address, end.numa_node);
  }
  return out;
}

/// What runs here and would be disturbed. slurmd and kubelet alone are not jobs.
std::vector<std::string> busy_of(const facts::Facts& facts, bool own_job) {
  std::vector<std::string> out;
  for (const facts::Work& work : facts.at_work) {
    const bool is_job = work.what == "slurmstepd" && !own_job;
    if (is_job || work.what == "GPU process" || work.what == "RDMA user")
      out.push_back(cat(work.what, work.pid > 0 ? cat(" ", work.pid) : "", ": ", work.detail));
  }
  return out;
}

/// Adds interfaces that currently carry more than a twentieth of their rate.
void add_traffic(const std::vector<End>& ends, const kernel::Directory& root,
                 std::vector<std::string>& busy) {
  constexpr double kWatch_s = 0.3;
  std::map<std::string, std::pair<std::int64_t, int>> before;
  for (const End& end : ends)
    if (end.speed_mbps.value_or(0) > 0)
      before[end.interface] = {traffic(root, end.interface), *end.speed_mbps};
  if (before.empty()) return;
  std::this_thread::sleep_for(std::chrono::duration<double>(kWatch_s));
  for (const auto& [name, one] : before) {
    const double mbps = static_cast<double>(traffic(root, name) - one.first) * 8 / kWatch_s / 1e6;
    if (mbps > one.second / 20.0)
      busy.push_back(cat(name, " carries ", short_number(mbps / 1000), " Gb/s now"));
  }
}

std::string identity_of(const facts::Facts& facts) {
  struct stat netns {};
  (void)::stat("/proc/self/ns/net", &netns);
  return sha256_hex(cat(facts.node.machine_id, " ", facts.node.boot_id, " ", netns.st_ino));
}

/// The largest range of TCP ports that is allowed to the peers: it most likely has a free port.
net::PortRange opened_ports(const Transaction& active) {
  net::PortRange best;
  for (const Admission& one : active.admissions) {
    const auto opening = firewall::rules::parse_opening(one.opening);
    if (!opening || opening->effect != firewall::rules::Opening::Effect::accept ||
        opening->outgoing || opening->answers ||
        opening->protocol != firewall::rules::Protocol::tcp)
      continue;
    for (const firewall::rules::PortRange& range : opening->ports)
      if (best.first == 0 || range.last - range.first > best.last - best.first)
        best = {range.first, range.last};
  }
  return best;
}

void add_profile(node::Context& context, const facts::Facts& facts, NodeView& view) {
  const auto state = context.look_at_state(node::OnDamage::tell);
  if (!state || !state->active) return;
  view.profile = state->active->profile;
  view.profile_digest = node::settings_digest(*state->active);
  view.ports = opened_ports(*state->active);
  if (const auto environment = node::job_environment(context, ""))
    for (const JobVariable& one : environment->variables) {
      view.jobs[one.name] = one.value;
      for (End& end : view.ends) mark_packets(facts, end, one.name, one.value);
    }
}

}  // namespace

Result<NodeView> view_of_this_node(node::Context& context, bool own_job) {
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  TRY_ASSIGN(const kernel::Directory root, kernel::Directory::open("/"));
  NodeView view;
  view.host = facts->node.hostname;
  view.identity = identity_of(*facts);
  view.ends = ends_of(*facts, root);
  view.busy = busy_of(*facts, own_job);
  add_traffic(view.ends, root, view.busy);
  view.load = read_load();
  add_profile(context, *facts, view);
  return view;
}

bool in_slurm_job() { return std::getenv("SLURM_JOB_ID") != nullptr; }

std::string to_json(const NodeView& view) {
  Json ends = Json::array();
  for (const End& end : view.ends) ends.push_back(measure::to_json(end));
  const Json json = {{"host", view.host},
                     {"identity", view.identity},
                     {"ends", ends},
                     {"busy", view.busy},
                     {"profile", view.profile},
                     {"profile_digest", view.profile_digest},
                     {"load", view.load ? Json(*view.load) : Json(nullptr)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

NodeView view_from(const nlohmann::ordered_json& json) {
  NodeView view;
  view.host = net::wire::text(json, "host");
  view.identity = net::wire::text(json, "identity");
  view.profile = net::wire::text(json, "profile");
  view.profile_digest = net::wire::text(json, "profile_digest");
  if (const auto load = json.find("load"); load != json.end() && load->is_number())
    view.load = load->get<double>();
  if (const auto ends = json.find("ends"); ends != json.end() && ends->is_array())
    for (const Json& end : *ends) view.ends.push_back(end_from(end));
  view.busy = net::wire::texts(json, "busy");
  return view;
}

Counters read_counters(const End& end, const std::vector<std::string>& others) {
  Counters out;
  const std::string& interface = end.interface;
  const auto root = kernel::Directory::open("/");
  if (!root) return out;
  if (!interface.empty() && interface.find('/') == interface.npos) {
    const std::string at = cat("sys/class/net/", interface);
    for (const std::string& name : root->list(at + "/statistics"))
      if (const auto value = root->number(cat(at, "/statistics/", name)))
        out[cat(interface, ".", name)] = *value;
    if (const auto value = root->number(at + "/carrier_changes"))
      out[cat(interface, ".carrier_changes")] = *value;
  }
  for (const std::string& other : others)
    for (const char* const name : {"rx_bytes", "tx_bytes"})
      if (other.find('/') == other.npos)
        if (const auto value = root->number(cat("sys/class/net/", other, "/statistics/", name)))
          out[cat(other, ".", name)] = *value;
  if (end.rdma && !end.rdma->device.empty() && end.rdma->device.find('/') == std::string::npos) {
    const std::string name = cat(end.rdma->device, "/", end.rdma->port, ".");
    const std::string at =
        cat("sys/class/infiniband/", end.rdma->device, "/ports/", end.rdma->port, "/");
    for (const char* const kind : {"counters/", "hw_counters/"})
      for (const std::string& counter : root->list(at + kind))
        if (counter != "lifespan")
          if (const auto value = root->number(cat(at, kind, counter))) out[name + counter] = *value;
  }
  // Two lines of each protocol: names and values (proc_net_snmp(5)).
  const auto snmp = root->read("proc/self/net/snmp", 1 << 16);
  if (!snmp) return out;
  std::vector<std::string_view> names;
  for (const std::string_view line : split(*snmp, '\n')) {
    if (!line.starts_with("Tcp:")) continue;
    const auto parts = words(line);
    for (std::size_t i = 1; i < names.size() && i < parts.size(); ++i)
      if (names[i] == "RetransSegs" || names[i] == "InErrs")
        if (const auto value = parse_int(parts[i])) out[cat("tcp.", names[i])] = *value;
    names = parts;
  }
  return out;
}

std::optional<int> numa_node_of_rdma(const std::string& device) {
  const auto root = kernel::Directory::open("/");
  if (!root || device.empty() || device.find('/') != std::string::npos) return {};
  const auto node = root->number(cat("sys/class/infiniband/", device, "/device/numa_node"));
  return node ? std::optional(static_cast<int>(*node)) : std::nullopt;
}

std::optional<double> read_load() {
  std::array<double, 1> load{};
  if (::getloadavg(load.data(), 1) != 1) return {};
  return load[0];
}

void run_near(const std::optional<int>& numa_node) {
  if (!numa_node || *numa_node < 0) return;
  const auto root = kernel::Directory::open("/");
  const auto allowed = kernel::allowed_cpus();
  if (!root || !allowed) return;
  auto cpus = parse_cpu_list(
      root->line(cat("sys/devices/system/node/node", *numa_node, "/cpulist")).value_or(""));
  if (!cpus) return;
  cpus->resize(std::min(cpus->size(), allowed->size()));
  for (std::size_t i = 0; i < cpus->size(); ++i) (*cpus)[i] = (*cpus)[i] && (*allowed)[i];
  if (std::ranges::find(*cpus, true) != cpus->end()) (void)kernel::run_on(*cpus);
}

}  // namespace nettune::tools::measure::program
