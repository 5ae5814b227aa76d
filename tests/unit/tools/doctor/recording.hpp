// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <stdlib.h>
#include <string>
#include <system_error>
#include <vector>

#include "base/text.hpp"

namespace nettune::test {

/// Recordings of healthy nodes in a temporary directory, in the two forms that `doctor --root`
/// reads: as --record writes it, and texts of other people's tools.
class Recording {
 public:
  Recording() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nettune-rec-XXXXXX").string();
    const char* const made = ::mkdtemp(pattern.data());
    root_ = made != nullptr ? made : "";
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  const std::string& root() const { return root_; }
  std::string path(const std::string& relative) const { return cat(root_, "/", relative); }

  void file(const std::string& relative, const std::string& content) {
    directory(std::filesystem::path(relative).parent_path().string());
    std::ofstream(path(relative), std::ios::binary) << content;
  }
  void directory(const std::string& relative) {
    std::error_code ignored;
    std::filesystem::create_directories(path(relative), ignored);
  }
  void symlink(const std::string& relative, const std::string& target) {
    directory(std::filesystem::path(relative).parent_path().string());
    std::error_code ignored;
    std::filesystem::create_symlink(target, path(relative), ignored);
  }

  /// Everything in it but the root, deepest last: files, links and directories.
  std::vector<std::string> entries() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_))
      all.push_back(entry.path().string().substr(root_.size() + 1));
    return all;
  }

 private:
  std::string root_;
};

/// The configuration space of a PCIe function with ACS off, as root sees it.
inline std::string pci_config_space(bool is_bridge) {
  std::string bytes(4096, '\0');
  const auto put = [&](std::size_t at, std::initializer_list<int> values) {
    for (const int value : values) bytes[at++] = static_cast<char>(value);
  };
  put(0x00, {0xb3, 0x15, 0x21, 0x10, 0x06, 0x04, 0x10, 0x00});
  put(0x34, {0x40});
  put(0x40, {0x10, 0x00, is_bridge ? 0x62 : 0x02, 0x00});  // PCIe: switch port, or endpoint
  put(0x48, {0x30, 0x59});                                 // 256 bytes, relaxed ordering, 4096
  put(0x100, {0x0d, 0x00, 0x01, 0x00});                    // ACS, all off
  return bytes;
}

/// Two GPUs and two cards with two ports each, of which the second has no cable by design; each
/// pair below a PCIe switch of its own, on its own NUMA node.
class RecordedNode : public Recording {
 public:
  explicit RecordedNode(bool infiniband = false) : infiniband_(infiniband) {
    for (const int side : {0, 1}) add_side(side);
    add_interface("eth0", 2, "pci0000:00/0000:00:1f.0", 1500, 1, "up");
    add_function("pci0000:00/0000:00:1f.0", "0x8086", "0x1521", "0x020000", "igb", 0);
    add_host();
    add_answers();
    std::string list;
    for (const auto& [name, index, address] : addresses_)
      list += cat(list.empty() ? "" : ",", "{\"ifindex\":", index, ",\"ifname\":\"", name,
                  "\",\"addr_info\":[{\"family\":\"inet\",\"local\":\"", address,
                  "\",\"prefixlen\":16}]}");
    file("ip-address.json", cat("[", list, "]\n"));
  }

 private:
  struct Address {
    std::string name;
    int index;
    std::string address;
  };

  void add_function(const std::string& at, const std::string& vendor, const std::string& device,
                    const std::string& klass, const std::string& driver, int numa_node) {
    const std::string address = std::filesystem::path(at).filename().string();
    const std::string base = cat("sys/devices/", at);
    const bool is_bridge = klass == "0x060400";
    file(base + "/vendor", vendor + "\n");
    file(base + "/device", device + "\n");
    file(base + "/class", klass + "\n");
    file(base + "/numa_node", cat(numa_node, "\n"));
    file(base + "/local_cpulist", numa_node == 0 ? "0-31\n" : "32-63\n");
    for (const char* const which : {"current", "max"}) {
      file(cat(base, "/", which, "_link_speed"), "32.0 GT/s PCIe\n");
      file(cat(base, "/", which, "_link_width"), "16\n");
    }
    file(base + "/config", pci_config_space(is_bridge));
    if (device == "0x2330")
      file(base + "/resource",
           "0x000003a042000000 0x000003a042ffffff 0x000000000014220c\n"
           "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
           "0x000003a100000000 0x000003c0ffffffff 0x000000000014220c\n");
    std::string up;
    for (std::size_t i = 0; i < split(at, '/').size() + 1; ++i) up += "../";
    directory("sys/bus/pci/drivers/" + driver);
    symlink(base + "/driver", cat(up, "bus/pci/drivers/", driver));
    symlink("sys/bus/pci/devices/" + address, cat("../../../devices/", at));
  }

