// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "nccl/lint.hpp"
#include "nccl/values.hpp"

namespace nettune::nccl {
namespace {

/// The rank of the environment.
constexpr int kMostRank = 2;
/// With so many values nobody can tell any more which of them it is.
constexpr std::size_t kMostDeciding = 16;
/// Of very many lines of a file that set a name, the first are looked at.
constexpr std::size_t kMostOfFile = 64;

/// Who wins: the environment, then the user's nccl.conf, then the node's, which a profile writes.
/// setEnvFile() never changes what is set already (src/misc/param.cc).
int rank_of(const Assignment& set) {
  if (set.kind == Kind::profile) return 0;
  if (set.kind != Kind::conf) return kMostRank;
  return std::string_view(set.file).substr(set.file.rfind('/') + 1) == "nccl.conf" ? 0 : 1;
}

Judgement defeated(const Assignment& winner, std::string_view why) {
  return {Verdict::defeated, Level::warning,
          cat(winner.file, ":", winner.line, " sets ", winner.name, "=", printable(winner.value),
              ", and ", why),
          "", "src/misc/param.cc setEnvFile"};
}

/// In nccl.conf the first line for a name holds, everywhere else the last.
void judge_same_file(const Rivals& rivals, const Assignment& set, std::size_t index,
                     Judgements& out) {
  const Assignment* const rival = rivals.in_same_file(index);
  if (!rival) return;
  if (set.kind == Kind::conf) {
    out.push_back(defeated(*rival, "in nccl.conf the first line for a name wins"));
    return;
  }
  Judgement judgement = defeated(*rival, "comes after it: what runs there gets that value");
  // Only a shell knows which lines run.
  if (set.kind == Kind::shell || set.kind == Kind::yaml) judgement.level = Level::note;
  out.push_back(std::move(judgement));
}

void judge_files(const Rivals& rivals, const Assignment& set, Judgements& out) {
  for (const bool elsewhere : {false, true})
    if (const Assignment* const one = rivals.stronger(set, elsewhere))
      out.push_back(defeated(*one, rank_of(*one) == kMostRank
                                       ? "the environment wins over every nccl.conf"
                                       : "it is read before /etc/nccl.conf"));
}

bool holds(const Conflict& conflict, const Assignment& other) {
  if (other.name != conflict.name || other.computed) return false;
  if (conflict.value.empty()) return true;
  if (conflict.value == "nonzero") return read_number(other.value).value != 0;
  return glob_match(lower(conflict.value), lower(other.value));
}

/// Two scripts are two jobs, and only one of two profiles is applied; the files of the node apply
/// to all.
bool together(const Assignment& one, const Assignment& set) {
  const bool either = one.kind == Kind::profile && set.kind == Kind::profile;
  return one.file == set.file ||
         (!either && (rank_of(one) < kMostRank || rank_of(set) < kMostRank));
}

/// Only a note if not all assignments that may reach the job conflict.
std::optional<Judgement> judge_conflict(const Conflict& conflict,
                                        const std::vector<const Assignment*>& deciding) {
  const Assignment* cause = nullptr;
  Level level = Level::warning;
  for (const Assignment* const one : deciding) {
    const bool in_the_way = holds(conflict, *one);
    if (in_the_way && !cause) cause = one;
    if (!in_the_way || one->unset_later) level = Level::note;
  }
  if (!cause) return {};
  return Judgement{Verdict::conflict, level,
                   cat(conflict.why, " (", cause->file, ":", cause->line, ")"), "one of the two",
                   ""};
}

/// Whether a pattern of `ignores` matches: NCCL_IB_*, NCCL_SHM_DISABLE=1.
bool is_ignored(const std::string& pattern, const Assignment& set) {
  const std::size_t equals = pattern.find('=');
  if (!glob_match(pattern.substr(0, equals), set.name)) return false;
  return equals == pattern.npos ||
         (!set.computed && glob_match(pattern.substr(equals + 1), lower(set.value)));
}

void judge_conflicts(const Job& job, const Assignment& set, Rivals& rivals, Judgements& out) {
  for (std::size_t i = 0; i < job.catalog->conflicts.size(); ++i) {
    const Conflict& conflict = job.catalog->conflicts[i];
    const auto is_named = [&](const std::string& pattern) { return is_ignored(pattern, set); };
    if (conflict.name == set.name || std::ranges::none_of(conflict.ignores, is_named) ||
        std::ranges::any_of(conflict.unless, is_named))
      continue;
    const Variable* const cause = job.catalog->find(conflict.name);
    if (cause && job.catalog->presence(*cause, job.version) != Presence::read) continue;
    bool is_new = true;
    std::optional<Judgement> own;
    std::optional<Judgement>& judgement =
        set.branches.empty() ? rivals.judged(i, set, is_new) : own;
    if (is_new) {
      std::vector<const Assignment*> deciding = rivals.deciding(set, conflict.name);
      std::erase_if(deciding, [&](const auto* one) { return exclude_each_other(*one, set); });
      judgement = judge_conflict(conflict, deciding);
    }
    if (!judgement) continue;
    out.push_back(*judgement);
    return;
  }
}

/// Where in its file an assignment is; an environment has no lines.
std::string in_line(const Assignment& set) {
  return set.line > 0 ? cat(" in line ", set.line) : std::string();
}

/// What becomes of a minimum above its maximum (ncclTopoPostset() in src/graph/connect.cc,
/// envConfigOverride() in src/init.cc).
std::string_view outcome_of_bounds(std::string_view name, const Version& version) {
  if (name == "NCCL_MIN_CTAS")
    return version < Version{2, 18, 1} ? ": init fails" : ": NCCL lowers it to that";
  if (name == "NCCL_MIN_NRINGS" && version < Version{2, 5, 6}) return ": NCCL ignores it";
  if (name == "NCCL_MIN_NCHANNELS" || name == "NCCL_MIN_NRINGS") return ": the minimum wins";
  return "";
}

/// The maximum that NCCL uses for a value; nothing if it ignores it. Sources as above, and
/// src/misc/rings.cc up to 2.4.8.
std::optional<std::int64_t> maximum_of(const Assignment& most, const Version& version) {
  const std::int64_t value = read_number(most.value).value;
  const bool rings = most.name == "NCCL_MAX_NRINGS";
  const bool ignores_zero = (most.name == "NCCL_MAX_CTAS" && version >= Version{2, 25, 1}) ||
                            (rings && version < Version{2, 5, 6});
  if (ignores_zero) return value > 0 ? std::optional(value) : std::nullopt;
  if (!rings && most.name != "NCCL_MAX_NCHANNELS") return value;
  if (value == -2) return {};
  return std::max<std::int64_t>(value, 1);
}

/// Finds a minimum above its maximum.
void judge_bounds(const Job& job, const Rivals& rivals, const Assignment& set, Judgements& out) {
  constexpr std::string_view kMin = "NCCL_MIN_";
  if (!set.name.starts_with(kMin)) return;
  const Assignment* const most = rivals.least(cat("NCCL_MAX_", set.name.substr(kMin.size())), set);
  if (!most) return;
  const std::optional<std::int64_t> used = maximum_of(*most, job.version);
  if (!used || *used >= read_number(set.value).value) return;
  out.push_back({Verdict::conflict, Level::warning,
                 cat("it is above ", most->name, "=", printable(most->value), in_line(*most),
                     outcome_of_bounds(set.name, job.version)),
                 "", "src/graph/connect.cc, src/init.cc"});
}

/// Finds two numbers in one file whose product is too large; reported for the second one.
void judge_products(const Job& job, const Rivals& rivals, const Assignment& set, Judgements& out) {
  for (const Product& product : job.catalog->products) {
    if (product.right != set.name) continue;
    const Assignment* const other = rivals.least(product.left, set);
    const std::int64_t left = other ? read_number(other->value).value : 0;
    const std::int64_t right = read_number(set.value).value;
    if (left <= 0 || right <= product.most / left) continue;
    out.push_back({Verdict::conflict, Level::warning,
                   cat("times ", other->name, "=", printable(other->value), in_line(*other),
                       " it is more than ", product.most, ": ", product.why),
                   cat("at most ", product.most / left), ""});
  }
}

}  // namespace

Rivals::Rivals(const std::vector<Assignment>& all, const std::vector<Assignment>& elsewhere) {
  std::map<std::tuple<std::string_view, int, std::string_view>, std::size_t> lines;
  for (std::size_t i = 0; i < by_name_.size(); ++i)
    for (const Assignment& one : i == 0 ? all : elsewhere) {
      if (++lines[{one.name, one.command, one.file}] <= kMostOfFile)
        by_name_[i][{one.name, one.command}].push_back(&one);
      if (!one.exported) continue;
      Two& two = by_rank_[i][{one.name, rank_of(one)}];
      if (!two.first) two.first = &one;
      if (!two.other && one.value != two.first->value) two.other = &one;
    }
  for (const Assignment& one : all) {
    if (one.computed) continue;
    const Assignment*& least = least_[{one.name, one.file}];
    if (!least || read_number(one.value).value < read_number(least->value).value) least = &one;
  }
  find_same_file(all);
}

void Rivals::find_same_file(const std::vector<Assignment>& all) {
  std::map<std::tuple<std::string_view, std::string_view, Kind>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < all.size(); ++i)
    groups[{all[i].name, all[i].file, all[i].kind}].push_back(i);
  same_file_.assign(all.size(), nullptr);
  for (const auto& [key, group] : groups) {
    const bool first_wins = std::get<Kind>(key) == Kind::conf;
    const Assignment& first = all[group.front()];
    for (std::size_t i = group.size() - 1; i-- > 0;) {
      const Assignment& next = all[group[i + 1]];
      if (first_wins && next.value != first.value && !exclude_each_other(first, next))
        same_file_[group[i + 1]] = &first;
      if (first_wins) continue;
      const Assignment& set = all[group[i]];
      std::size_t later = i + 1;
      const std::size_t end = std::min(group.size(), i + 1 + kMostOfFile);
      while (later < end && exclude_each_other(set, all[group[later]])) ++later;
      if (later == end) continue;
      const Assignment& other = all[group[later]];
      const bool keeps = other.value == set.value || passes_on(other.name, other.value);
      same_file_[group[i]] = keeps ? same_file_[group[later]] : &other;
    }
  }
}

