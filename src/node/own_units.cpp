// SPDX-License-Identifier: Apache-2.0
#include "node/own_units.hpp"

#include <map>

#include "conf/files.hpp"
#include "kernel/systemd.hpp"
#include "owners/daemon.hpp"

namespace nettune::node {

OwnUnits own_units(Disk& disk) {
  OwnUnits units;
  const auto is_there = [&](const char* path) {
    const auto info = disk.info(path);
    return info && info->has_value();
  };
  units.cron = is_there("/etc/cron.d/nettune");
  units.systemd = is_there("/run/systemd/system");
  if (!units.systemd) return units;
  const conf::Files files(disk, "");
  const std::map<std::string, OwnUnit*> named = {{"nettune-apply.service", &units.boot},
                                                 {"nettune-check.timer", &units.timer},
                                                 {"nettune-watch.service", &units.watch}};
  std::vector<std::string> names;
  for (const auto& [name, unit] : named) {
    unit->enabled = owners::starts_at_boot(files, name);
    names.push_back(name);
  }
  const auto states = kernel::active_states(names);
  if (!states) return units;
  for (const auto& [name, unit] : named)
    if (const auto found = states->find(name); found != states->end()) unit->state = found->second;
  return units;
}

}  // namespace nettune::node
