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
  /// What the device is, whatever udev calls it: "pci 0000:3b:00.0 port 0", else "mac 0c:42:..."
  /// (permanent address), else "name veth0" for purely virtual ones.
  std::string identity;
  std::string kind;         ///< IFLA_INFO_KIND: "veth", "bond", "vlan", ...; "" for hardware
  bool physical = false;    ///< stands on a bus (has /sys/class/net/X/device)
  std::string driver;       ///< "mlx5_core"
  std::string pci_address;  ///< "0000:3b:00.0"
  std::string pci_id;       ///< "15b3:1021"
  std::optional<int> numa_node;
  std::optional<int> speed_mbps;      ///< link speed now
  std::optional<int> max_speed_mbps;  ///< fastest link mode that the port supports
  /// What the port can do as far as it shows: a driver may list no mode and still have a link.
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
  std::vector<std::string> lowers;     ///< what it stands on: bond members, VLAN parent, PF of a VF
  std::vector<std::string> uppers;     ///< what stands on it
  /// A bond, team, bridge or VRF that takes its packets, which then have that one's name; "" for
  /// none.
  std::string master;
  std::vector<std::string> rdma_devices;  ///< "mlx5_0"
  bool default_route = false;  ///< a default route of any table or family leaves by this device
  std::vector<std::string> protected_by;  ///< reasons; empty when not protected

  /// Has an address that somebody gave it: those that every interface gives itself (RFC 4291 and
  /// RFC 3927) do not make a network.
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
  std::string rate;  ///< as the kernel says it: "200 Gb/sec (4X HDR)"
  std::optional<double> rate_gbps;
  std::string netdev;
  std::vector<Gid> gids;  ///< entries that are in use
};

struct RdmaDevice {
  std::string name;
  /// What the device is, whatever udev calls it: "rdma pci 0000:3b:00.0", else "rdma guid
  /// 506b:4b03:00c0:ffee", else "rdma name rxe0".
  std::string identity;
  std::string driver;  ///< "mlx5_core": of the PCI function
  std::string pci_address;
  std::string pci_id;             ///< "15b3:101b"
  bool virtual_function = false;  ///< of SR-IOV; in a guest as far as the PCI id tells
  std::string node_guid;
  std::string firmware;
  std::optional<int> numa_node;
  std::vector<RdmaPort> ports;
};

struct Gpu {
  std::string pci_address;
  std::string pci_id;
  std::string driver;
  std::optional<int> numa_node;
};

/// Something on this node that a change could disturb: slurmd, kubelet, a process on a GPU.
struct Work {
  std::string what;    ///< "slurmd", "kubelet", "GPU process", "RDMA user", "kernel user", "VF"
  int pid = 0;         ///< 0 when it is not one process
  std::string detail;  ///< command name, device, or why it could not be seen
  /// The interface or RDMA device that it uses; "" where a change to any device may disturb it.
  std::string device = {};
};

/// A base chain that packets to this node, or from it, go through.
struct FirewallChain {
  std::string family;  ///< "ip", "ip6", "inet"
  std::string table;
  std::string name;
  std::string hook;  ///< "input", "prerouting", "ingress", "output", "postrouting", "egress"
  int priority = 0;
  std::string policy;  ///< "accept", "drop"
  /// Whose it is: "docker", "firewalld", "ufw", "iptables", ...; "" for nobody in particular.
  std::string owner;
  /// By itself, or by a chain that it jumps to; of "output", plain packets to somebody.
  bool can_drop = false;
  /// Of "input" and "output": also answers of connections.
  bool drops_answers = false;
};

/// A zone of firewalld that takes packets.
struct FirewallZone {
  std::string name;
  std::string target;  ///< "default", "ACCEPT", "DROP", "%%REJECT%%"
  /// That it was given; the default zone has all that no zone was given.
  std::vector<std::string> interfaces;
  /// What comes from there is this zone's, whatever interface it comes in by: networks, MAC
  /// addresses, "ipset:NAME".
  std::vector<std::string> sources;
};

/// Who filters what comes in here, and what goes out.
struct Firewall {
  /// "firewalld", "ufw", "nftables", "iptables", "iptables-legacy", "none"; "" where it is unknown.
  std::string owner;
  std::string found_by;  ///< how it shows, or why it is unknown
  std::vector<FirewallChain> chains;
  std::string default_zone;         ///< of firewalld, for interfaces without one
  std::vector<FirewallZone> zones;  ///< of firewalld
  std::optional<bool> panic;        ///< of firewalld: it drops everything and takes no rule
  std::optional<bool> ufw_ipv6;     ///< of ufw: it filters IPv6, too (IPV6=, /etc/default/ufw)
};

/// An ssh connection to this node that is here now.
struct SshSession {
  std::string local;
  int local_port = 0;
  std::string remote;
  /// That has the local address; "" where it is not known, or is no way in (lo, dummy).
  std::string interface;
  std::string leaves_by;  ///< the route to `remote`: another one, maybe; "" where it is not known
};

struct Node {
  std::string hostname;
  std::string os_id;       ///< "debian"
  std::string os_version;  ///< "12"
  std::string kernel;      ///< release: "6.1.0-37-amd64"
  std::string architecture;
  std::string machine_id;
  std::string boot_id;
  std::string container;  ///< "" on the host, else what kind, as far as it shows
  int cpus = 0;
};

struct PortOfDevice {
  const RdmaDevice* device = nullptr;
  const RdmaPort* port = nullptr;

  bool operator==(const PortOfDevice&) const = default;
};

/// What this node is. Plain data: reading it is in collect.hpp, keeping it in json.hpp.
struct Facts {
  int schema = 1;
  Node node;
  std::vector<NetDevice> net;
  std::vector<RdmaDevice> rdma;
  std::vector<Gpu> gpus;
  std::vector<Work> at_work;
  Firewall firewall;
  std::vector<SshSession> ssh;
  std::vector<std::string> services;  ///< of systemd, installed and not masked; without ".service"
  std::vector<std::string> notes;     ///< what could not be read, and why

  const NetDevice* find_net(const std::string& name) const;
  /// The RDMA ports of an interface: those that name it. One port that names another interface is
  /// that of a bond, of which this is a member.
  std::vector<PortOfDevice> rdma_ports_of(const std::string& interface) const;
  /// The names of all that an interface stands on (&NetDevice::lowers), directly or not, or that
  /// stands on it (&NetDevice::uppers); not its own.
  std::set<std::string> reached_from(const std::string& name,
                                     std::vector<std::string> NetDevice::*next) const;
  /// What of at_work would be disturbed if this interface or RDMA device was: what uses it, what it
  /// stands on or carries, or their RDMA devices, and what is not of one device. "" is all devices.
  std::vector<const Work*> work_on(const std::string& device) const;
};

}  // namespace nettune::facts
