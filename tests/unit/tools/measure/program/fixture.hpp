// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/program_main.hpp"

namespace nettune::tools::measure::program {

template <class Options, class Make>
std::string line_error(Options& options, Make make, std::vector<const char*> words) {
  const auto read = cli::read_command_line(make(options), words);
  return read ? std::string() : read.error().text;
}

}  // namespace nettune::tools::measure::program
