// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nettune::facts {

/// A network interface. Unknown is an empty string or optional, never a made-up zero.
struct NetDevice {
  std::string name;
  int ifindex = 0;
  /// The lasting identity of the device, independent of its name: "pci 0000:3b:00.0 port 0", else
  /// "mac 0c:42:..." (permanent address), else "name veth0" for purely virtual ones.
  std::string identity;
  std::string kind;         ///< IFLA_INFO_KIND: "veth", "bond", "vlan", ...; "" for hardware
  bool physical = false;    ///< is a device on a bus (has /sys/class/net/X/device)
  std::string driver;       ///< "mlx5_core"
  std::string pci_address;  ///< "0000:3b:00.0"
  std::string pci_id;       ///< "15b3:1021"
  std::optional<int> numa_node;
  std::string near_cpus;              ///< those of its NUMA node, "0-31,64-95"
  std::optional<int> interrupts;      ///< how many message-signaled ones its function has
  std::optional<int> speed_mbps;      ///< link speed now
  std::optional<int> max_speed_mbps;  ///< fastest link mode that the port supports
  /// The port's capabilities as far as known: a driver may list no mode and still have a link.
  std::optional<int> top_speed_mbps() const { return std::max(speed_mbps, max_speed_mbps); }
  std::optional<int> mtu;
  std::optional<int> min_mtu;
  std::optional<int> max_mtu;
  std::optional<int> txqueuelen;
  std::string mac;
  std::string permanent_mac;
  std::string operstate;  ///< "up", "down", "unknown", ...
  std::optional<bool> carrier;
  std::string link_layer;              ///< "Ethernet", "InfiniBand", "Loopback", ...
  std::vector<std::string> addresses;  ///< "10.0.0.1/24"
  std::vector<std::string> lowers;     ///< lower devices: bond members, VLAN parent, PF of a VF
  std::vector<std::string> uppers;     ///< upper devices
  /// The bond, team, bridge or VRF that takes its packets under its own name; "" for none.
  std::string master;
  std::vector<std::string> rdma_devices;  ///< "mlx5_0"
  bool default_route = false;             ///< has a default route of any table or family
  std::vector<std::string> protected_by;  ///< reasons; empty if not protected

  /// True with a configured address: those that every interface gives itself (RFC 4291 and RFC
  /// 3927) do not count.
  bool is_addressed() const;
};

struct Gid {
  int index = 0;
  std::string gid;
  std::string type;    ///< "RoCE v2", "IB/RoCE v1"
  std::string netdev;  ///< "ens1f0np0"
};

struct RdmaPort {
  int number = 1;
  std::string link_layer;  ///< "Ethernet" or "InfiniBand"
  std::string state;       ///< "ACTIVE", "DOWN", "INIT", "ARMED"
  std::string physical_state;
  std::string rate;  ///< in the kernel's words: "200 Gb/sec (4X HDR)"
  std::optional<double> rate_gbps;
  std::string netdev;
  std::vector<Gid> gids;     ///< entries that are in use
  bool gids_listed = false;  ///< the table was read whole
};

struct RdmaDevice {
  std::string name;
  /// The lasting identity of the device, independent of its name: "rdma pci 0000:3b:00.0", else
  /// "rdma guid 506b:4b03:00c0:ffee", else "rdma name rxe0".
  std::string identity;
  std::string driver;  ///< the PCI function's driver: "mlx5_core"
  std::string pci_address;
  std::string pci_id;             ///< "15b3:101b"
  bool virtual_function = false;  ///< of SR-IOV; in a guest as far as the PCI id shows
  std::string node_guid;
  std::string firmware;
  std::optional<int> numa_node;
  std::vector<RdmaPort> ports;
  std::string psid = {};  ///< the board that firmware is made for (board_id): "MT_0000000838"
  std::string system_guid = {};  ///< sys_image_guid: the same for all functions of a card
  /// The version of a driver that is not the kernel's own (OFED, DOCA), else kOwnDriver.
  std::string driver_version = {};
  std::string pcie_speed = {};         ///< of the link now: "32.0 GT/s"
  std::optional<int> pcie_width = {};  ///< lanes of the link now
};

/// The driver_version of a driver that is part of the kernel.
inline constexpr const char* kOwnDriver = "the kernel's own";

struct Gpu {
  std::string pci_address;
  std::string pci_id;
  std::string driver;
  std::optional<int> numa_node;
};

/// A bridge above GPUs and RDMA cards: by ACS, its port may send the traffic between them through
/// the root complex.
struct PeerPort {
  /// From its root bus down, so that nothing plugged in elsewhere changes it:
  /// "0000:3a:00.0/00.0/04.0".
  std::string path;
  std::string pci_address;
  std::optional<bool> has_acs;      ///< nothing: its configuration space was not readable
  std::vector<std::string> ends;    ///< addresses of the GPUs and RDMA cards behind it
  std::vector<std::string> others;  ///< and of all other devices
};

/// Something on this node that a change could disturb: slurmd, kubelet, a process on a GPU.
struct Work {
  std::string what;    ///< "slurmd", "kubelet", "GPU process", "RDMA user", "kernel user", "VF"
  int pid = 0;         ///< 0 if it is not one process
  std::string detail;  ///< command name, device, or why it could not be seen
  /// The interface or RDMA device in use; "" if a change to any device may disturb it.
  std::string device = {};
};

