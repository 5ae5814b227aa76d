// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "base/text.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

/// NCCL names its segments "nccl-" with a suffix by mkstemp(), or, if older, "nccl-shm-recv-...".
bool is_nccls(std::string_view name) { return name.starts_with("nccl-"); }

/// Adds the files below /dev/shm that a process has mapped or open. False if one could not be read.
bool add_used(const Directory& root, std::set<std::string>& used) {
  constexpr std::string_view kDirectory = "/dev/shm/";
  constexpr std::size_t kLargestMap = std::size_t{32} << 20;
  bool all_seen = true;
  for (const std::string& entry : root.list("proc")) {
    if (entry.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto maps = root.read(cat("proc/", entry, "/maps"), kLargestMap);
    if (!maps) {
      all_seen = all_seen && maps.error().code != Errc::denied;
      continue;
    }
    for (const std::string_view line : split(*maps, '\n'))
      if (const auto at = line.find(kDirectory); at != std::string_view::npos) {
        const auto rest = line.substr(at + kDirectory.size());
        used.insert(std::string(rest.substr(0, rest.find(' '))));
      }
    const std::string files = cat("proc/", entry, "/fd");
    const auto open = root.entries(files);
    if (!open) {
      all_seen = all_seen && open.error().code != Errc::denied;
      continue;
    }
    for (const std::string& file : *open)
      if (const auto target = root.link(cat(files, '/', file));
          target && target->starts_with(kDirectory))
        used.insert(target->substr(kDirectory.size()));
  }
  return all_seen;
}

}  // namespace

void read_shm(const Place& place, Machine& machine) {
  std::vector<std::string> segments;
  for (const std::string& name : place.root.list("dev/shm"))
    if (is_nccls(name)) segments.push_back(name);
  if (segments.empty()) return;
  // Under --ipc=host they may belong to processes that are not in here.
  if (!machine.facts.node.container.empty()) {
    machine.notes.push_back(cat(segments.size(),
                                " NCCL segments are in /dev/shm; only the host can see whose they "
                                "are"));
    return;
  }
  std::set<std::string> used;
  if (!add_used(place.root, used)) {
    machine.notes.push_back(
        cat(segments.size(), " NCCL segments are in /dev/shm; only root can see whose they are"));
    return;
  }
  for (const std::string& name : segments)
    if (!used.contains(name)) machine.shm_leftovers.push_back(name);
}

}  // namespace nettune::tools::doctor::probe
