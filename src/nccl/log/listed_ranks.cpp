// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/listed_ranks.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "nccl/log/cursor.hpp"

namespace nettune::nccl_log {

void take_listed_rank(Log& log, std::string_view line) {
  constexpr std::uint32_t kMostRanks = 1U << 22U;
  // A document may have taken "#" for a heading: then it is such a line by all of its other words.
  const bool is_bare = line.starts_with("Rank ");
  const auto begin = is_bare ? 0 : line.find(" Rank ");
  const auto on = begin == line.npos ? begin : line.find(" on ", begin);
  if (on == line.npos) return;
  const bool is_marked = line.substr(0, begin).find('#') != line.npos;
  const bool is_whole = line.substr(begin, on - begin).find(" Group ") != line.npos &&
                        line.find(" [0", on) != line.npos && trim(line.substr(0, begin)).empty();
  if (!is_marked && !is_whole) return;
  const auto number_in = [](std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return Cursor(text).number();
  };
  const auto rank = number_in(line.substr(begin + (is_bare ? 5 : 6)));
  const auto pid = line.substr(0, on).rfind(" Pid ");
  const auto device = line.find(" device ", on);
  if (device == line.npos) return;  // the name may be cut
  const std::string_view host = trim(line.substr(on + 4, device - on - 4));
  if (!rank || *rank >= kMostRanks || pid == line.npos || !number_in(line.substr(pid + 5))) return;
  if (host.empty() || host.find(' ') != host.npos) return;
  log.listed_ranks = std::max(log.listed_ranks, *rank + 1);
  log.listed.insert(*rank);
  const auto process = cat(host, " ", *number_in(line.substr(pid + 5)));
  const auto [known, is_new] = log.listed_processes.emplace(*rank, process);
  if (!is_new && known->second != process) log.listed_twice.insert(*rank);
  log.listed_hosts.emplace(host);
}

}  // namespace nettune::nccl_log
