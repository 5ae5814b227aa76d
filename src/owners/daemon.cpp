// SPDX-License-Identifier: Apache-2.0
#include "owners/daemon.hpp"

#include <set>

#include "base/text.hpp"

namespace nettune::owners {
namespace {

/// The directories where wanted units are linked and where a unit can be masked (systemd.unit(5)).
/// Generators (netplan has one) write into the middle ones.
constexpr std::string_view kUnitDirectories[] = {
    "/etc/systemd/system",         "/run/systemd/system",     "/run/systemd/generator",
    "/run/systemd/generator.late", "/usr/lib/systemd/system", "/lib/systemd/system"};

bool is_wanted(const conf::Files& files, std::string_view unit) {
  for (const std::string_view directory : kUnitDirectories) {
    for (const std::string_view suffix : {".wants", ".requires"}) {
      for (const std::string& name : files.names(std::string(directory), suffix)) {
        if (files.exists(cat(directory, "/", name, "/", unit))) return true;
      }
    }
  }
  return false;
}

}  // namespace

bool starts_at_boot(const conf::Files& files, std::string_view unit) {
  for (const std::string_view directory : {"/etc/systemd/system", "/run/systemd/system"}) {
    if (files.is_masked(cat(directory, "/", unit))) return false;
  }
  return is_wanted(files, unit);
}

std::vector<std::string> services_at_boot(const conf::Files& files) {
  std::set<std::string> wanted;
  for (const std::string_view directory : kUnitDirectories)
    for (const std::string_view suffix : {".wants", ".requires"})
      for (const std::string& by : files.names(std::string(directory), suffix))
        for (const std::string& unit : files.names(cat(directory, "/", by), ""))
          wanted.insert(unit);
  std::set<std::string> services;
  for (const std::string& unit : wanted) {
    const std::size_t dot = unit.rfind('.');
    if (dot == unit.npos || (!unit.ends_with(".service") && !unit.ends_with(".timer"))) continue;
    if (starts_at_boot(files, unit)) services.insert(cat(unit.substr(0, dot), ".service"));
  }
  return {services.begin(), services.end()};
}

std::string daemon_words(std::string_view name, bool at_boot, bool seen) {
  if (!at_boot) return cat(name, ", which is not enabled but was active since boot,");
  if (!seen) return cat(name, ", which is enabled (nettune cannot see if it runs now),");
  return std::string(name);
}

}  // namespace nettune::owners
