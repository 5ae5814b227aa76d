// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/program_main.hpp"

namespace nettune::cli {

struct DoctorOptions : GlobalOptions {
  std::string tree;    ///< --root: a recording
  std::string demand;  ///< --for
  std::string checks;  ///< --checks: a directory of rules; "" for the installed ones
  std::string explain;
  std::string baseline;
  std::string save_baseline;
  std::string metrics;
  std::string record;
  std::string peer;
  std::string watch;
  bool quick = false;
  bool list = false;
  bool job = false;
  bool prolog = false;
  bool anonymous = false;
  bool fix = false;
};

Program doctor_program(DoctorOptions& into);

}  // namespace nettune::cli
