// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "facts/facts.hpp"
#include "kernel/devlink.hpp"

namespace nettune::facts {

/// Something that can be observed. What rules look at must be one of these.
struct Observable {
  std::string_view name;         ///< "pci.max-read-request"
  std::string_view values = {};  ///< "a|b": all that it can have, where remedies may depend on them
};

/// What observe() observes; docs/checks.md describes the values.
inline constexpr Observable kFirmwareRoce{"firmware.roce"};
inline constexpr Observable kFirmwareStored{"firmware.stored"};
inline constexpr Observable kIbPkeyDefault{"ib.pkey-default"};
inline constexpr Observable kIbPkeyFirst{"ib.pkey-first"};
inline constexpr Observable kIbState{"ib.state", "ACTIVE|INIT|ARMED|DOWN"};
inline constexpr Observable kIbSubnetManager{"ib.subnet-manager"};
inline constexpr Observable kIrqOutsideNode{"irq.outside-node"};
inline constexpr Observable kLinkFec{"link.fec"};
inline constexpr Observable kPciAcsRedirect{"pci.acs-redirect"};
inline constexpr Observable kPciLink{"pci.link"};
inline constexpr Observable kPciMaxReadRequest{"pci.max-read-request"};
inline constexpr Observable kPciSlot{"pci.slot"};
inline constexpr std::array kObservables = {kFirmwareRoce,   kFirmwareStored,    kIbPkeyDefault,
                                            kIbPkeyFirst,    kIbState,           kIbSubnetManager,
                                            kIrqOutsideNode, kLinkFec,           kPciAcsRedirect,
                                            kPciLink,        kPciMaxReadRequest, kPciSlot};

/// Why an observation has no value.
enum class Blank {
  unknown,
  not_permitted,   ///< only another user can see it
  not_applicable,  ///< this node has no such thing
};

/// How an observation came about, the surest first.
enum class Sureness { measured, read, inferred };

/// A property of a device that is only read, never set.
struct Observation {
  /// An interface, "ib0 (mlx5_0/1)", "GPU 0000:1b:00.0"; "mlx5_0" and "mlx5_0/1" if the port has no
  /// interface.
  std::string device;
  std::string what;                    ///< "pci.max-read-request"
  std::optional<std::string> value;    ///< the value for rules; nothing: unknown
  std::string text;                    ///< the observation in words, or why it is unknown
  std::optional<int> speed_gbps = {};  ///< the current speed of the device's link
  Blank blank = Blank::unknown;        ///< if there is no value
  Sureness sureness = Sureness::read;
  std::vector<std::string> concerns = {};  ///< other names of what it is about: "mlx5_0", "fab0"
};

/// The sources of observations besides the facts. An empty function means unknown.
struct ObservationSources {
  std::string root = "/";
  std::function<Result<std::optional<std::string>>(const std::string& interface)> fec;
  std::function<Result<kernel::DevlinkVersions>(const std::string& pci_address)> versions;
  std::function<Result<bool>(const std::string& pci_address, const std::string& name)> parameter;
};

/// This machine.
ObservationSources live_observations();

/// Observes the cards with RDMA devices whose interface or RDMA device is named, or is below a
/// named one, with or without an interface; and the node's GPUs if there is one of these cards.
/// `facts` are those of collect_ports(). Changes nothing. Drivers are asked for FEC and firmware,
/// and may ask their firmware: not for frequent use. Without root much is unknown.
Result<std::vector<Observation>> observe(const Facts& facts, const std::set<std::string>& names,
                                         const ObservationSources& sources);

}  // namespace nettune::facts
