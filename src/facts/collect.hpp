// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "facts/facts.hpp"
#include "kernel/ethtool.hpp"
#include "kernel/firewalld.hpp"
#include "kernel/nf_tables.hpp"
#include "kernel/rdma_users.hpp"
#include "kernel/rtnl.hpp"

namespace nettune::facts {

/// The sources of facts: a root directory for all paths (sys, proc, etc, run, usr), and the
/// kernel's answers, so that tests can substitute a node. An empty function means unknown; what
/// depends on it is noted.
struct Sources {
  std::string root = "/";
  std::function<Result<std::vector<kernel::Link>>()> links;
  std::function<Result<std::vector<kernel::Route>>()> routes;
  std::function<Result<std::vector<kernel::InterfaceAddress>>()> addresses;
  std::function<Result<int>(const std::string& address)> route_device;
  std::function<Result<std::vector<kernel::LinkModes>>(std::span<const int> ifindexes)> link_modes;
  /// kernel::protection_domains()
  std::function<std::vector<Result<std::vector<kernel::ProtectionDomain>>>(
      const std::vector<std::string>& devices)>
      protection_domains;
  /// Valid until the next call. Needs CAP_NET_ADMIN.
  std::function<Result<const kernel::NfRuleset*>()> ruleset;
  /// Nothing if firewalld does not run.
  std::function<Result<std::optional<kernel::FirewalldState>>()> firewalld;
};

/// This machine.
Sources live();

/// The tables of iptables-legacy in this network namespace: "filter, nat"; "" for none. nf_tables
/// does not show its rules. Needs root.
std::string legacy_tables(const std::string& root = "/");

/// Collects only the interfaces, their stacking and the RDMA devices, for frequent use. It asks no
/// driver for link modes and reads no processes.
Result<Facts> collect_ports(Sources sources);

/// Reads the facts of this node. Changes nothing and waits for nothing: no name is looked up, and
/// firmware is asked only for the link modes. Without root it works, and `notes` names what could
/// not be seen. Fails only without a root directory or a list of links.
Result<Facts> collect(const Sources& sources);

/// The services that are installed below `root_path`, as Facts::services: an image has them, too.
Result<std::vector<std::string>> installed_services(const std::string& root_path);

/// Adds what no plan needs and what costs a read of each CPU and card: the platform, and of cards
/// the PSID, the driver's version, the PCIe link and whether their GID tables are whole.
Result<> describe(const std::string& root, Facts& facts);

}  // namespace nettune::facts
