// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "node/confirm/probe.hpp"

namespace nettune::node {

/// The node that a command works on, and the paths of its profiles and state.
struct Locations {
  std::string again;  ///< the same command line as root: "sudo nettune check --json"
  std::vector<std::string> profile_directories;
  std::string site_file = "/etc/nettune/site.toml";
  bool site_given = false;  ///< --site was given: the file must exist
  /// A mistake in the site file must not block an undo.
  bool forgives_site_file = false;
  std::string state_directory = "/var/lib/nettune";
  std::map<std::string, std::string> set;
  std::string root;         ///< the image to prepare instead of this machine; "" for none
  std::string facts_file;   ///< the file of a recorded node; "" for this node
  std::string values_file;  ///< values of the recorded node
};

/// The options of a change, and what the caller accepts.
struct ChangeRequest {
  bool allow_management = false;
  bool allow_busy = false;
  bool accept_no_undo = false;
  bool accept_cautions = false;
  bool accept_owners = false;
  bool allow_stop_units = false;
  bool allow_no_trial = false;
  bool allow_weaker_security = false;
  bool force = false;
  bool unattended = false;
  bool dry_run = false;                    ///< only show it
  std::vector<std::string> without;        ///< devices to leave out
  std::vector<std::string> only_settings;  ///< apply: only these addresses; none: all
  /// Addresses of what bears nettune's mark without a record: apply takes it over, rollback removes
  /// it and nothing else.
  std::vector<std::string> unrecorded = {};
  std::int64_t confirm_s = 0;          ///< length of the confirm window; 0: permanent
  bool temporary = false;              ///< ends after confirm_s; cannot be confirmed
  std::vector<confirm::Probe> probes;  ///< confirm when all succeed
};

struct CheckRequest {
  bool unattended = false;
  bool strict = false;        ///< unknown is not success
  bool effective = false;     ///< what is written and not yet in effect is not success
  std::int64_t listen_s = 0;  ///< how long to listen for LLDP; 0: not at all
};

}  // namespace nettune::node
