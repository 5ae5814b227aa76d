// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "node/confirm/probe.hpp"

namespace nettune::cli {

/// The node that a command works on, and where its profiles and its state are.
struct Locations {
  std::string again;  ///< the command line once more, as root: "sudo nettune check --json"
  std::vector<std::string> profile_directories;
  std::string site_file = "/etc/nettune/site.toml";
  bool site_given = false;  ///< --site was there: the file then has to be
  /// A mistake in the site file must not stand in the way back.
  bool forgives_site_file = false;
  std::string state_directory = "/var/lib/nettune";
  std::map<std::string, std::string> set;
  std::string root;         ///< an image, which is prepared instead of this machine; "" for none
  std::string facts_file;   ///< the node was recorded in this file; "" for this one
  std::string values_file;  ///< the values of the recorded node
};

/// What is asked of a change, and what the caller accepts.
struct ChangeRequest {
  bool allow_management = false;
  bool allow_busy = false;
  bool accept_no_undo = false;
  bool accept_cautions = false;
  bool accept_owners = false;
  bool force = false;
  bool unattended = false;
  bool dry_run = false;                    ///< only show it
  std::vector<std::string> without;        ///< devices to leave out
  std::vector<std::string> only_settings;  ///< apply: the addresses that it is for; none: all
  std::int64_t confirm_s = 0;              ///< undo it after so long; 0: it is to stay
  bool temporary = false;                  ///< it ends after confirm_s, and nobody confirms it
  std::vector<Probe> probes;               ///< confirm it when all of them succeed
};

struct CheckRequest {
  bool unattended = false;
  bool strict = false;        ///< what is not known is no success
  std::int64_t listen_s = 0;  ///< how long to listen for LLDP of the switches; 0: not
};

}  // namespace nettune::cli
