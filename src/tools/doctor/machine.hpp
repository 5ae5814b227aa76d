// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/word_table.hpp"
#include "facts/facts.hpp"
#include "facts/observe.hpp"
#include "nccl/assignment.hpp"
#include "tools/doctor/answer.hpp"

/// The state of a node as doctor's probes found it: plain data, filled in by doctor/probe.
namespace nettune::tools::doctor {

/// Why something is not known.
struct Gap {
  facts::Blank blank = facts::Blank::unknown;
  std::string why = "it was not checked";
};

/// A value, or why there is none.
template <class T>
struct Known {
  std::optional<T> value;
  Gap gap;

  Known() = default;
  Known(T known) : value(std::move(known)) {}
  Known(Gap why) : gap(std::move(why)) {}
  explicit operator bool() const { return value.has_value(); }
  const T& operator*() const { return *value; }
  const T* operator->() const { return &*value; }
};

inline Gap unknown(std::string why) { return {facts::Blank::unknown, std::move(why)}; }
inline Gap not_permitted(std::string why) { return {facts::Blank::not_permitted, std::move(why)}; }
inline Gap not_applicable(std::string why) {
  return {facts::Blank::not_applicable, std::move(why)};
}

/// Whether a service runs, does not, or is not installed.
enum class ServiceState { active, inactive, absent };
inline constexpr auto kServiceStates = word_table<ServiceState>({
    {ServiceState::active, "active"},
    {ServiceState::inactive, "inactive"},
    {ServiceState::absent, "absent"},
});

/// Whether this user can open a device node; closed: it is there, but not for this user.
enum class NodeState { usable, closed, missing };
/// In recordings, written and read.
inline constexpr auto kNodeStates = word_table<NodeState>({
    {NodeState::usable, "usable"},
    {NodeState::closed, "closed"},
    {NodeState::missing, "missing"},
});
using DeviceNodes = std::map<std::string, NodeState>;  ///< by path

struct PciLink {
  int speed_tenths = 0;  ///< GT/s, times ten
  int lanes = 0;
};

/// "32.0 GT/s x16"
std::string link_text(const PciLink& link);

struct PciBar {
  int index = 0;
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  bool prefetchable_64 = false;
  bool assigned = true;
};

struct PciFunction {
  std::string address;
  std::string id;     ///< "10de:2330"
  std::string klass;  ///< "0x030200"
  std::string driver;
  std::string parent;  ///< address of the bridge above; "" directly below the root complex
  bool parent_known = true;
  std::optional<int> port_type;  ///< PCI_EXP_TYPE_*
  std::optional<PciLink> now;
  std::optional<PciLink> most;
  Known<int> acs;                  ///< the PCI_ACS_* that are on
  std::optional<int> max_payload;  ///< bytes
  std::optional<bool> relaxed_ordering;
  std::optional<std::int64_t> aer_uncorrected;  ///< since power-on, without unsupported requests
  std::optional<std::int64_t> aer_corrected;
  std::optional<int> most_vfs;  ///< sriov_totalvfs
  std::optional<int> vfs;       ///< sriov_numvfs
  bool silent = false;
  bool virtual_function = false;
  bool manages_switch = false;  ///< its vital product data say that it manages NVSwitches
  std::optional<int> numa_node;
  bool numa_known = true;  ///< without a node, the firmware reports none
  std::vector<PciBar> bars;
  bool resizable_bar = false;  ///< the kernel shows that BAR 1 can be resized

