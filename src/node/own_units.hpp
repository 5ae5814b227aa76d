// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/disk.hpp"

namespace nettune::node {

/// A unit of nettune, as anybody sees it.
struct OwnUnit {
  bool enabled = false;  ///< started at boot
  std::string state;     ///< "active", "failed", ...; "" for unknown
};
struct OwnUnits {
  bool systemd = false;  ///< whether this machine runs systemd
  bool cron = false;     ///< whether /etc/cron.d/nettune is there
  OwnUnit boot;          ///< nettune-apply.service
  OwnUnit timer;         ///< nettune-check.timer
  OwnUnit watch;         ///< nettune-watch.service
};
OwnUnits own_units(Disk& disk);

}  // namespace nettune::node