/// A base chain for packets to or from this node.
struct FirewallChain {
  std::string family;  ///< "ip", "ip6", "inet"
  std::string table;
  std::string name;
  std::string hook;  ///< "input", "prerouting", "ingress", "output", "postrouting", "egress"
  int priority = 0;
  std::string policy;  ///< "accept", "drop"
  /// Its manager: "docker", "firewalld", "ufw", "iptables", ...; "" if unknown.
  std::string owner;
  /// It can drop packets, itself or through a jump; for "output": plain packets to some peer.
  bool can_drop = false;
  /// For "input" and "output": it also drops answers of connections.
  bool drops_answers = false;
};

/// An active zone of firewalld.
struct FirewallZone {
  std::string name;
  std::string target;  ///< "default", "ACCEPT", "DROP", "%%REJECT%%"
  /// The assigned interfaces; the default zone has all others.
  std::vector<std::string> interfaces;
  /// Packets from these sources belong to the zone, whatever their interface: networks, MAC
  /// addresses, "ipset:NAME".
  std::vector<std::string> sources;
};

/// What filters incoming and outgoing packets.
struct Firewall {
  /// "firewalld", "ufw", "nftables", "iptables", "iptables-legacy", "none"; "" if unknown.
  std::string owner;
  std::string found_by;  ///< the evidence, or why it is unknown
  std::vector<FirewallChain> chains;
  std::string default_zone;         ///< firewalld's, for interfaces without one
  std::vector<FirewallZone> zones;  ///< firewalld's
  std::optional<bool> panic;        ///< firewalld drops everything and takes no rules
  std::optional<bool> ufw_ipv6;     ///< ufw also filters IPv6 (IPV6=, /etc/default/ufw)
};

/// A current ssh connection to this node.
struct SshSession {
  std::string local;
  int local_port = 0;
  std::string remote;
  /// The interface with the local address; "" if unknown, or if it is not a way in (lo, dummy).
  std::string interface;
  std::string leaves_by;  ///< the interface of the route to `remote`; "" if unknown
};

/// An option of the kernel command line, "iommu" and "pt"; one that occurs several times has all
/// its values.
struct KernelOption {
  std::string name;
  std::string value;
};

/// The firmware and the settings below the operating system's own. Nothing of it is of this one
/// machine only: no serial numbers, UUIDs or addresses.
struct Platform {
  std::string vendor;   ///< "Dell Inc."
  std::string product;  ///< "PowerEdge XE9680"
  std::string board_vendor;
  std::string board;
  std::string bios_vendor;
  std::string bios_version;
  std::string bios_date;
  std::string controller_firmware;  ///< of the embedded controller; on some servers it is the BMC
  std::string cpu_model;
  std::string microcode;  ///< "0x2b000603"
  std::string cpufreq_driver;
  std::string governor;  ///< "performance"; several are joined by a comma
  std::string cpuidle_driver;
  std::string cpuidle_governor;
  std::optional<std::vector<std::string>> idle_states;  ///< of CPU 0, those that are not disabled
  std::string iommu;                                    ///< "off", "translating", "passthrough"
  std::optional<int> memory_mib;
  std::optional<int> dimms;  ///< populated; only root can see it
  std::optional<std::vector<KernelOption>> kernel_options;
};

struct Node {
  std::string hostname;
  std::string os_id;       ///< "debian"
  std::string os_version;  ///< "12"
  std::string kernel;      ///< release: "6.1.0-37-amd64"
  std::string architecture;
  std::string machine_id;
  std::string boot_id;
  std::string container;  ///< "" on the host, otherwise the kind, as far as it is visible
  int cpus = 0;
  Platform platform = {};
};

struct PortOfDevice {
  const RdmaDevice* device = nullptr;
  const RdmaPort* port = nullptr;

  bool operator==(const PortOfDevice&) const = default;
};

/// The facts of this node. Plain data: collect.hpp reads it, json.hpp stores it.
struct Facts {
  int schema = 1;
  Node node;
  std::vector<NetDevice> net;
  std::vector<RdmaDevice> rdma;
  std::vector<Gpu> gpus;
  std::vector<PeerPort> peer_ports;
  std::vector<std::string> guests;  ///< what gives devices to guests: each a sentence
  std::vector<Work> at_work;
  Firewall firewall;
  std::vector<SshSession> ssh;
  std::vector<std::string>
      services;                    ///< installed systemd services, not masked, without ".service"
  std::vector<std::string> notes;  ///< what could not be read, and why
  /// The notes that leave open who reaches this machine, and by which device. Not recorded.
  std::vector<std::string> access_gaps;

  const NetDevice* find_net(const std::string& name) const;
  /// The RDMA ports that name an interface. A single port that names another interface belongs to a
  /// bond of which this is a member.
  std::vector<PortOfDevice> rdma_ports_of(const std::string& interface) const;
  /// The names of all lower devices (&NetDevice::lowers) or all upper devices (&NetDevice::uppers)
  /// of an interface, recursively, without its own.
  std::set<std::string> reached_from(const std::string& name,
                                     std::vector<std::string> NetDevice::*next) const;
  /// The part of at_work that a disturbance of this interface or RDMA device would affect: users of
  /// it, of its lower and upper devices, and of their RDMA devices, and work without a device. ""
  /// is all devices.
  std::vector<const Work*> work_on(const std::string& device) const;
};

}  // namespace nettune::facts
