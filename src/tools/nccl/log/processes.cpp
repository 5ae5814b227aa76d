// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/processes.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "tools/nccl/log/connection.hpp"

namespace nettune::tools::nccl::log {

namespace {

constexpr std::size_t kLongestHost = 253;  // RFC 1035
}  // namespace

Speaker Processes::speaker_of(std::string_view line, std::size_t nccl) {
  constexpr std::size_t kMostSpeakers = std::size_t{1} << 18U;
  // Mostly nothing is in front of the name.
  constexpr std::size_t kMostOfName = 48;
  if (nccl <= kMostOfName)
    if (const std::uint32_t known = speaker_names_.find(line.substr(0, nccl)); known != kNone)
      return speakers_[known];
  // From the second blank to the left on stands all that parse_prefix() looks at in an INFO.
  const auto blank_before = [&](std::size_t end) -> std::size_t {
    const void* const at = end == 0 ? nullptr : memrchr(line.data(), ' ', end);
    return at == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(at) - line.data());
  };
  const std::size_t device = blank_before(nccl == 0 ? 0 : nccl - 1);
  const std::string_view name = line.substr(blank_before(device), nccl - blank_before(device));
  if (const std::uint32_t known = speaker_names_.find(name); known != kNone)
    return speakers_[known];
  Prefix prefix;
  if (!parse_prefix(line, nccl, prefix) || prefix.process.empty()) return {};
  const Speaker speaker{table_.find(prefix.process), prefix.tid};
  if (speaker.process == kNone) return speaker;
  if (speaker.process == begun_) begun_ = kNone;
  take_device(speaker.process, prefix);
  if (speakers_.size() == kMostSpeakers) return speaker;
  speaker_names_.add(name, static_cast<std::uint32_t>(speakers_.size()));
  speakers_.push_back(speaker);
  return speaker;
}

std::uint32_t Processes::process_of(const Prefix& prefix, std::string_view before, bool first) {
  if (prefix.process.empty()) return unnamed();
  if (const std::uint32_t known = table_.find(prefix.process); known != kNone) {
    if (known == begun_) begun_ = kNone;
    return known;
  }
  if (const std::uint32_t begun = first ? take_begun(prefix) : kNone; begun != kNone) return begun;
  const bool is_begin = first && before.empty() && prefix.time.empty() && position_.line() == 1;
  if (is_begin) return begun_ = add(prefix.process, prefix.host, prefix.pid);
  if (first) {
    // A class of C++ that another rank was printing: "c10::Errornode7:12:34 [0] NCCL INFO".
    if (const std::uint32_t known = before.ends_with("::") ? glued(prefix.process) : kNone;
        known != kNone)
      return known;
    // What is left of a message of which the begin is missing: "via NET/IB/5node7:12:34 [0] NCCL".
    if (before.ends_with('/')) {
      const std::uint32_t known = glued(prefix.process);
      return known == kNone ? unnamed() : known;
    }
    // The last number of a table of nccl-tests: "sum      -1node7:12:34 [0] NCCL INFO".
    const auto digits = prefix.process.find_first_not_of("-.0123456789");
    if (!before.empty())
      if (const std::uint32_t known = glued(prefix.process, digits); known != kNone) return known;
  } else {
    // What is left of another message may hang on the name: "Channel 00node7:12:34 [0] NCCL INFO".
    if (const std::uint32_t known = glued(prefix.process); known != kNone) return known;
    Connection connection;
    if (!before.ends_with(' ') || parse_connection(before, connection) == Parsed::damaged)
      return unnamed();
    const std::size_t rest = rest_before_host(prefix.host);
    return add(prefix.process.substr(rest), prefix.host.substr(rest), prefix.pid);
  }
  return add(prefix.process, prefix.host, prefix.pid);
}

void Processes::take_device(std::uint32_t process, const Prefix& prefix) {
  constexpr std::size_t kMostDevices = 64;
  auto& devices = log_.processes[process].devices;
  if (prefix.device != UINT32_MAX && devices.size() < kMostDevices)
    add_once(devices, prefix.device);
}

