// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace nettune::kernel {

/// An active zone: with interfaces or source addresses of its own, or the default.
struct FirewalldZone {
  std::string name;
  std::string target;                   ///< "default", "ACCEPT", "DROP", "%%REJECT%%"
  std::vector<std::string> interfaces;  ///< the assigned ones; the default zone has all others
  std::vector<std::string> sources;     ///< networks, MAC addresses, "ipset:NAME"
};

struct FirewalldState {
  std::string version;
  std::string default_zone;
  bool panic = false;  ///< everything is dropped, and rules are refused
  std::vector<FirewalldZone> zones;
};

/// firewalld has two sets of rules: the runtime ones, and the permanent ones for a reload or start.
enum class FirewalldLayer { permanent, runtime };

struct FirewalldChange {
  bool add = true;
  std::string rule;
};

/// All of these use firewalld over the system bus, never start it, and have a timeout. Errors:
/// not_found if it does not run or has no such zone, denied if it refuses this user (PolicyKit,
/// lockdown), busy in panic mode, unsupported without libsystemd, io for the rest.

/// Whether it runs: whether its name has an owner on the bus. False also without a bus or without
/// libsystemd, which dbus-daemon itself needs.
Result<bool> firewalld_runs();
/// The current state. Needs root.
Result<FirewalldState> read_firewalld();
/// The rich rules of a zone, as firewalld writes them. Needs root.
Result<std::vector<std::string>> firewalld_rules(FirewalldLayer layer, const std::string& zone);
/// Adds and removes rich rules, one after the other, until one fails. A rule that is already there,
/// or already gone, is a success. firewalld answers after the kernel (or its file) has the change.
/// Needs root.
Result<> change_firewalld(FirewalldLayer layer, const std::string& zone,
                          std::span<const FirewalldChange> changes);

}  // namespace nettune::kernel
