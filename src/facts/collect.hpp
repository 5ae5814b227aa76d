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

/// Where facts come from: a root that every path (sys, proc, etc, run, usr) hangs on, and the
/// kernel's answers, so that tests put a node of their own in place. A function that is empty means
/// that nobody can say: what depends on it is unknown, and noted.
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
  /// Valid until it is asked again. Needs CAP_NET_ADMIN.
  std::function<Result<const kernel::NfRuleset*>()> ruleset;
  /// Nothing where firewalld does not run.
  std::function<Result<std::optional<kernel::FirewalldState>>()> firewalld;
};

/// This machine.
Sources live();

/// The tables that iptables-legacy has in this network namespace: "filter, nat"; "" for none. What
/// it filters does not show in nf_tables. Needs root.
std::string legacy_tables(const std::string& root = "/");

/// Only the interfaces, what stands on what, and the RDMA devices: for who looks often. Asks no
/// driver for its link modes, and looks at no process.
Result<Facts> collect_ports(Sources sources);

/// Reads what this node is. Changes nothing and waits for nothing: no name is looked up, no
/// firmware mailbox is asked other than for the link modes. Without root it works, and `notes`
/// names what could not be seen. Fails only where there would be no node to speak of: no root
/// directory, no list of links.
Result<Facts> collect(const Sources& sources);

}  // namespace nettune::facts