  bool is_nvidia_gpu() const;
  /// An NVIDIA GPU with Resizable BAR: Ampere and newer, or one that shows it.
  bool has_resizable_bar() const;
  bool is_nvswitch() const;
};

/// "0000:1b:00.0" of "00000000:1B:00.0", as NVML and nvidia-smi write it.
std::string kernel_address(std::string_view address);

/// One GPU as NVML, or nvidia-smi -q -x, describes it.
struct GpuState {
  std::string pci_address;
  std::string name;
  Answer answer = Answer::value;                ///< the worst of all that it was asked
  std::map<std::string, Answer> refused;        ///< what it was asked, in the words of the source
  std::optional<int> performance_state;         ///< 0 is full speed
  std::optional<int> utilisation;               ///< per cent of the time with a kernel running
  std::optional<std::int64_t> ecc_uncorrected;  ///< volatile
  std::optional<std::int64_t> ecc_corrected;    ///< volatile
  std::optional<std::int64_t> ecc_corrected_later;  ///< a second look
  std::optional<bool> sram_threshold;
  std::optional<bool> remap_pending;
  std::optional<bool> remap_failure;
  std::optional<std::int64_t> remapped_uncorrectable;
  std::optional<bool> retired_pending;
  std::optional<std::int64_t> retired_pages;       ///< for both causes
  std::optional<std::int64_t> banks_without_rows;  ///< memory banks that have no spare row left
  std::optional<bool> persistence;
  std::string compute_mode;  ///< "default", "exclusive process", "prohibited"
  std::optional<bool> mig;
  std::optional<bool> mig_pending;
  std::string recovery_action;  ///< "none", "reset", "reboot", "drain p2p", "drain and reset"
  std::optional<std::vector<std::string>> throttle;  ///< "hw_thermal", "hw_power_brake", ...
  std::optional<double> power_limit_w;
  std::optional<double> default_power_limit_w;
  std::optional<std::int64_t> application_mhz;  ///< the SM clock that was set for programs
  std::optional<std::int64_t> most_mhz;         ///< the highest SM clock
  std::optional<std::int64_t> bar1_mib;
  std::optional<std::int64_t> memory_mib;
  std::optional<int> nvlinks_up;
  std::optional<int> nvlinks;  ///< the GPU's links that are not off
  std::string fabric_state;    ///< "completed", "in progress", "not started", "not supported"
  std::string fabric_status;   ///< "success", otherwise NVML's text
  std::string fabric_health;   ///< "healthy", "unhealthy"
  std::optional<PciLink> link;
  std::optional<PciLink> max_link;

