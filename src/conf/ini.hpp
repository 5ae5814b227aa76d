// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nettune::conf {

/// One "key = value" below "[section]".
struct IniLine {
  std::string section;
  std::string key;
  std::string value;
  int line = 0;
};

/// Whether a backslash at the end of a line joins the next one to it: systemd does that
/// (config_parse() in src/shared/conf-parser.c), GKeyFile and ConfigObj do not.
enum class Joining { none, backslash };

/// The assignments of a file in order. Comments begin with '#' or ';'; other lines are skipped, and
/// values keep their quotes.
std::vector<IniLine> read_ini(std::string_view text, Joining joining = Joining::none);

}  // namespace nettune::conf