Rivals::Place Rivals::place_of(const Assignment& set) {
  return {set.file, rank_of(set), set.kind == Kind::profile, set.command};
}

std::vector<const Assignment*> Rivals::beside(const Assignment& set, const std::string& name,
                                              bool elsewhere) const {
  std::vector<const Assignment*> found;
  const auto& named = by_name_[elsewhere ? 1 : 0];
  const auto add = [&](const std::vector<const Assignment*>& some) {
    for (const Assignment* const one : some)
      if (one->exported && (elsewhere || together(*one, set))) found.push_back(one);
  };
  for (auto at = named.lower_bound({name, 0}); at != named.end() && at->first.first == name; ++at) {
    const int command = at->first.second;
    if (set.command == 0 || command == 0) add(at->second);
    if (set.command > 0) break;
  }
  if (set.command == 0) return found;
  const auto own = named.find({name, set.command});
  const std::size_t others = found.size();
  if (own != named.end()) add(own->second);
  // Assignments for the command itself override those for all.
  if (found.size() > others && !elsewhere)
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(others));
  return found;
}

const std::vector<const Assignment*>& Rivals::deciding(const Assignment& set,
                                                       const std::string& name) {
  const auto [at, is_new] = deciding_.try_emplace({name, place_of(set)});
  std::vector<const Assignment*>& found = at->second;
  if (!is_new) return found;
  for (const bool elsewhere : {false, true}) {
    // A job's own assignments come after those of the node.
    if (elsewhere && !found.empty() && rank_of(*found[0]) == kMostRank) break;
    for (const Assignment* const one : beside(set, name, elsewhere)) {
      if (!found.empty() && rank_of(*one) > rank_of(*found[0])) found.clear();
      if (!found.empty() && rank_of(*one) < rank_of(*found[0])) continue;
      const auto settles = [&](const Assignment* other) {
        const bool same_conf = one->kind == Kind::conf && one->file == other->file;
        return same_conf || (one->value == other->value && one->computed == other->computed);
      };
      if (found.size() < kMostDeciding && std::ranges::none_of(found, settles))
        found.push_back(one);
    }
  }
  return found;
}

