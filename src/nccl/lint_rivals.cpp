// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "nccl/lint.hpp"
#include "nccl/values.hpp"
#include "nccl/words.hpp"

namespace nettune::nccl {
namespace {

/// Who wins: the environment, then the user's nccl.conf, then the node's, which a profile writes.
/// setEnvFile() never changes what is set already (src/misc/param.cc).
int rank_of(const Assignment& set) {
  if (set.kind == Kind::profile) return 0;
  if (set.kind != Kind::conf) return 2;
  return std::string_view(set.file).substr(set.file.rfind('/') + 1) == "nccl.conf" ? 0 : 1;
}

Judgement defeated(const Assignment& winner, std::string_view why) {
  return {Verdict::defeated, Level::warning,
          cat(winner.file, ":", winner.line, " sets ", winner.name, "=", printable(winner.value),
              ", and ", why),
          "", "src/misc/param.cc setEnvFile"};
}

/// In nccl.conf the first line for a name holds, everywhere else the last.
void judge_same_file(const std::vector<Assignment>& all, std::size_t index, Judgements& out) {
  const Assignment& set = all[index];
  const bool first_wins = set.kind == Kind::conf;
  const auto rival = [&](const Assignment& one) {
    return one.name == set.name && one.file == set.file && one.kind == set.kind &&
           one.value != set.value;
  };
  if (first_wins) {
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(index);
    const auto found = std::find_if(all.begin(), end, rival);
    if (found != end)
      out.push_back(defeated(*found, "in nccl.conf the first line for a name holds"));
    return;
  }
  const auto found =
      std::find_if(all.begin() + static_cast<std::ptrdiff_t>(index) + 1, all.end(), rival);
  if (found == all.end()) return;
  Judgement judgement = defeated(*found, "stands behind it: what runs there gets that value");
  // Which lines run, only a shell can tell.
  if (set.kind == Kind::shell || set.kind == Kind::yaml) judgement.level = Level::note;
  out.push_back(std::move(judgement));
}

void judge_files(const std::vector<Assignment>& others, const Assignment& set, Judgements& out) {
  for (const Assignment& one : others)
    if (one.name == set.name && rank_of(one) > rank_of(set) && one.exported &&
        one.value != set.value) {
      out.push_back(defeated(one, rank_of(one) == 2 ? "the environment wins over every nccl.conf"
                                                    : "it is read before /etc/nccl.conf"));
      return;
    }
}

bool holds(const Conflict& conflict, const Assignment& other) {
  if (other.name != conflict.name || other.computed) return false;
  if (conflict.value.empty()) return true;
  if (conflict.value == "nonzero") return read_number(other.value).value != 0;
  return glob_match(lower(conflict.value), lower(other.value));
}

void judge_conflicts(const Job& job, const std::vector<Assignment>& all, const Assignment& set,
                     Judgements& out) {
  for (const Conflict& conflict : job.catalog->conflicts) {
    const bool named = std::ranges::any_of(conflict.ignores, [&](const std::string& pattern) {
      return glob_match(pattern, set.name);
    });
    if (!named || conflict.name == set.name) continue;
    const Variable* const cause = job.catalog->find(conflict.name);
    if (cause && job.catalog->presence(*cause, job.version) != Presence::read) continue;
    for (const std::vector<Assignment>* const list : {&all, &job.elsewhere}) {
      const auto other = std::ranges::find_if(*list, [&](const Assignment& one) {
        // Two scripts are two jobs, and of two profiles one is applied; what a file of the node
        // says holds for all.
        const bool either = one.kind == Kind::profile && set.kind == Kind::profile;
        const bool together =
            one.file == set.file || (!either && (rank_of(one) < 2 || rank_of(set) < 2));
        return together && one.exported && holds(conflict, one);
      });
      if (other == list->end()) continue;
      out.push_back({Verdict::conflict, Level::warning,
                     cat(conflict.why, " (", other->file, ":", other->line, ")"),
                     cat("one of the two"), ""});
      return;
    }
  }
}

/// A smallest number above the largest.
void judge_bounds(const std::vector<Assignment>& all, const Assignment& set, Judgements& out) {
  constexpr std::string_view kMin = "NCCL_MIN_";
  if (!set.name.starts_with(kMin)) return;
  const std::string most = cat("NCCL_MAX_", set.name.substr(kMin.size()));
  for (const Assignment& one : all)
    if (one.name == most && one.file == set.file && !one.computed &&
        read_number(one.value).value < read_number(set.value).value)
      out.push_back({Verdict::conflict, Level::warning,
                     cat("it is above ", most, "=", printable(one.value), " in line ", one.line),
                     "", "src/graph/connect.cc, src/init.cc"});
}

}  // namespace

void judge_rivals(const Job& job, const std::vector<Assignment>& all, std::size_t index,
                  Judgements& out) {
  const Assignment& set = all[index];
  judge_same_file(all, index, out);
  judge_files(all, set, out);
  judge_files(job.elsewhere, set, out);
  judge_conflicts(job, all, set, out);
  judge_bounds(all, set, out);
}

}  // namespace nettune::nccl
