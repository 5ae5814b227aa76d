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

/// What joins a line to the one before it: a backslash at its end for systemd (config_parse() in
/// src/shared/conf-parser.c), blanks at its beginning for Python's configparser, nothing for
/// GKeyFile and ConfigObj.
enum class Joining { none, backslash, indented };

/// What becomes of lines that are neither sections nor assignments: if they are kept, they have no
/// key, and their text as value.
enum class Others { skipped, kept };

/// The assignments of a file in order. Comments begin with '#' or ';'; values keep their quotes.
std::vector<IniLine> read_ini(std::string_view text, Joining joining = Joining::none,
                              Others others = Others::skipped);

}  // namespace nettune::conf
