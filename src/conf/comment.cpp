// SPDX-License-Identifier: Apache-2.0
#include "conf/comment.hpp"

#include "base/text.hpp"

namespace nettune::conf {

std::string comment(std::string_view heading) {
  std::string out;
  for (const std::string_view line : split(heading, '\n')) {
    if (line.empty()) {
      out += "#\n";
    } else {
      out += cat("# ", has_control_characters(line) ? printable(line) : std::string(line), '\n');
    }
  }
  return out;
}

}  // namespace nettune::conf
