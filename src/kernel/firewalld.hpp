// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace nettune::kernel {

/// A zone that takes packets: by interfaces or source addresses of its own, or as the default.
struct FirewalldZone {
  std::string name;
  std::string target;                   ///< "default", "ACCEPT", "DROP", "%%REJECT%%"
  std::vector<std::string> interfaces;  ///< those it was given; the default zone has the others too
  std::vector<std::string> sources;     ///< networks, MAC addresses, "ipset:NAME"
};

struct FirewalldState {
  std::string version;
  std::string default_zone;
  bool panic = false;  ///< everything is dropped, and no rule is taken
  std::vector<FirewalldZone> zones;
};

/// firewalld has two of every rule: what filters now, and what a reload or a start begins with.
enum class FirewalldLayer { permanent, runtime };

struct FirewalldChange {
  bool add = true;
  std::string rule;
};

/// All of these speak to firewalld over the system bus, never start it, and give up after a while.
/// Errors: not_found where it does not run or has no such zone, denied where it does not let this
/// user (PolicyKit, lockdown), busy in panic mode, unsupported without libsystemd, io for the rest.

/// Whether it runs: whether somebody has its name on the bus. False also without a bus, and without
/// the library that speaks to one, as dbus-daemon needs it itself.
Result<bool> firewalld_runs();
/// What it does now. Needs root.
Result<FirewalldState> read_firewalld();
/// The rich rules of a zone, as firewalld writes them. Needs root.
Result<std::vector<std::string>> firewalld_rules(FirewalldLayer layer, const std::string& zone);
/// Adds and removes rich rules, one after the other, until one fails. One that is there already, or
/// not any more, is right. firewalld answers once the kernel (or its file) has it. Needs root.
Result<> change_firewalld(FirewalldLayer layer, const std::string& zone,
                          std::span<const FirewalldChange> changes);

}  // namespace nettune::kernel