  void add_interface(const std::string& name, int index, const std::string& parent, int mtu,
                     int type, const std::string& state) {
    const std::string base = cat("sys/devices/", parent, "/net/", name);
    file(base + "/ifindex", cat(index, "\n"));
    file(base + "/mtu", cat(mtu, "\n"));
    file(base + "/type", cat(type, "\n"));
    file(base + "/operstate", state + "\n");
    file(base + "/carrier", state == "up" ? "1\n" : "0\n");
    file(base + "/dev_port", "0\n");
    if (state == "up") file(base + "/speed", mtu > 1500 ? "400000\n" : "10000\n");
    symlink(base + "/device", "../../../" + std::filesystem::path(parent).filename().string());
    symlink("sys/class/net/" + name, cat("../../devices/", parent, "/net/", name));
    if (state == "up") addresses_.push_back({name, index, cat("10.", index, ".0.17")});
  }

  void add_card(int number, const std::string& at, int side, bool active) {
    const std::string layer = infiniband_ ? "InfiniBand" : "Ethernet";
    const std::string name = cat("mlx5_", number);
    const std::string net = cat(infiniband_ ? "ib" : "fab", number);
    add_function(at, "0x15b3", "0x1021", infiniband_ ? "0x020700" : "0x020000", "mlx5_core", side);
    add_interface(net, 10 + number, at, infiniband_ ? 4092 : 9000, infiniband_ ? 32 : 1,
                  active ? "up" : "down");
    const std::string base = cat("sys/devices/", at, "/infiniband/", name);
    symlink("sys/class/infiniband/" + name, cat("../../devices/", at, "/infiniband/", name));
    file(base + "/node_guid", cat("9803:9b03:00a1:b2c", number, "\n"));
    file(base + "/fw_ver", "28.39.1002\n");
    file(base + "/board_id", "MT_0000000838\n");
    const std::string port = base + "/ports/1";
    file(port + "/link_layer", layer + "\n");
    file(port + "/state", active ? "4: ACTIVE\n" : "1: DOWN\n");
    file(port + "/phys_state", active ? "5: LinkUp\n" : "2: Polling\n");
    file(port + "/rate", active ? "400 Gb/sec (4X NDR)\n" : "10 Gb/sec (4X SDR)\n");
    file(port + "/sm_lid", infiniband_ && active ? "0x1\n" : "0x0\n");
    file(port + "/lid", infiniband_ && active ? cat("0x", 10 + number, "\n") : "0x0\n");
    if (infiniband_) file(port + "/pkeys/0", "0xffff\n");
    file(port + "/counters/link_downed", "0\n");
    file(port + "/counters/symbol_error", "0\n");
    if (infiniband_) {
      file(port + "/gids/0", cat("fe80:0000:0000:0000:9803:9b03:00a1:b2c", number, "\n"));
    } else if (active) {
      file(port + "/gids/0", "fe80:0000:0000:0000:0000:00ff:fe00:0001\n");
      file(port + "/gids/3", cat("0000:0000:0000:0000:0000:ffff:0a0", number, ":0011\n"));
      for (const char* const index : {"0", "3"}) {
        file(cat(port, "/gid_attrs/types/", index), "RoCE v2\n");
        file(cat(port, "/gid_attrs/ndevs/", index), net + "\n");
      }
    }
  }

  void add_side(int side) {
    const std::string bus = side == 0 ? "0000:1" : "0000:2";
    const std::string root_port = cat("pci", bus, "5/", bus, "5:01.0");
    const std::string up = cat(root_port, "/", bus, "6:00.0");
    add_function(root_port, "0x8086", "0x352a", "0x060400", "pcieport", side);
    add_function(up, "0x1000", "0xc030", "0x060400", "pcieport", side);
    add_function(cat(up, "/", bus, "7:00.0"), "0x1000", "0xc030", "0x060400", "pcieport", side);
    add_function(cat(up, "/", bus, "7:01.0"), "0x1000", "0xc030", "0x060400", "pcieport", side);
    add_function(cat(up, "/", bus, "7:00.0/", bus, "9:00.0"), "0x10de", "0x2330", "0x030200",
                 "nvidia", side);
    add_card(2 * side, cat(up, "/", bus, "7:01.0/", bus, "a:00.0"), side, true);
    add_card(2 * side + 1, cat(up, "/", bus, "7:01.0/", bus, "a:00.1"), side, false);
  }

