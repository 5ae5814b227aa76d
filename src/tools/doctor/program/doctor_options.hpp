// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/program_main.hpp"

namespace nettune::tools::doctor::program {

struct DoctorOptions : cli::GlobalOptions {
  std::string tree;           ///< --root: a recording
  std::string demand;         ///< --for
  std::string profile;        ///< --profile: also compared with the node
  std::string checks;         ///< --checks: a directory of rules; "" for the installed ones
  std::string explain;        ///< --explain: the id of a rule
  std::string baseline;       ///< --baseline: a file
  std::string save_baseline;  ///< --save-baseline: a file
  std::string metrics;        ///< --metrics: a file
  std::string record;         ///< --record: a directory to create
  std::string watch;          ///< --watch: the duration; "" for none
  std::string peer;           ///< --peer: a host
  std::vector<std::string> peer_command;  ///< after "--": starts the peer side
  std::string pid;                        ///< after --job: a process
  std::string save_fix;                   ///< --save-fix: a file
  bool quick = false;
  bool list = false;
  bool job = false;
  bool prolog = false;
  bool fix = false;
  bool facts = false;  ///< of nettune facts --full
  bool graph = false;  ///< of nettune facts --graph, as are the next two
  std::string svg;     ///< --svg: a file
  std::string listen;  ///< --listen-lldp: seconds
  bool anonymous = false;
  mutable bool drains = false;  ///< what --prolog found, for the exit status
};

cli::Command doctor_program(DoctorOptions& into);

}  // namespace nettune::tools::doctor::program