const Assignment* Rivals::stronger(const Assignment& set, bool elsewhere) const {
  for (int rank = rank_of(set) + 1; rank <= kMostRank; ++rank) {
    const auto found = by_rank_[elsewhere ? 1 : 0].find({set.name, rank});
    if (found == by_rank_[elsewhere ? 1 : 0].end()) continue;
    const Two& two = found->second;
    const Assignment* const one = two.first->value != set.value ? two.first : two.other;
    if (one) return one;
  }
  return nullptr;
}

const Assignment* Rivals::least(const std::string& name, const Assignment& set) const {
  const auto found = least_.find({name, set.file});
  if (found == least_.end()) return nullptr;
  if (!exclude_each_other(*found->second, set)) return found->second;
  const Assignment* least = nullptr;
  std::size_t looked = 0;
  for (auto at = by_name_[0].lower_bound({name, 0});
       at != by_name_[0].end() && at->first.first == name; ++at)
    for (const Assignment* const one : at->second) {
      if (++looked > kMostOfFile) return least;
      if (one->computed || one->file != set.file || exclude_each_other(*one, set)) continue;
      if (!least || read_number(one->value).value < read_number(least->value).value) least = one;
    }
  return least;
}

std::optional<Judgement>& Rivals::judged(std::size_t conflict, const Assignment& set,
                                         bool& is_new) {
  const auto [at, added] = judged_.try_emplace({conflict, place_of(set)});
  is_new = added;
  return at->second;
}

void judge_rivals(const Job& job, const std::vector<Assignment>& all, std::size_t index,
                  Rivals& rivals, Judgements& out) {
  const Assignment& set = all[index];
  judge_same_file(rivals, set, index, out);
  judge_files(rivals, set, out);
  judge_conflicts(job, set, rivals, out);
  judge_bounds(job, rivals, set, out);
  if (!set.computed) judge_products(job, rivals, set, out);
}

}  // namespace nettune::nccl
