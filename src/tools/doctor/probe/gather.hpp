// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.hpp"
#include "kernel/sysfs.hpp"
#include "tools/doctor/machine.hpp"

/// Reads the state of a node. Only /dev/nvidia* and /dev/infiniband are opened for writing, by
/// their libraries. No GPU context is created.
namespace nettune::tools::doctor::probe {

struct GatherRequest {
  std::string root = "/";  ///< else a recorded tree, or a directory of texts (docs/doctor.md)
  bool quick = false;      ///< do not wait, and do not query a card's firmware
  bool job = false;        ///< ask NCCL's RAS port
  int pid = 0;             ///< a process of a job to inspect; 0 for none
  int counter_gap_ms = 1000;
  int deadline_ms = 2000;  ///< of every probe in its own process
  std::string nvml = "libnvidia-ml.so.1";
};

Result<Machine> gather(const GatherRequest& request);

// The parts; each reads one area below `root`. `live`: `root` is this machine.
using kernel::Directory;
struct Place {
  const Directory& root;
  bool live = true;
};

Result<facts::Facts> read_facts(const GatherRequest& request, Machine& machine);  // facts.cpp
void read_pci(const Place& place, Machine& machine);                              // pci.cpp
void read_nvidia(const Place& place, Machine& machine);                           // nvidia.cpp
/// What NVLink fabrics need: services, modules, packages, and the functions that manage NVSwitches.
void read_fabric(const Place& place, Machine& machine);      // nvlink_fabric.cpp
void read_rdma_ports(const Place& place, Machine& machine);  // rdma.cpp
std::map<std::string, std::uint64_t> read_counters(const Directory& root, const std::string& device,
                                                   int port);
void read_rdma_nodes(const Place& place, Machine& machine);
void read_peer_memory(const Place& place, bool quick, Machine& machine);
void read_services(const Place& place, Machine& machine);   // limits.cpp
void read_host(const Place& place, Machine& machine);       // host.cpp
void read_cards(const Place& place, Machine& machine);      // cards.cpp
void read_container(const Place& place, Machine& machine);  // container.cpp
/// The counters of `ethtool -S` on this machine. A driver may query its card's firmware.
std::map<std::string, std::uint64_t> read_statistics(
    const std::string& interface);                            // statistics.cpp
void read_shm(const Place& place, Machine& machine);          // shm.cpp
void read_listeners(const Place& place, Machine& machine);    // listeners.cpp
void read_environment(const Place& place, Machine& machine);  // environment.cpp
void read_loose_texts(const Place& place, Machine& machine);  // loose.cpp

// The texts that probes in their own process return; recordings keep them below nettune/.
std::string look_up_own_name();  // names.cpp
std::optional<Lookup> parse_own_name(std::string_view text);
/// Looks only in the files of a tree, as nss_files does; a name that they do not have is not known.
Known<Lookup> own_name_of_files(const Directory& root);
/// "/etc/hosts line 2: 127.0.1.1 gpu17", or "".
std::string hosts_line(const Directory& root, const Lookup& own);
/// Lines "PATH SIZE FREE INODES FREE_INODES". A dead NFS below /tmp never answers.
std::string measure_space();  // space.cpp
void parse_space(std::string_view text, Machine& machine);
void take_space(const Place& place, const std::optional<std::string>& text, Machine& machine);
/// Lines "KIND\tPATH\tVERSION\tCUDA" for torch, NCCL and cuDNN. `prefix` is the path of `root`, ""
/// for this machine. /opt may be a network mount.
std::string find_versions(const Directory& root, const std::string& prefix);  // versions.cpp
void parse_versions(std::string_view text, Machine& machine);
/// With a gap, the corrected memory errors are read twice.
std::string ask_nvml(const std::string& library, int gap_ms = 0);  // nvml.cpp
void parse_nvml(std::string_view text, Nvidia& nvidia);
std::string ask_verbs();  // verbs.cpp
void parse_verbs(std::string_view text, Machine& machine);
std::string read_kernel_log();  // kernel_log.cpp
/// A message of the driver that spans several lines becomes one line.
KernelLog parse_kernel_log(std::string_view text);            // kernel_log_lines.cpp
JobProcess read_job_process(const Directory& root, int pid);  // job_process.cpp
/// "text ANSWER", "json ANSWER" or "none WHY". An answer in which ranks are behind others is
/// followed by kNextAnswer and one of some seconds later.
std::string ask_ras();  // ras_client.cpp
inline constexpr char kNextAnswer = '\f';

/// The device nodes of a recording, lines "PATH STATE", whose paths begin with `stem`.
DeviceNodes recorded_nodes(const Directory& root, std::string_view stem);

/// "usable", "closed" or "missing".
NodeState state_of_node(const std::string& path);

}  // namespace nettune::tools::doctor::probe
