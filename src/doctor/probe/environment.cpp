// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "doctor/probe/gather.hpp"

namespace nettune::doctor {

/// The variables of every job on this node: /etc/environment and nccl.conf. A shell's variables
/// belong only to that shell.
void read_environment(const Place& place, Machine& machine) {
  constexpr std::size_t kLargest = std::size_t{1} << 20;
  for (const char* const path : {"etc/environment", "etc/nccl.conf"}) {
    const auto text = place.root.read(path, kLargest);
    if (!text) continue;
    for (const std::string_view raw : split(*text, '\n')) {
      const std::string_view line = trim(raw);
      const auto equals = line.find('=');
      if (line.starts_with('#') || equals == std::string_view::npos) continue;
      const std::string_view name = trim(line.substr(0, equals));
      if (name.starts_with("NCCL_") || name.starts_with("GLOO_"))
        machine.environment.emplace(std::string(name),
                                    std::string(unquoted(trim(line.substr(equals + 1)))));
    }
  }
}

}  // namespace nettune::doctor