  void add_host() {
    add_function("pci0000:15/0000:35:00.0", "0x10de", "0x22a3", "0x068000", "nvidia-nvswitch", 0);
    file("etc/hosts", "127.0.0.1 localhost\n10.2.0.17 gpu17.cluster gpu17\n");
    file("etc/hostname", "gpu17\n");
    file("etc/os-release", "ID=debian\nVERSION_ID=\"12\"\n");
    file("etc/systemd/logind.conf", "[Login]\nRemoveIPC=no\n");
    file("etc/slurm/slurm.conf", "PropagateResourceLimitsExcept=MEMLOCK\n");
    file("proc/cmdline", "BOOT_IMAGE=/vmlinuz ro quiet\n");
    file("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu sse avx512f\n");
    file("proc/net/route",
         "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
         "eth0\t00000000\t0100020A\t0003\t0\t0\t0\t00000000\t0\t0\t0\n");
    file("proc/net/tcp", "  sl  local_address rem_address   st\n");
    file("proc/self/mountinfo", "22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw\n");
    file("proc/driver/nvidia/version",
         "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.163.01  Release Build\n");
    file("proc/sys/kernel/hostname", "gpu17\n");
    file("proc/sys/kernel/osrelease", "6.1.0-37-amd64\n");
    file("proc/sys/kernel/numa_balancing", "0\n");
    file("proc/1/comm", "systemd\n");
    file("proc/900/comm", "nv-fabricmanage\n");
    file("proc/812/comm", "slurmd\n");
    file("proc/812/limits",
         "Limit                     Soft Limit           Hard Limit           Units     \n"
         "Max stack size            8388608              unlimited            bytes     \n"
         "Max open files            131072               131072               files     \n"
         "Max locked memory         unlimited            unlimited            bytes     \n");
    file("sys/class/dmi/id/sys_vendor", "Supermicro\n");
    directory("sys/class/iommu");
    file("sys/module/nvidia/version", "550.163.01\n");
    file("sys/module/nvidia_peermem/version", "550.163.01\n");
    directory("sys/module/mlx5_core");
    file("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
    file("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n");
    file("sys/devices/system/node/node0/cpulist", "0-31\n");
    file("sys/devices/system/node/node1/cpulist", "32-63\n");
    file("sys/devices/system/edac/mc/mc0/ce_count", "0\n");
    file("sys/devices/system/edac/mc/mc0/ue_count", "0\n");
  }

  void add_answers() {
    file("nettune/names",
         "name gpu17\ncanonical gpu17.cluster\naddress 10.2.0.17\nfqdn gpu17.cluster\nms 1\n");
    std::string nvml = "driver 550.163.01\ncuda 12040\n";
    for (const char* const address : {"0000:19:00.0", "0000:29:00.0"})
      nvml += cat("gpu ", address,
                  "\nname NVIDIA H100 80GB HBM3\npstate 0\necc-uncorrected 0\nremap-pending 0\n"
                  "remap-failure 0\nbar1-mib 131072\npersistence 1\ncompute-mode 0\nmig 0\n"
                  "mig-pending 0\nthrottle 0\nrecovery 0\nnvlinks 18\nnvlinks-up 18\n"
                  "power-limit-mw 700000\ndefault-power-limit-mw 700000\nfabric-state 3\n"
                  "fabric-status success\n");
    file("nettune/nvml", nvml);
    std::string verbs = "count 4\n";
    for (const char* const number : {"0", "1", "2", "3"})
      verbs += cat("device mlx5_", number, "\ndmabuf yes\nmtu 1 4096\n");
    file("nettune/verbs", verbs);
    file("nettune/kernel.log", "from the journal\n");
    file("nettune/space",
         "/dev/shm 1099511627776 1099511627776 0 0\n/ 1099511627776 549755813888 1000 900\n");
    file("nettune/time", "synchronised\n");
    file("nettune/versions", "torch\t/opt/conda/torch\t2.5.1+cu124\t12.4\n");
    file("nettune/nodes",
         "/dev/nvidiactl usable\n/dev/nvidia-uvm usable\n/dev/nvidia0 usable\n/dev/nvidia1 usable\n"
         "/dev/infiniband/rdma_cm usable\n/dev/infiniband/uverbs0 usable\n");
  }

  bool infiniband_;
  std::vector<Address> addresses_;
};

}  // namespace nettune::test
