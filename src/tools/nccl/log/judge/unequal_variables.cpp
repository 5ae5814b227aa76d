// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/unequal_variables.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/text.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

/// Nothing compares these between ranks: catalog/nccl.toml (everywhere) says what was seen of them.
constexpr std::string_view kEqualOnAll[] = {
    "NCCL_ALGO",          "NCCL_PROTO",    "NCCL_BUFFSIZE", "NCCL_MIN_NCHANNELS",
    "NCCL_MAX_NCHANNELS", "NCCL_MIN_CTAS", "NCCL_MAX_CTAS",
};

constexpr std::size_t kMostUnequalValues = 4;
constexpr std::size_t kMostOfWho = 4;

/// Names of the first few, and how many more.
std::string who(const Log& log, const Verdict& verdict,
                const std::vector<std::uint32_t>& processes) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(processes.size(), kMostOfWho); ++i)
    names.push_back(process_name(log, verdict, processes[i]));
  if (processes.size() > kMostOfWho)
    names.push_back(cat(processes.size() - kMostOfWho, " more processes"));
  return join(names, ", ");
}

}  // namespace

std::vector<std::string> unequal_variables(const Log& log, const Verdict& verdict) {
  std::vector<std::string> found;
  if (verdict.main == kNone) return found;
  std::set<std::uint32_t> members;
  for (const auto& [rank, process] : log.communicators[verdict.main].members)
    members.insert(process);
  for (const std::string_view name : kEqualOnAll) {
    std::map<std::string, std::vector<std::uint32_t>> values;
    std::vector<std::uint32_t> without;
    for (const std::uint32_t i : members) {
      const Process& process = log.processes[i];
      const auto value = process.environment.find(name);
      if (process.host.empty()) continue;
      if (value != process.environment.end())
        values[lower(value->second)].push_back(i);  // as NCCL compares algorithms and protocols
      else if (process.completed != 0 && process.begins && shows_its_start(process))
        without.push_back(i);
    }
    values.erase("");  // the line was cut
    if (values.empty() || (values.size() == 1 && without.empty())) continue;
    std::vector<std::string> texts;
    for (const auto& [value, processes] : values) {
      if (texts.size() == kMostUnequalValues) {
        texts.push_back(cat(values.size() - kMostUnequalValues, " more values"));
        break;
      }
      const auto& first = log.processes[processes.front()].environment.find(name)->second;
      texts.push_back(cat(first, " on ", who(log, verdict, processes)));
    }
    if (!without.empty()) texts.push_back(cat("not printed by ", who(log, verdict, without)));
    found.push_back(cat(name, ": ", join(texts, ", ")));
  }
  return found;
}

}  // namespace nettune::tools::nccl::log::judge
