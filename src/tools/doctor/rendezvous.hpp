// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/doctor/machine.hpp"

namespace nettune::tools::doctor {

/// How torchrun's c10d rendezvous on this node understands the host of an endpoint.
enum class HostMatch {
  hosts,   ///< this node decides that it is the host, and starts the store
  others,  ///< it connects to another host
  raises,  ///< the own name does not resolve: torchrun ends with an exception
};

/// _matches_machine_hostname() of torch/distributed/elastic/rendezvous/utils.py (2.0 to 2.9):
/// "localhost" and loopback addresses, gethostname(), its canonical name, and the addresses that
/// gethostname() resolves to. `addresses` are those that the endpoint's host resolves to; for an
/// address, itself.
HostMatch matches_this_host(const std::string& host, const std::vector<std::string>& addresses,
                            const Lookup& own);

/// The address that Gloo announces if GLOO_SOCKET_IFNAME is not set: the first that this node's
/// name resolves to and that a socket can bind to, otherwise 127.0.0.1 (ProcessGroupGloo.cpp,
/// createDefaultDevice(); gloo/transport/tcp/device.cc, lookupAddrForHostname()).
std::string gloo_address(const Lookup& own, const std::vector<std::string>& local);

bool is_down(const facts::NetDevice& device);

/// An address of this node that others may use as an endpoint.
struct OwnAddress {
  std::string address;
  std::string interface;
};
/// The addresses of interfaces that carry traffic to other nodes, the default route's first.
std::vector<OwnAddress> own_addresses(const facts::Facts& facts);

/// The interface that NCCL chooses for sockets (ncclFindInterfaces(), src/misc/socket.cc, 2.18 to
/// 2.28), by NCCL_SOCKET_IFNAME (`wanted`, "" if it is not set) or by its order: "ib" first, then
/// any but docker and lo, then docker, then lo.
struct SocketInterface {
  std::string name;  ///< "" for none
  std::string address;
};
SocketInterface nccl_socket_interface(const facts::Facts& facts, const std::string& wanted);

}  // namespace nettune::tools::doctor