  bool lost() const { return answer == Answer::lost; }
  /// Notes the answer to one question.
  void take(const std::string& key, Answer one) {
    if (one == Answer::value) return;
    refused[key] = one;
    if (one >= Answer::error) answer = std::max(answer, one);
  }
};

/// A bond over RDMA devices, or one that is an RDMA device.
struct Bond {
  std::string name;
  std::string mode;  ///< "802.3ad"
  std::string hash;  ///< "layer3+4"
  std::vector<std::string> members;
  std::vector<std::string> down;  ///< members without a link
};

/// The limits of the container that doctor runs in; its kind is in facts::Node.
struct Container {
  Known<bool> own_network;  ///< the interfaces of its RDMA devices are outside it
  Known<std::optional<std::uint64_t>> memlock;
  Known<bool> numa_calls;  ///< get_mempolicy(2) is allowed
};

struct Nvidia {
  Known<std::string> module_version;  ///< of the loaded module
  bool module_is_absent = false;      ///< no module is loaded; then there is no version
  std::optional<bool> open_module;
  Known<std::string> library_version;  ///< of libnvidia-ml.so.1
  Known<bool> module_for_kernel;       ///< a module for the running kernel is installed
  std::string nvml_error;              ///< "" if NVML answered
  bool nvml_hangs = false;
  std::string driver_version;     ///< from NVML
  std::optional<int> cuda_major;  ///< the newest that the driver supports
  std::optional<int> cuda_minor;
  Known<std::vector<GpuState>> gpus;
  bool nouveau = false;
  Known<ServiceState> fabric_manager;
  Known<ServiceState> nvlsm;  ///< the subnet manager of fourth generation NVSwitches
  Known<ServiceState> imex;
  Known<std::vector<std::string>> fabric_modules_missing;  ///< of ib_umad and mlx5_ib
  Known<std::map<std::string, std::string>> packages;      ///< "nvlsm" to its version
  std::map<std::string, std::string> gsp;  ///< PCI address to the version of its GSP firmware
  DeviceNodes device_nodes;
};

/// A port of an RDMA device: what facts do not have.
struct PortState {
  std::string device;
  int port = 1;
  Known<int> sm_lid;
  Known<int> lid;
  std::map<std::string, std::uint64_t> counters;
  std::map<std::string, std::uint64_t> later;  ///< the same counters after `gap_ms`
  Known<int> active_mtu;
};

struct VerbsDevice {
  std::string device;
  Known<bool> dmabuf;
};

/// The limits of a job that a service starts. A limit without a value is unlimited.
struct ServiceLimits {
  std::string service;  ///< "slurmd"
  std::string found;    ///< "/proc/812/limits", "the unit slurmd.service"
  Known<std::optional<std::uint64_t>> memlock;
  Known<std::optional<std::uint64_t>> nofile;
  Known<std::optional<std::uint64_t>> stack;
};

/// The addresses and names that a name resolves to.
struct Lookup {
  std::string name;
  std::vector<std::string> addresses;  ///< in the order of getaddrinfo()
  std::string canonical;               ///< ai_canonname
  std::string fqdn;                    ///< what Python's socket.getfqdn() returns
  std::string by;                      ///< "/etc/hosts line 2: 127.0.1.1 gpu17", or ""
  std::int64_t took_ms = 0;
};

struct LogLine {
  std::optional<double> at_s;  ///< seconds; the clock depends on the log
  std::string text;            ///< without the time and the host
  bool is_foreign = false;     ///< a program wrote it; the kernel did not
};

struct KernelLog {
  std::vector<LogLine> lines;
  std::string found_in;              ///< "the journal", "/dev/kmsg", "kernel.log"
  bool uptime_clock = false;         ///< the times count from boot
  std::optional<double> now_s = {};  ///< the time now by the same clock; of a recording not known
};

struct FileSystem {
  std::string path;
  std::uint64_t size = 0;
  std::uint64_t free = 0;
  std::uint64_t inodes = 0;
  std::uint64_t free_inodes = 0;
};

struct Listener {
  int port = 0;
  std::string address;
  std::string owner;  ///< "python3 (812)"; "" if it cannot be read
};

/// An installed torch, or an NCCL library.
struct Installed {
  std::string path;
  std::string version;  ///< "2.5.1+cu124"
  std::string cuda;     ///< "12.4"; "" for none: it is for CPUs
};

/// The distance between a GPU and another device, as nvidia-smi topo -m prints it.
struct TopologyCell {
  std::string from;
  std::string to;
  std::string distance;  ///< "PIX", "PXB", "PHB", "NODE", "SYS", "NV4"
};

/// A process of a job: the libraries that it maps, and its environment.
struct JobProcess {
  int pid = 0;
  std::string name;
  Known<std::map<std::string, std::string>> libraries;  ///< path to version, "" if it has none
  Known<std::map<std::string, std::string>> environment;
  Known<std::map<std::string, std::string>> wanted;  ///< variables of the applied profile
};

struct Ras {
  bool answers = false;
  std::string text;  ///< its answer to STATUS
  std::string json;
  std::string later = {};  ///< the text of its second answer; "" if it was asked once
};

/// The result of --peer: this node and another one, in both directions.
struct Peer {
  struct Path {
    std::string ours;    ///< "eth1 (10.0.0.1)"
    std::string theirs;  ///< "eth1 of gpu18 (10.0.0.2)"
    int mtu = 0;         ///< the smaller of both interfaces
    bool to_peer = true;
    Known<int> carries;  ///< the largest packet that arrives unfragmented; 0: none does
  };
  struct Name {
    std::string name;  ///< the name that is looked up
    std::string on;    ///< the node that looks it up
    Known<std::vector<std::string>> resolved;
    std::vector<std::string> has;  ///< the addresses of the node of that name
  };
  struct Port {
    int port = 0;
    std::string to;     ///< the node that listens
    std::string state;  ///< "reachable", "refused", "dropped", "no route", "" if not tried
    std::string text;
  };
  std::string host;
  std::vector<Path> paths;
  std::vector<Name> names;
  std::vector<Port> ports;
  std::map<std::string, int> our_gids;  ///< "mlx5_0/1" to the index of its RoCE v2 GID
  Known<std::map<std::string, int>> their_gids;
};

/// What was listed whole. What is missing in such a list is absent; in another one it is not known.
struct Listed {
  bool all = true;        ///< this machine itself: nothing is left out
  bool rdma = true;       ///< the RDMA devices
  bool addresses = true;  ///< the addresses of interfaces
};

/// What this node must have, whatever its siblings have.
struct Owed {
  std::string by;  ///< who says so: "the site file"
  std::optional<int> gpus;
  std::optional<int> nvlinks;      ///< of each GPU
  std::vector<std::string> ports;  ///< globs of "mlx5_0/1"; empty: not said
};

struct Machine {
  facts::Facts facts;
  Owed owed;
  Listed listed;
  std::string release;  ///< Debian's, "12"; "" if it is not known
  Known<bool> virtual_machine;
  std::string hypervisor;  ///< "KVM"; "" if it is not known
  Known<std::string> command_line;
  Known<std::vector<PciFunction>> pci;
  Known<bool> iommu;
  std::map<std::string, int> iommu_groups;  ///< their types: "DMA-FQ", "identity"
  Nvidia nvidia;
  std::vector<PortState> ports;
  std::int64_t counter_gap_ms = 0;  ///< between the two readings; 0: there was one
  std::vector<VerbsDevice> verbs;
  Known<std::string>
      ofed;  ///< of mlx5_core: "23.10-0.5.5"; not applicable to the kernel's own driver
  std::vector<Bond> bonds;
  std::optional<Container> container;
  /// Counters of network interfaces, by their drivers' names (ethtool -S).
  std::map<std::string, std::map<std::string, std::uint64_t>> statistics;
  std::map<std::string, std::map<std::string, std::uint64_t>> statistics_later;
  DeviceNodes rdma_nodes;
  Known<bool> peer_memory;           ///< an nv_peer_mem or nvidia_peermem that NCCL would find
  Known<bool> peer_memory_possible;  ///< the RDMA stack has the interface for it
  std::map<std::string, std::string> environment;  ///< the NCCL_* and GLOO_* of every job
  std::vector<nettune::nccl::Assignment>
      assignments;  ///< the lines of files that set variables of jobs
  std::vector<ServiceLimits> services;
  Known<std::string> remove_ipc;  ///< "yes" or "no"
  Known<Lookup> own_name;
  Known<std::vector<Listener>> listeners;
  Known<KernelLog> log;
  std::vector<Known<FileSystem>> file_systems;
  Known<FileSystem> shm;
  std::vector<std::string> shm_leftovers;
  Known<bool> root_is_read_only;
  std::map<std::string, std::string> governors;  ///< policy to governor
  Known<std::string> clocksource;
  Known<std::string> numa_balancing;
  Known<std::string> time_sync;                       ///< "synchronised" or "unsynchronised"
  Known<std::pair<std::int64_t, std::int64_t>> edac;  ///< corrected, uncorrected
  std::vector<Installed> torch;
  std::vector<Installed> nccl;
  std::vector<Installed> cudnn;
  std::optional<Gap> no_versions;  ///< why the three above are not known
  std::vector<TopologyCell> topology;
  std::vector<std::string> silent_probes;  ///< probes that did not answer in time, in words
  std::optional<Ras> ras;
  std::optional<Peer> peer;
  std::optional<JobProcess> job;
  std::vector<facts::Observation> of_check;    ///< what `check` also reads
  std::vector<std::string> notes;              ///< what could not be read, in words
  std::map<std::string, std::string> answers;  ///< of probes in their own process, unparsed

  const PciFunction* find_pci(const std::string& address) const;
  const GpuState* find_gpu(const std::string& address) const;
  /// Whether every bridge up to the root complex is known.
  bool knows_path(const PciFunction& function) const;
  /// Whether it is known what each PCI function is.
  bool knows_functions() const;
  /// Whether an RDMA device is a function of a card that manages NVSwitches, and no rail.
  bool manages_switches(const facts::RdmaDevice& device) const;
  /// The bridges above a function, the nearest first.
  std::vector<const PciFunction*> above(const PciFunction& function) const;
};

}  // namespace nettune::tools::doctor
