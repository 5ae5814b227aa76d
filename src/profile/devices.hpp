// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "profile/merge.hpp"
#include "toml/value.hpp"

namespace nettune::profile {

/// The devices of this node in a [devices.NAME], sorted by PCI address and name.
struct DeviceSet {
  std::string name;
  bool of_rdma = false;                          ///< it was chosen by RDMA ports, not by interfaces
  std::vector<const facts::NetDevice*> members;  ///< interfaces; for RDMA ports, their interfaces
  std::vector<facts::PortOfDevice> ports;        ///< RDMA ports; for interfaces, their ports
  Origin origin;
  /// The traffic class of RDMA data, if the profile has a [lossless.SET] for it; not from this
  /// node.
  std::optional<std::int64_t> traffic_class = {};
};
using DeviceSets = std::map<std::string, DeviceSet>;

struct Selection {
  DeviceSet set;
  std::string misfit;              ///< why `require` fails, "" if it holds
  std::string misfit_in_short;     ///< the same in a few words: "no InfiniBand port"
  std::vector<std::string> notes;  ///< what was skipped or replaced
};

/// Chooses by lasting properties, never by whether a device is up now. `definition` is the set's
/// table with variables inserted. The set points into `facts`.
Result<Selection> select_devices(const std::string& name, const toml::Node& definition,
                                 const facts::Facts& facts);

/// Interface names, joined by commas.
std::string names_of(const DeviceSet& set);
/// RDMA devices, joined by commas, as NCCL_IB_HCA takes them: with the port if a device has
/// several.
std::string hcas_of(const DeviceSet& set, const facts::Facts& facts);
/// The index of the RoCE v2 GID with the IPv4 address of the port's interface, which NCCL takes. It
/// is an error that names the ports if they do not all have the same, since NCCL_IB_GID_INDEX is
/// one number; nothing if no port has one.
Result<std::optional<int>> gid_index_of(const DeviceSet& set);
/// The speed of the slowest member in whole Gb/s; 0 if none is known.
std::int64_t max_speed_gbps_of(const DeviceSet& set, const facts::Facts& facts);

}  // namespace nettune::profile
