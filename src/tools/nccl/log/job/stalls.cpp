// SPDX-License-Identifier: Apache-2.0
//
// horovod/horovod, horovod/common/stall_inspector.cc; up to 0.18 CheckForStalledTensors() of
// horovod/common/operations.cc; issues 134, 336, 534 and 1012.
#include "tools/nccl/log/job/stalls.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"
#include "tools/nccl/log/log.hpp"

namespace nettune::tools::nccl::log::job {

namespace {

constexpr unsigned kMostWithout = 3;      ///< lines between those of a listing
constexpr std::size_t kMostKinds = 16;    ///< of sets of ranks that all others are compared with
constexpr std::size_t kMostTensors = 64;  ///< that one rank lacks
constexpr std::size_t kMostNames = 4096;
constexpr std::size_t kMostSubmitting = 4096;
constexpr std::size_t kLongestName = 300;

using RankSet = std::set<std::uint32_t>;

/// "0, 2, 1]": empty where it has no end.
RankSet rank_list(std::string_view text) {
  RankSet ranks;
  Cursor at(text);
  for (;;) {
    const auto rank = at.number();
    if (!rank) return {};
    ranks.insert(*rank);
    if (at.skip("]")) return ranks;
    if (!at.skip(",")) return {};
    at.skip(" ");
  }
}

RankSet without(const RankSet& some, const RankSet& others) {
  RankSet rest;
  std::set_difference(some.begin(), some.end(), others.begin(), others.end(),
                      std::inserter(rest, rest.end()));
  return rest;
}

std::string ranks_named(const RankSet& ranks) {
  return cat(ranks.size() == 1 ? "rank " : "ranks ", ranges({ranks.begin(), ranks.end()}));
}

/// Names of tensors differ at both ends.
std::string shortened(std::string_view name) {
  constexpr std::size_t kMost = 80;
  constexpr std::size_t kEnd = 38;
  if (name.size() <= kMost) return std::string(name);
  return cat(name.substr(0, kEnd), "...", name.substr(name.size() - kEnd));
}

std::string cross(const RankSet& some, std::string_view theirs, const RankSet& others,
                  std::string_view of_others) {
  const std::string one = shortened(theirs);
  const std::string other = shortened(of_others);
  return cat(ranks_named(some), " submitted ", one, " and not ", other, "; ", ranks_named(others),
             " submitted ", other, " and not ", one);
}

/// The last word of what stands before a list of ranks.
std::string_view tensor_before(std::string_view text) {
  text = trim(text);
  const auto begin = text.find_last_of(" :");
  return begin == text.npos ? text : text.substr(begin + 1);
}

}  // namespace

void Stalls::clear() {
  tensors_.clear();
  names_.clear();
  ranks_.clear();
  left_ = 0;
  said_ = false;
}

std::string Stalls::add(const Ranks& ranks, std::string_view tensor) {
  if (ranks.empty() || tensor.empty()) return {};
  std::string name(tensor.substr(0, kLongestName));
  // One that comes again is of another listing.
  if (names_.contains(name)) clear();
  if (names_.size() < kMostNames) names_.insert(name);
  if (tensors_.contains(ranks)) return {};
  std::string crossed = crossed_with({ranks, name});
  if (tensors_.size() < kMostKinds) tensors_.emplace(ranks, std::move(name));
  return crossed;
}

std::string Stalls::take_tensors(std::string_view line) {
  std::string crossed;
  for (const std::string_view word : {" [ready ranks: ", " [missing ranks: "})
    for (auto at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
      missing_ = word[2] == 'm';
      std::string found =
          add(rank_list(line.substr(at + word.size())), tensor_before(line.substr(0, at)));
      if (crossed.empty()) crossed = std::move(found);
    }
  return crossed;
}

/// "3: [a, b]" and "3!: [a, b, c, d, e, f ...]", with whatever mpirun puts in front.
bool Stalls::take_rank(std::string_view line, std::string& crossed) {
  const auto list = line.find(": [");
  if (list == line.npos || list == 0 || ranks_.size() >= kMostSubmitting) return false;
  std::size_t end = line[list - 1] == '!' ? list - 1 : list;
  std::size_t begin = end;
  while (begin > 0 && is_digit(line[begin - 1])) --begin;
  if (begin == end || (begin > 0 && line[begin - 1] != ':' && line[begin - 1] != ' ')) return false;
  const auto rank = Cursor(line.substr(begin)).number();
  std::string_view all = trim(line.substr(list + 3));
  if (!rank || !all.ends_with(']')) return false;
  all.remove_suffix(1);
  Lacks& lacks = ranks_[*rank];
  if (all.ends_with(" ...")) {
    lacks.cut = true;
    all.remove_suffix(4);
  }
  for (const std::string_view tensor : split(all, ',')) {
    lacks.cut = lacks.cut || lacks.tensors.size() == kMostTensors;
    if (lacks.tensors.size() < kMostTensors)
      lacks.tensors.emplace(trim(tensor).substr(0, kLongestName));
  }
  crossed = crossed_with(*rank);
  return true;
}

std::string Stalls::crossed_with(const Tensors::value_type& added) const {
  for (const auto& other : tensors_) {
    const auto& [a, b] = std::minmax(added, other);
    const RankSet only_a = without(a.first, b.first);
    const RankSet only_b = without(b.first, a.first);
    if (only_a.empty() || only_b.empty()) continue;
    return missing_ ? cross(only_b, a.second, only_a, b.second)
                    : cross(only_a, a.second, only_b, b.second);
  }
  return {};
}

/// Lists are in order, so that what is cut comes behind the last one.
std::string Stalls::crossed_with(std::uint32_t rank) const {
  const auto lacked_alone = [](const Lacks& some, const Lacks& other) -> std::string_view {
    for (const std::string& tensor : some.tensors)
      if (!other.tensors.contains(tensor) && (!other.cut || tensor < *other.tensors.rbegin()))
        return tensor;
    return {};
  };
  const auto added = ranks_.find(rank);
  for (auto other = ranks_.begin(); other != ranks_.end(); ++other) {
    const auto& [a, b] = std::minmax(
        *added, *other, [](const auto& one, const auto& two) { return one.first < two.first; });
    const std::string_view of_a = lacked_alone(a.second, b.second);
    const std::string_view of_b = lacked_alone(b.second, a.second);
    if (!of_a.empty() && !of_b.empty()) return cross({b.first}, of_a, {a.first}, of_b);
  }
  return {};
}

std::string Stalls::missing_in(std::string_view line) {
  constexpr std::string_view kWord = " [missing ranks: ";
  RankSet all;
  for (auto at = line.find(kWord); at != line.npos; at = line.find(kWord, at + 1))
    all.merge(rank_list(line.substr(at + kWord.size())));
  // "0: [grad_a, grad_b]", below "Missing ranks:"
  if (Cursor at(trim(line)); all.empty())
    if (const auto rank = at.number(); rank && at.skip(": [")) all.insert(*rank);
  return all.empty() ? std::string() : cat("missing: ", ranks_named(all));
}

/// Only what follows the begin of a listing is of it: of two listings, of which lines are missing,
/// one may look like the rest of the other.
std::string Stalls::take(std::string_view line) {
  const bool by_rank =
      line.find("Missing ranks:") != line.npos || line.find("Stalled ranks:") != line.npos;
  const bool begins = line.find("subset of ranks") != line.npos ||
                      line.find("Stalled ops:") != line.npos || (by_rank && left_ == 0);
  if (begins) clear();
  if (!begins && left_ == 0) return {};
  bool is_of_it = begins || by_rank;
  std::string crossed;
  if (line.find(" ranks: ") != line.npos) {
    crossed = take_tensors(line);
    is_of_it = true;
  } else if (!is_of_it) {
    is_of_it = take_rank(line, crossed);
  }
  left_ = is_of_it ? kMostWithout : left_ - 1;
  if (said_) return {};
  said_ = !crossed.empty();
  return crossed;
}

}  // namespace nettune::tools::nccl::log::job
