// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "facts/collect.hpp"
#include "facts/facts.hpp"
#include "kernel/rtnl.hpp"
#include "kernel/sysfs.hpp"

/// The parts of collect(). Each reads one area of the node and reports what it cannot read in
/// `notes`.
namespace nettune::facts {

using Notes = std::vector<std::string>;

// node.cpp
Node read_node(const kernel::Directory& root);
/// By name, without ".service".
std::vector<std::string> read_services(const kernel::Directory& root);

/// Adds what only people and comparisons need of each device.
void describe_rdma(const kernel::Directory& root, std::vector<RdmaDevice>& devices);

// platform.cpp
Platform read_platform(const kernel::Directory& root);

// bus.cpp

/// The position of a device in the device tree.
struct Place {
  std::string pci_address;  ///< the nearest PCI device at or above it; "" for none
  /// "pci 0000:3b:00.0", with the name of the child device where several share one PCI function
  /// ("pci 0000:3b:00.0 mlx5_core.sf.2"); "" without a PCI device.
  std::string key;
};
/// For a /sys/class entry such as "sys/class/net/eth0", from the target of its link.
Place place_of(const kernel::Directory& root, const std::string& class_entry);
bool is_pci_address(std::string_view text);
/// "15b3:1021" of a PCI device; "" if unknown.
std::string read_pci_id(const kernel::Directory& root, const std::string& device_path);
/// The kernel writes -1 for "no such thing", which is unknown here.
std::optional<int> read_numa_node(const kernel::Directory& root, const std::string& device_path);
/// The CPUs of a device's NUMA node, as a list; "" if they are not known.
std::string read_near_cpus(const kernel::Directory& root, const std::string& device_path);
std::string pci_path(const std::string& pci_address);

// gpus.cpp
std::vector<Gpu> read_gpus(const kernel::Directory& root);

// net.cpp
std::vector<NetDevice> read_net(const kernel::Directory& root, const Sources& sources,
                                const std::vector<kernel::Link>& links, Notes& notes);
// stack.cpp
/// Fills lowers, uppers and master.
void connect_stack(const kernel::Directory& root, const std::vector<kernel::Link>& links,
                   std::vector<NetDevice>& net);

// rdma.cpp
/// Reads the RDMA devices, and records in `net` which interface belongs to which.
std::vector<RdmaDevice> read_rdma(const kernel::Directory& root, std::vector<NetDevice>& net);

// processes.cpp
struct Processes {
  std::vector<Work> at_work;  ///< for an open RDMA device, `device` is its file: uverbs0
  std::unordered_set<std::uint64_t> ssh_sockets;  ///< inodes of the sockets that sshd has open
  bool ssh_unreadable = false;                    ///< some sshd's sockets cannot be seen
  int unreadable = 0;                             ///< processes whose open files cannot be seen
};
Processes scan_processes(const kernel::Directory& root);

// in_use.cpp

/// Names the RDMA devices that processes have open, and adds other users of devices: processes and
/// parts of the kernel with protection domains, and VFs that are passed on.
void add_users(const kernel::Directory& root, const Sources& sources, Facts& facts);

// sockets.cpp

/// An established connection in /proc/net/tcp or tcp6. IPv4-mapped addresses are written as IPv4.
struct TcpConnection {
  std::string local;
  std::uint16_t local_port = 0;
  std::string remote;
  std::uint64_t inode = 0;
};
/// Pure; invalid lines are skipped.
std::vector<TcpConnection> parse_tcp_table(std::string_view text);

// storage.cpp

/// Storage that this node reaches over the network.
struct RemoteStorage {
  std::string what;                    ///< "the nfs4 mount /home from 10.0.0.9"
  std::vector<std::string> addresses;  ///< its servers; empty if only a name is known
};
/// The network file systems in the text of a mountinfo file. Pure.
std::vector<RemoteStorage> parse_network_mounts(std::string_view mountinfo);
std::vector<RemoteStorage> read_remote_storage(const kernel::Directory& root, Notes& notes);
/// The IPv4 and IPv6 addresses in a text such as "10.0.0.1@tcp:10.0.0.2@tcp:/scratch". Pure.
std::vector<std::string> find_addresses(std::string_view text);

// firewall.cpp

/// Finds the firewall manager. If it is unknown, `found_by` says why.
Firewall read_firewall(const kernel::Directory& root, const Sources& sources);

// protect.cpp
/// Fills default_route, protected_by and ssh.
void protect(const kernel::Directory& root, const Sources& sources, const Processes& processes,
             const std::vector<kernel::InterfaceAddress>& addresses, Facts& facts);

}  // namespace nettune::facts
