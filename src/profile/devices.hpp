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

/// The devices of this node that a [devices.NAME] means, in the order of their PCI addresses and
/// names.
struct DeviceSet {
  std::string name;
  bool of_rdma = false;                          ///< it was chosen by RDMA ports, not by interfaces
  std::vector<const facts::NetDevice*> members;  ///< interfaces; of RDMA ports those that they have
  std::vector<facts::PortOfDevice> ports;        ///< RDMA ports; of interfaces those that they have
  Origin origin;
  /// Of its RDMA data, where the profile has a [lossless.SET] for it; not of this node.
  std::optional<std::int64_t> traffic_class = {};
};
using DeviceSets = std::map<std::string, DeviceSet>;

struct Selection {
  DeviceSet set;
  std::string misfit;              ///< why `require` does not hold, "" when it does
  std::vector<std::string> notes;  ///< what was left out or replaced
};

/// Chooses by what devices are, never by whether they are up now. `definition` is the set's table
/// with variables put in. The set points into `facts`.
Result<Selection> select_devices(const std::string& name, const Node& definition,
                                 const facts::Facts& facts);

/// Interface names, joined by commas.
std::string names_of(const DeviceSet& set);
/// RDMA devices, joined by commas, as NCCL_IB_HCA takes them: with the port where there are
/// several.
std::string hcas_of(const DeviceSet& set, const facts::Facts& facts);
/// Index of the RoCE v2 GID with the IPv4 address of the port's interface, which NCCL takes; an
/// error that names the ports where they do not all have the same, since NCCL_IB_GID_INDEX is one
/// number. Nothing where no port has one.
Result<std::optional<int>> gid_index_of(const DeviceSet& set);
/// Speed of the slowest member in whole Gb/s; 0 when it is not known of any.
std::int64_t max_speed_gbps_of(const DeviceSet& set, const facts::Facts& facts);

}  // namespace nettune::profile
