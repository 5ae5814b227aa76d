// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/peers.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

/// The address between `word` and "<port>".
std::string_view address_behind(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == text.npos) return {};
  const std::string_view rest = text.substr(at + word.size());
  const auto end = rest.find('<');
  return end > 64 ? std::string_view() : rest.substr(0, end);  // npos is, too
}

}  // namespace

std::vector<std::uint32_t> peers_named(const Log& log, const Event& event) {
  std::vector<std::uint32_t> found;
  std::string_view address = address_behind(event.text, "peer ");
  if (address.empty()) address = address_behind(event.text, "connect to ");
  if (address.empty()) address = address_behind(event.text, "Connect to ");
  if (address.empty()) return found;
  const std::string wanted = cat(":", address, "<");
  for (std::uint32_t i = 0; i < log.processes.size(); ++i) {
    const Process& process = log.processes[i];
    const auto names_it = [&](std::uint32_t id) {
      return log.names.text(id).find(wanted) != std::string::npos;
    };
    if (process.host == address ||
        std::any_of(process.bootstrap.begin(), process.bootstrap.end(), names_it) ||
        std::any_of(process.oob.begin(), process.oob.end(), names_it))
      found.push_back(i);
  }
  return found;
}

}  // namespace nettune::tools::nccl::log::judge
