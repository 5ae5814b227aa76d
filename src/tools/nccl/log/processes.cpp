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
/// Smaller pids are those of containers, where they are the same on many hosts.
constexpr std::uint32_t kTellingPid = 10000;

/// Something hangs behind the whole name, or before a part of it.
bool is_like(std::string_view torn, std::string_view whole) {
  constexpr std::size_t kLeast = 3;
  if (torn.starts_with(whole)) return true;
  const std::size_t least = std::min({torn.size(), whole.size(), kLeast});
  return least == kLeast && torn.substr(torn.size() - least) == whole.substr(whole.size() - least);
}

/// What the torn name has of ranks is of `process`: the begin of a rank in a communicator of which
/// it has no other one, or a rank that it has as well.
bool may_have_ranks_of(const Process& process, const Process& torn) {
  return std::ranges::all_of(torn.memberships, [&](const Membership& one) {
    if (process.places.contains({one.communicator, one.rank})) return true;
    return !one.complete && std::ranges::none_of(process.memberships, [&](const Membership& own) {
      return own.communicator == one.communicator;
    });
  });
}

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
  torn_.erase(speaker.process);
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
    torn_.erase(known);
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
  const bool has_known_pid =
      prefix.level == Level::info && prefix.pid >= kTellingPid && by_pid_.contains(prefix.pid);
  const bool may_be_torn = has_known_pid && is_like_another(prefix);
  const bool may_be_mixed = has_known_pid && hosts_.contains(prefix.host);
  // A value that another program was printing: "stage=returnnode7:12:34 [0] NCCL INFO".
  const bool may_hang_on = before.ends_with('=') && glued(prefix.process) != kNone;
  const std::uint32_t added = add(prefix.process, prefix.host, prefix.pid);
  if (may_be_torn || may_be_mixed || may_hang_on) torn_.emplace(added, may_be_torn || may_hang_on);
  return added;
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

void Processes::forget_torn() {
  // The host of one and the pid of another may be a process, until the ranks are complete without
  // it.
  const bool is_complete =
      std::any_of(log_.communicators.begin(), log_.communicators.end(),
                  [](const auto& one) { return one.ranks > 1 && one.members.size() == one.ranks; });
  for (const auto& [torn, is_certain] : torn_)
    if (log_.processes[torn].memberships.empty() && (is_certain || is_complete))
      forget(log_.processes[torn]);
  // When the first line of a process came, whose name is torn, no name may have been known yet. Who
  // says an error is a process.
  constexpr std::size_t kMostOfPid = 16;
  std::set<std::uint32_t> speakers;
  for (const Event& event : log_.events) speakers.insert(event.process);
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_pid;
  std::map<std::string_view, std::size_t> hosts;
  for (std::uint32_t i = 0; i < log_.processes.size(); ++i) {
    const Process& process = log_.processes[i];
    if (process.host.empty() || process.memberships.empty()) continue;
    ++hosts[process.host];
    if (auto& same = by_pid[process.pid]; same.size() < kMostOfPid) same.push_back(i);
  }
  std::vector<std::pair<std::size_t, std::size_t>> weights;
  for (const Process& process : log_.processes) {
    const auto known = hosts.find(process.host);
    weights.emplace_back(known == hosts.end() ? 0 : known->second, process.memberships.size());
  }
  for (std::uint32_t torn = 0; torn < log_.processes.size(); ++torn) {
    Process& process = log_.processes[torn];
    const bool may_be_torn =
        process.pid >= kTellingPid || (is_complete && process.memberships.empty());
    const auto same_pid = by_pid.find(process.pid);
    if (process.host.empty() || !may_be_torn || same_pid == by_pid.end() || speakers.contains(torn))
      continue;
    for (const std::uint32_t i : same_pid->second) {
      const Process& whole = log_.processes[i];
      if (whole.host.empty() || weights[torn] >= weights[i]) continue;
      // Something hangs on the whole name, or a part of it is left; or both, of a process that no
      // rank is.
      const bool is_rest = process.host.ends_with(whole.host) ||
                           whole.host.ends_with(process.host) ||
                           (is_complete && process.pid >= kTellingPid &&
                            weights[torn] == std::pair<std::size_t, std::size_t>() &&
                            is_like(process.host, whole.host));
      if (!is_rest || !may_have_ranks_of(whole, process)) continue;
      take_memberships(process, i);
      forget(process);
      break;
    }
  }
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
void Processes::take_listed() {
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

void Processes::finish() {
  forget_torn();
  take_listed();
}

void Processes::take_memberships(const Process& from, std::uint32_t into) {
  Process& process = log_.processes[into];
  for (const Membership& one : from.memberships) {
    log_.communicators[one.communicator].members[one.rank] = into;
    const auto [place, is_new] = process.places.try_emplace(std::pair(one.communicator, one.rank),
                                                            process.memberships.size());
    if (is_new) {
      process.memberships.push_back(one);
      continue;
    }
    Membership& own = process.memberships[place->second];
    own.complete = own.complete || one.complete;
    if (one.destroyed.second != 0) own.destroyed = one.destroyed;
  }
}

void Processes::forget(Process& process) {
  process.host.clear();
  ++log_.unnamed;
}

std::uint32_t Processes::glued(std::string_view name, std::size_t most) const {
  constexpr std::size_t kLongestName = 300;  // of a host, and the digits of a pid
  const std::size_t begin = name.size() > kLongestName ? name.size() - kLongestName : 1;
  for (std::size_t at = begin; at < name.size() && at <= most && name[at] != ':'; ++at)
    if (const std::uint32_t known = table_.find(name.substr(at)); known != kNone) return known;
  return kNone;
}

bool Processes::is_like_another(const Prefix& prefix) const {
  const std::string_view host = log_.processes[by_pid_.at(prefix.pid)].host;
  std::string_view rest = prefix.host;
  if (rest.size() >= host.size()) return rest.ends_with(host);
  // What is left of the name: its begin, its end, or both.
  std::size_t begin = 0;
  while (begin < rest.size() && rest[begin] == host[begin]) ++begin;
  rest.remove_prefix(begin);
  return host.substr(begin).ends_with(rest);
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
  if (!host.empty()) {
    hosts_.emplace(host);
    by_pid_.emplace(pid, index);
  }
  table_.add(key, index);
  return index;
}

std::uint32_t Processes::unnamed() {
  if (unnamed_ == kNone) unnamed_ = add({}, {}, 0);
  return unnamed_;
}

}  // namespace nettune::tools::nccl::log
