// SPDX-License-Identifier: Apache-2.0
#include "base/interface_name.hpp"

#include "base/text.hpp"

namespace nettune::inline base {

Result<> check_interface_name(std::string_view name) {
  if (name.empty() || name.size() > 15 || name == "." || name == ".." ||
      has_control_characters(name) || name.find_first_of("/: ") != name.npos) {
    return fail(Errc::invalid,
                cat("'", printable(name.substr(0, 80)), "' is not a valid interface name"));
  }
  return {};
}

}  // namespace nettune::inline base