std::uint32_t Processes::take_begun(const Prefix& prefix) {
  if (begun_ == kNone) return kNone;
  Process& begun = log_.processes[begun_];
  if (begun.pid != prefix.pid || !prefix.host.ends_with(begun.host)) return kNone;
  begun.host = prefix.host;
  hosts_.emplace(prefix.host);
  table_.add(prefix.process, begun_);
  return std::exchange(begun_, kNone);
}

/// Where no other line names the process that began the file, its host is the only one whose name
/// ends like it.
void Processes::end_file() {
  if (begun_ == kNone) return;
  Process& begun = log_.processes[std::exchange(begun_, kNone)];
  std::set<std::string> hosts;
  for (const Process& process : log_.processes)
    if (process.host.size() > begun.host.size() && process.host.ends_with(begun.host))
      hosts.insert(process.host);
  if (hosts.size() == 1) begun.host = *hosts.begin();
}

/// The list is of this communicator: some process is what it says, and none is anything else.
bool Processes::is_listed(const Communicator& one) const {
  const TestsRanks& listed = log_.tests.ranks;
  if (one.several || !listed.twice.empty()) return false;
  return !one.members.empty() && std::ranges::all_of(one.members, [&](const auto& member) {
    const Process& process = log_.processes[member.second];
    const auto place = listed.places.find(member.first);
    return place != listed.places.end() && place->second.size() == 1 &&
           *place->second.begin() == std::pair(process.host, std::to_string(process.pid));
  });
}

/// nccl-tests says which rank each process is.
void Processes::finish() {
  constexpr std::size_t kMostSaid = 64;
  TestsRanks& listed = log_.tests.ranks;
  bool is_used = false;
  for (const Communicator& one : log_.communicators) {
    if (one.ranks != listed.places.size()) continue;
    // Another job of that size is in the log as well.
    if (!is_listed(one)) return listed.places.clear();
    is_used = true;
  }
  if (!is_used) return listed.places.clear();
  const auto ranks = static_cast<std::uint32_t>(listed.places.size());
  for (const auto& [rank, places] : listed.places) {
    if (places.size() != 1) continue;  // several runs
    const auto& [host, pid] = *places.begin();
    const std::uint32_t found = table_.find(cat(host, ":", pid));
    if (found == kNone) continue;
    auto& said = log_.processes[found].said;
    if (said.size() < kMostSaid && std::ranges::find(said, std::pair(rank, ranks)) == said.end())
      said.emplace_back(rank, ranks);
  }
}

std::uint32_t Processes::glued(std::string_view name, std::size_t most) const {
  constexpr std::size_t kLongestName = 300;  // of a host, and the digits of a pid
  const std::size_t begin = name.size() > kLongestName ? name.size() - kLongestName : 1;
  for (std::size_t at = begin; at < name.size() && at <= most && name[at] != ':'; ++at)
    if (const std::uint32_t known = table_.find(name.substr(at)); known != kNone) return known;
  return kNone;
}

std::size_t Processes::rest_before_host(std::string_view host) const {
  for (std::size_t rest = 1; rest < host.size() && host.size() <= 2 * kLongestHost; ++rest)
    if (hosts_.contains(host.substr(rest))) return rest;
  return 0;
}

std::uint32_t Processes::add(std::string_view key, std::string_view host, std::uint32_t pid) {
  const auto index = static_cast<std::uint32_t>(log_.processes.size());
  Process& process = log_.processes.emplace_back();
  process.host = host;
  process.pid = pid;
  if (!host.empty()) hosts_.emplace(host);
  table_.add(key, index);
  return index;
}

std::uint32_t Processes::unnamed() {
  if (unnamed_ == kNone) unnamed_ = add({}, {}, 0);
  return unnamed_;
}

}  // namespace nettune::tools::nccl::log
