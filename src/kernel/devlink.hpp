// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "kernel/netlink.hpp"

namespace nettune::kernel {

/// The versions that a device has by name ("fw.version", "fw.psid").
struct DevlinkVersions {
  std::map<std::string, std::string> running;
  std::map<std::string, std::string> stored;  ///< what runs after the next reset
};

/// What DEVLINK_CMD_INFO_GET says of a PCI function ("0000:3b:00.0"). Needs no privilege, changes
/// nothing; a driver may ask its firmware. not_found: no such device of devlink; unsupported: the
/// kernel has no devlink, or the driver no such operation.
Result<DevlinkVersions> devlink_versions(const std::string& pci_address);

/// A parameter that is a switch ("enable_roce"), as the next start of the driver will have it: its
/// value of the mode driverinit. What the driver was started with is no longer told once somebody
/// set another (devlink_nl_param_fill and devlink_nl_cmd_param_set_doit, net/devlink). Errors as
/// above; unsupported also where the driver has no such parameter, or it is no switch.
Result<bool> devlink_switch(const std::string& pci_address, const std::string& name);

/// The payload of an answer to DEVLINK_CMD_INFO_GET. Pure.
DevlinkVersions parse_devlink_versions(Bytes payload);
/// The payload of an answer to DEVLINK_CMD_PARAM_GET. Pure.
std::optional<bool> parse_devlink_switch(Bytes payload);

}  // namespace nettune::kernel
