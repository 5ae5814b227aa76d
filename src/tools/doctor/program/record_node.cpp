// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/record_node.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/random.h>
#include <system_error>
#include <unistd.h>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "kernel/sysfs.hpp"

namespace nettune::tools::doctor::program {

namespace {

namespace fs = std::filesystem;

/// Single files, as far as they exist.
constexpr auto kFiles =
    std::to_array<const char*>({"etc/hosts",
                                "etc/hostname",
                                "etc/os-release",
                                "etc/machine-id",
                                "etc/environment",
                                "etc/nccl.conf",
                                "etc/docker/daemon.json",
                                "etc/slurm/slurm.conf",
                                "etc/pam.d/sshd",
                                "etc/pam.d/common-session",
                                "etc/security/limits.conf",
                                "etc/systemd/logind.conf",
                                "etc/systemd/system.conf",
                                "proc/cmdline",
                                "proc/cpuinfo",
                                "proc/meminfo",
                                "proc/net/route",
                                "proc/net/tcp",
                                "proc/net/tcp6",
                                "proc/self/mountinfo",
                                "proc/uptime",
                                "proc/driver/nvidia/version",
                                "proc/sys/kernel/hostname",
                                "proc/sys/kernel/osrelease",
                                "proc/sys/kernel/arch",
                                "proc/sys/kernel/numa_balancing",
                                "proc/sys/kernel/random/boot_id",
                                "sys/class/dmi/id/sys_vendor",
                                "sys/class/dmi/id/product_name",
                                "sys/class/dmi/id/board_vendor",
                                "sys/class/dmi/id/board_name",
                                "sys/class/dmi/id/bios_vendor",
                                "sys/class/dmi/id/bios_version",
                                "sys/class/dmi/id/bios_date",
                                "sys/class/dmi/id/ec_firmware_release",
                                "sys/module/mlx5_core/version",
                                "sys/module/nvidia/version",
                                "sys/module/nvidia_peermem/version",
                                "sys/devices/system/clocksource/clocksource0/current_clocksource",
                                "sys/devices/system/cpu/cpu0/microcode/version",
                                "sys/devices/system/cpu/cpuidle/current_driver",
                                "sys/devices/system/cpu/cpuidle/current_governor_ro",
                                "sys/devices/system/cpu/online"});
/// Directories whose files are copied, without their subdirectories.
constexpr auto kDirectories = std::to_array<const char*>(
    {"etc/security/limits.d", "etc/systemd/logind.conf.d", "etc/systemd/system.conf.d"});
constexpr auto kPciFiles = std::to_array<const char*>(
    {"vendor", "device", "class", "numa_node", "local_cpulist", "current_link_speed",
     "current_link_width", "max_link_speed", "max_link_width", "config", "resource"});
constexpr auto kNetFiles = std::to_array<const char*>(
    {"ifindex", "mtu", "operstate", "carrier", "address", "type", "speed", "dev_port"});
constexpr auto kPortFiles = std::to_array<const char*>(
    {"state", "phys_state", "rate", "link_layer", "sm_lid", "lid", "pkeys/0"});

class Recorder {
 public:
  /// `hidden` is null to record everything unchanged; it must outlive this.
  Recorder(const kernel::Directory& root, std::string directory, const Pseudonyms* hidden)
      : root_(root), directory_(std::move(directory)), hidden_(hidden) {}

  void copy(const std::string& path) {
    constexpr std::size_t kLargest = std::size_t{16} << 20;
    if (const auto text = root_.read(path, kLargest)) put(path, *text);
  }
  void copy_directory(const std::string& path) {
    for (const std::string& name : root_.list(path)) copy(cat(path, '/', name));
  }
  void put(const std::string& path, const std::string& text) {
    std::error_code ignored;
    const fs::path target = fs::path(directory_) / shown(path);
    fs::create_directories(target.parent_path(), ignored);
    std::ofstream file(target, std::ios::binary);
    file << without_names(path, text);
    complete_ = complete_ && file.good();
  }
  void make_directory(const std::string& path) {
    std::error_code error;
    fs::create_directories(fs::path(directory_) / path, error);
    complete_ = complete_ && !error;
  }
  /// Copies the link itself; its target is copied under its own name.
  void copy_link(const std::string& path) {
    auto target = root_.link(path);
    if (!target || target->starts_with('/')) return;
    *target = shown(*target);
    std::error_code ignored;
    const fs::path link = fs::path(directory_) / shown(path);
    fs::create_directories(link.parent_path(), ignored);
    fs::create_symlink(*target, link, ignored);
    // Where a file that is read through the link goes. It must be inside the recording: its path
    // can contain links, too.
    const fs::path base = fs::canonical(directory_, ignored);
    if (ignored) return;
    const fs::path place = fs::weakly_canonical(link.parent_path() / *target, ignored);
    if (!ignored && place.string().starts_with(base.string() + "/"))
      fs::create_directories(place, ignored);
  }
  std::vector<std::string> list(const std::string& path) const { return root_.list(path); }
  bool complete() const { return complete_; }

