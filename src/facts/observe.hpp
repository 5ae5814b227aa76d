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

/// What there is to observe, sorted; docs/checks.md says what the values are.
inline constexpr std::array<std::string_view, 12> kObservable = {
    "firmware.roce",    "firmware.stored",   "ib.pkey-default",      "ib.pkey-first",
    "ib.state",         "ib.subnet-manager", "irq.outside-node",     "link.fec",
    "pci.acs-redirect", "pci.link",          "pci.max-read-request", "pci.slot"};

/// Why an observation has no value.
enum class Blank {
  unknown,
  not_permitted,   ///< only another user can see it
  not_applicable,  ///< this node has no such thing
};

/// How an observation came about, the surest first.
enum class Sureness { measured, read, inferred };

/// Something about a device that is only looked at, never set.
struct Observation {
  /// An interface, "ib0 (mlx5_0/1)", "GPU 0000:1b:00.0"; "mlx5_0" and "mlx5_0/1" where no interface
  /// stands on the port.
  std::string device;
  std::string what;                    ///< "pci.max-read-request"
  std::optional<std::string> value;    ///< what a rule compares; nothing: unknown
  std::string text;                    ///< what was seen, in words; or why it is unknown
  std::optional<int> speed_gbps = {};  ///< of the link of the device now
  Blank blank = Blank::unknown;        ///< where there is no value
  Sureness sureness = Sureness::read;
  std::vector<std::string> concerns = {};  ///< other names of what it is about: "mlx5_0", "fab0"
};

/// Where observations come from, beside the facts. A function that is empty means that nobody can
/// say.
struct ObservationSources {
  std::string root = "/";
  std::function<Result<std::optional<std::string>>(const std::string& interface)> fec;
  std::function<Result<kernel::DevlinkVersions>(const std::string& pci_address)> versions;
  std::function<Result<bool>(const std::string& pci_address, const std::string& name)> parameter;
};

/// This machine.
ObservationSources live_observations();

/// Looks at the cards with an RDMA device that are named, or stand below one that is named, or
/// whose RDMA device is named, whether they have an interface or not; and at the GPUs of the node
/// where there is one of these. `facts` are those of collect_ports(). Changes nothing. Drivers are
/// asked for FEC and firmware, and may ask their firmware: not for a timer. Without root much is
/// unknown.
Result<std::vector<Observation>> observe(const Facts& facts, const std::set<std::string>& names,
                                         const ObservationSources& sources);

}  // namespace nettune::facts
