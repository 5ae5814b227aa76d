// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "kernel/netlink.hpp"

namespace nettune::kernel {

/// The versions of a device by name ("fw.version", "fw.psid").
struct DevlinkVersions {
  std::map<std::string, std::string> running;
  std::map<std::string, std::string> stored;  ///< those that run after the next reset
};

/// The answer of DEVLINK_CMD_INFO_GET for a PCI function ("0000:3b:00.0"). Needs no privilege,
/// changes nothing; a driver may ask its firmware. not_found: devlink has no such device;
/// unsupported: the kernel has no devlink, or the driver no such operation.
Result<DevlinkVersions> devlink_versions(const std::string& pci_address);

/// A boolean parameter ("enable_roce") for the next start of the driver: its value of the mode
/// driverinit. The value of the last start is not readable once another one was set
/// (devlink_nl_param_fill and devlink_nl_cmd_param_set_doit, net/devlink). Errors as above;
/// unsupported also if the driver has no such parameter, or it is not boolean.
Result<bool> devlink_switch(const std::string& pci_address, const std::string& name);

/// Parses the payload of an answer to DEVLINK_CMD_INFO_GET. Pure.
DevlinkVersions parse_devlink_versions(Bytes payload);
/// Parses the payload of an answer to DEVLINK_CMD_PARAM_GET. Pure.
std::optional<bool> parse_devlink_switch(Bytes payload);

}  // namespace nettune::kernel