 private:
  std::string shown(const std::string& path) const { return hidden_ ? hidden_->hide(path) : path; }
  std::string without_names(const std::string& path, const std::string& text) const {
    if (!hidden_) return text;
    if (path.ends_with("/config")) return Pseudonyms::hide_config(text);
    return hidden_->hide(hidden_->leave_out(path, text));
  }

  const kernel::Directory& root_;
  std::string directory_;
  const Pseudonyms* hidden_;
  bool complete_ = true;
};

void record_pci(const doctor::Machine& machine, Recorder& recorder) {
  if (!machine.pci) return;
  for (const PciFunction& function : *machine.pci) {
    const std::string path = cat("sys/bus/pci/devices/", function.address);
    recorder.copy_link(path);
    for (const char* const link : {"driver", "physfn"}) recorder.copy_link(cat(path, '/', link));
    // The configuration space of a function that is not judged is not read.
    for (const char* const file : kPciFiles)
      if (function.most || std::string_view(file) != "config") recorder.copy(cat(path, '/', file));
  }
}

void record_rdma(const doctor::Machine& machine, Recorder& recorder) {
  for (const facts::RdmaDevice& device : machine.facts.rdma) {
    const std::string path = cat("sys/class/infiniband/", device.name);
    recorder.copy_link(path);
    for (const char* const file : {"node_guid", "sys_image_guid", "fw_ver", "hca_type", "board_id"})
      recorder.copy(cat(path, '/', file));
    for (const facts::RdmaPort& port : device.ports) {
      const std::string at = cat(path, "/ports/", port.number);
      for (const char* const file : kPortFiles) recorder.copy(cat(at, '/', file));
      for (const facts::Gid& gid : port.gids)
        for (const char* const kind : {"gids/", "gid_attrs/types/", "gid_attrs/ndevs/"})
          recorder.copy(cat(at, '/', kind, gid.index));
    }
  }
  for (const PortState& port : machine.ports)
    for (const auto& [name, value] : port.counters)
      for (const char* const kind : {"counters", "hw_counters"}) {
        const std::string file =
            cat("sys/class/infiniband/", port.device, "/ports/", port.port, '/', kind, '/', name);
        recorder.copy(file);
      }
}

void record_net(const doctor::Machine& machine, Recorder& recorder) {
  using Document = nlohmann::ordered_json;
  Document addresses = Document::array();
  for (const facts::NetDevice& device : machine.facts.net) {
    const std::string path = cat("sys/class/net/", device.name);
    recorder.copy_link(path);
    recorder.copy_link(path + "/device");
    for (const char* const file : kNetFiles) recorder.copy(cat(path, '/', file));
    Document list = Document::array();
    for (const std::string& address : device.addresses) {
      const auto slash = address.find('/');
      list.push_back(
          {{"family", address.find(':') == std::string::npos ? "inet" : "inet6"},
           {"local", address.substr(0, slash)},
           {"prefixlen",
            slash == std::string::npos ? 0 : parse_int(address.substr(slash + 1)).value_or(0)}});
    }
    addresses.push_back(
        {{"ifindex", device.ifindex}, {"ifname", device.name}, {"addr_info", list}});
  }
  recorder.put("ip-address.json",
               addresses.dump(1, ' ', false, Document::error_handler_t::replace) + "\n");
}

void record_services(const doctor::Machine& machine, Recorder& recorder) {
  for (const std::string& entry : recorder.list("proc")) {
    if (entry.find_first_not_of("0123456789") != std::string::npos) continue;
    for (const ServiceLimits& service : machine.services)
      if (service.found.find(cat("/proc/", entry, "/")) != std::string::npos)
        for (const char* const file : {"comm", "limits"})
          recorder.copy(cat("proc/", entry, '/', file));
  }
}

void record_host(const doctor::Machine& machine, Recorder& recorder) {
  for (const char* const file : kFiles) recorder.copy(file);
  for (const char* const directory : kDirectories) recorder.copy_directory(directory);
  for (const std::string& node : recorder.list("sys/devices/system/node"))
    if (node.starts_with("node")) recorder.copy(cat("sys/devices/system/node/", node, "/cpulist"));
  for (const std::string& policy : recorder.list("sys/devices/system/cpu/cpufreq"))
    for (const char* const file :
         {"scaling_governor", "scaling_driver", "energy_performance_preference"})
      recorder.copy(cat("sys/devices/system/cpu/cpufreq/", policy, '/', file));
  for (const std::string& state : recorder.list("sys/devices/system/cpu/cpu0/cpuidle"))
    for (const char* const file : {"name", "disable"})
      recorder.copy(cat("sys/devices/system/cpu/cpu0/cpuidle/", state, '/', file));
  for (const std::string& group : recorder.list("sys/kernel/iommu_groups"))
    recorder.copy(cat("sys/kernel/iommu_groups/", group, "/type"));
  for (const std::string& unit : recorder.list("sys/class/iommu"))
    recorder.copy_link(cat("sys/class/iommu/", unit));
  for (const std::string& controller : recorder.list("sys/devices/system/edac/mc"))
    for (const char* const file : {"ce_count", "ue_count"})
      recorder.copy(cat("sys/devices/system/edac/mc/", controller, '/', file));
  if (!machine.facts.node.container.empty())
    recorder.put("run/systemd/container", machine.facts.node.container + "\n");
  if (machine.time_sync) recorder.put("nettune/time", *machine.time_sync + "\n");
  std::string nodes;
  for (const auto* const kind : {&machine.nvidia.device_nodes, &machine.rdma_nodes})
    for (const auto& [path, state] : *kind)
      nodes += cat(path, " ", doctor::kNodeStates.word(state), "\n");
  if (!nodes.empty()) recorder.put("nettune/nodes", nodes);
  // An empty list says that there is none; without it nobody could tell.
  for (const char* const list : {"sys/bus/pci/devices", "sys/class/infiniband", "sys/class/net",
                                 "sys/class/iommu", "sys/module"})
    if (!recorder.list("sys").empty()) recorder.make_directory(list);
  for (const auto& [name, text] : machine.answers) recorder.put(cat("nettune/", name), text);
}

}  // namespace

Pseudonyms pseudonyms_of(const doctor::Machine& machine) {
  std::array<unsigned char, 32> random{};
  // The key is not stored: the name behind a pseudonym can only be guessed from its place.
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
    random.fill(static_cast<unsigned char>(::getpid()));
  Pseudonyms hidden(sha256_hex({reinterpret_cast<const char*>(random.data()), random.size()}));
  hidden.add_host(machine.facts.node.hostname);
  if (machine.own_name)
    for (const std::string& name :
         {machine.own_name->name, machine.own_name->canonical, machine.own_name->fqdn})
      hidden.add_host(name);
  if (const auto root = kernel::Directory::open("/"))
    if (const auto hosts = root->read("etc/hosts", 1 << 20)) hidden.add_hosts_of(*hosts);
  return hidden;
}

Result<> record_node(const doctor::Machine& machine, const std::string& directory,
                     const Pseudonyms* hidden) {
  TRY_ASSIGN(const auto root, kernel::Directory::open("/"));
  std::error_code error;
  if (!fs::create_directory(directory, error)) {
    const std::string why = error ? error.message() : "it already exists";
    return fail(error ? Errc::io : Errc::conflict,
                cat("--record ", printable(directory), ": ", why, "; name a new directory"));
  }
  // A recording by root contains the kernel log and the configuration of cards.
  fs::permissions(directory, fs::perms::owner_all, error);
  Recorder recorder(root, directory, hidden);
  record_host(machine, recorder);
  record_pci(machine, recorder);
  record_rdma(machine, recorder);
  record_net(machine, recorder);
  record_services(machine, recorder);
  if (recorder.complete()) return {};
  return fail(Errc::io,
              cat("--record ", printable(directory), ": not everything could be written"));
}

}  // namespace nettune::tools::doctor::program
