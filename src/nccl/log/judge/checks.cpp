// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/judge/checks.hpp"

#include <algorithm>

namespace nettune::nccl_log {

bool is_of_amd(const Verdict& verdict) {
  return !verdict.versions.empty() &&
         std::ranges::all_of(verdict.versions, [](const std::string& version) {
           return version.find("RCCL") != version.npos;
         });
}

bool is_of_tests_alone(const Log& log, const std::vector<Cause>& causes) {
  if (log.tests.results.empty() && log.tests.ranks.listed.empty()) return false;
  if (!log.waits.empty() || !log.dumps.empty() || !log.world_sizes.empty()) return false;
  return std::ranges::all_of(log.events, [&](const Event& event) {
    const bool is_of_mpi = event.cause != kNone && causes[event.cause].id.starts_with("mpi-");
    return is_of_mpi || !log.processes[event.process].host.empty() ||
           event.text.find("Test NCCL failure") != event.text.npos;
  });
}

std::vector<std::string> checks_of(const Verdict& verdict, const Cause& cause) {
  std::vector<std::string> checks = cause.check;
  std::erase_if(checks, [&](const std::string& check) {
    const bool is_of_nvidia =
        check.find("nvidia") != check.npos || check.find("cuobjdump") != check.npos ||
        check.find("grep -i xid") != check.npos || check.find("compute-sanitizer") != check.npos;
    return (verdict.of_amd && is_of_nvidia && check.find("AMD") == check.npos) ||
           (verdict.of_tests && check.starts_with("with PyTorch: "));
  });
  return checks.empty() ? cause.check : checks;
}

}  // namespace nettune::nccl_log
