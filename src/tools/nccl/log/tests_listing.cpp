// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/tests_listing.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace nettune::tools::nccl::log {

namespace {

std::optional<std::uint32_t> small_number(std::string_view text) {
  constexpr std::int64_t kMost = std::int64_t{1} << 22U;
  const auto number = parse_int(text);
  if (!number || *number < 0 || *number >= kMost) return {};
  return static_cast<std::uint32_t>(*number);
}

}  // namespace

void TestsListing::clear() {
  ranks_.clear();
  is_mixed_ = false;
  others_ = 0;
}

void TestsListing::begin_file() {
  clear();
  end_run(false);
  runs_ = ended_ = 0;
}

void TestsListing::end_run(bool has_results) {
  if (has_results && !is_over_) ++ended_;
  is_over_ = true;
  processes_.clear();
}

void TestsListing::count_run(TestsRanks& into) {
  if (!std::exchange(is_over_, false)) return;
  ++runs_;
  ++into.begun;
}

/// "#  Rank  3 Group  0 Pid 14159 on node2 device  3 [0x4c] NVIDIA H800", and without the group
/// before 2.13; of 2019 "# Rank 0 on node2 device 0 [0x00] ..." as well. A document may have taken
/// "#" for a heading: then it is such a line by all of its other words (NVIDIA/nccl-tests issue
/// 249).
bool TestsListing::take_rank(std::string_view line, TestsRanks& into) {
  if (line.find("Rank ") == line.npos || line.find(" device ") == line.npos) return false;
  const std::vector<std::string_view> cells = words(line);
  auto at = std::ranges::find(cells, "Rank");
  const auto left = [&] { return cells.end() - at; };
  if (at == cells.end() || left() < 6) return false;
  const bool is_first = at == cells.begin();
  const bool is_marked = !is_first && (at - 1)->ends_with('#');
  const auto rank = small_number(*(at + 1));
  at += 2;
  const bool has_group = *at == "Group";
  if (has_group) at += 2;
  const bool has_pid = left() > 2 && *at == "Pid";
  std::string pid(has_pid ? *(at + 1) : std::string_view());
  if (has_pid) at += 2;
  if (!rank || left() < 5 || (has_pid && !small_number(pid))) return false;
  if (*at != "on" || *(at + 2) != "device") return false;
  Place place{std::string(*(at + 1)), std::string(*(at + 3)), std::string(*(at + 4)),
              std::move(pid)};
  const bool has_bus = place.bus.starts_with('[') && place.bus.ends_with(']');
  if (!is_marked && !(is_first && has_group && has_bus)) return false;
  if (!has_pid && !has_bus) return false;
  // What follows is the name of the GPU: an instance of MIG is a part of one.
  if (!has_bus || std::find(at + 5, cells.end(), "MIG") != cells.end()) place.bus.clear();
  others_ = 0;
  count_run(into);
  const auto [known, is_new] = ranks_.emplace(*rank, place);
  is_mixed_ = is_mixed_ || (!is_new && known->second != place);
  into.ranks = std::max(into.ranks, *rank + 1);
  into.listed.insert(*rank);
  into.hosts.insert(place.host);
  const auto process = cat(place.host, " ", place.pid);
  if (processes_.emplace(*rank, process).first->second != process) into.twice.insert(*rank);
  return true;
}

void TestsListing::take(std::string_view line, TestsRanks& into) {
  if (take_rank(line, into) || ranks_.empty()) return;
  ++others_;
  // "#" alone is below the last of them, "# nThread ..." above the first of the next.
  const std::vector<std::string_view> cells = words(line);
  if (!cells.empty() && cells.size() < 3 && cells.back().ends_with('#')) return end(into);
  if (line.find("# nThread ") != line.npos || line.find("# Using devices") != line.npos) clear();
}

/// Ranks that are missing in between, or twice, are of a list that is cut or mixed with others.
bool TestsListing::has_all() const {
  return !ranks_.empty() && !is_mixed_ && ranks_.rbegin()->first + 1 == ranks_.size();
}

void TestsListing::end_file(TestsRanks& into) {
  if (runs_ > into.runs) {
    into.runs = runs_;
    into.ended = ended_;
  }
  if (has_all() && ranks_.size() == into.ranks) keep_places(into);
  begin_file();
}

void TestsListing::end(TestsRanks& into) {
  constexpr std::size_t kMostSizes = 16;
  const auto ranks = static_cast<std::uint32_t>(ranks_.size());
  if (has_all()) {
    std::set<std::string_view> hosts;
    for (const auto& [rank, place] : ranks_) hosts.insert(place.host);
    if (ranks == into.ranks && !into.whole.contains(ranks)) into.whole_hosts = hosts.size();
    if (into.whole.size() < kMostSizes || ranks == into.ranks) into.whole.insert(ranks);
    if (ranks == into.ranks) keep_places(into);
  }
  if (!is_mixed_) find_shared(into);
  clear();
}

void TestsListing::keep_places(TestsRanks& into) const {
  constexpr std::size_t kMostRuns = 16;
  if (into.places.size() != ranks_.size()) into.places.clear();  // of smaller lists
  for (const auto& [rank, place] : ranks_)
    if (auto& known = into.places[rank]; known.size() < kMostRuns)
      known.emplace(place.host, place.pid);
}

void TestsListing::find_shared(TestsRanks& into) const {
  constexpr std::size_t kMostShared = 64;
  std::map<std::string, TestsRanks::Shared> places;
  for (const auto& listed : ranks_) {
    const Place& place = listed.second;
    if (place.bus.empty()) continue;
    // "[0x1b]" is the number of a bus, which another domain of PCI has as well.
    const bool has_domain = place.bus.find(':') != place.bus.npos;
    const std::string name = cat("host ", place.host, ", device ", place.device, " ", place.bus);
    auto& one = places[has_domain ? cat(place.host, " ", place.bus) : name];
    // A GPU that is partitioned is several devices of one process.
    const bool is_part = std::ranges::any_of(one.ranks, [&](std::uint32_t other) {
      return ranks_.at(other).pid == place.pid && ranks_.at(other).device != place.device;
    });
    if (is_part) continue;
    const auto of_one = [&](std::uint32_t other) {
      return !place.pid.empty() && ranks_.at(other).pid == place.pid &&
             ranks_.at(other).device == place.device;
    };
    one.is_certain = !one.ranks.empty() && (one.ranks.size() == 1 || one.is_certain) &&
                     of_one(one.ranks.front());
    one.ranks.push_back(listed.first);
    one.place = name;
    one.has_domain = has_domain;
  }
  for (auto& known : places) {
    TestsRanks::Shared& one = known.second;
    const bool is_known = std::ranges::any_of(
        into.shared, [&](const auto& other) { return other.place == one.place; });
    if (one.ranks.size() > 1 && !is_known && into.shared.size() < kMostShared)
      into.shared.push_back(std::move(one));
  }
}

}  // namespace nettune::tools::nccl::log
