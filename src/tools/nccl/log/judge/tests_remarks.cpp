// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/tests_remarks.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "tools/nccl/log/judge/verdict.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

constexpr std::size_t kMostTablesSaid = 6;

/// Tables of programs that ran at once are mixed: what their rows are of is not known.
TestsResult together(const std::vector<TestsResult>& results) {
  TestsResult all;
  for (const TestsResult& one : results) {
    all.rows += one.rows;
    all.headings += one.headings;
    all.counts_wrong = all.counts_wrong || one.counts_wrong;
    for (std::size_t half = 0; half < 2; ++half) {
      all.has_wrong[half] = all.has_wrong[half] || one.has_wrong[half];
      all.checked[half] += one.checked[half];
      all.unchecked[half] += one.unchecked[half];
    }
    all.averages.insert(all.averages.end(), one.averages.begin(), one.averages.end());
    if (one.busbw <= all.busbw) continue;
    all.busbw = one.busbw;
    all.busbw_text = one.busbw_text;
    all.size = one.size;
    all.in_place = one.in_place;
  }
  return all;
}

/// Where values are not checked in place, that is how nccl-tests does it (NVIDIA/nccl-tests,
/// src/common.cu), and no fault.
std::string wrong_values(const TestsResult& one) {
  const auto [out_of_place, in_place] = one.has_wrong;
  const auto is_right = [&](std::size_t half) {
    return !one.has_wrong[half] && one.checked[half] == one.rows;
  };
  if (out_of_place && is_right(1))
    return ", some with wrong values out of place, none with wrong values in place";
  if (in_place && is_right(0))
    return ", some with wrong values in place, none with wrong values out of place";
  if (out_of_place || in_place) return ", some with wrong values";
  if (one.checked[0] + one.checked[1] == 0) return ", whose values were not checked";
  if (one.unchecked[0] != 0) return ", of which not all values were checked";
  if (!one.counts_wrong)
    return one.out_of_bounds.empty() ? std::string()
                                     : cat(", values out of bounds: ", one.out_of_bounds);
  return one.unchecked[1] == 0 ? ", none with wrong values"
                               : ", none with wrong values out of place";
}

/// Where the largest size is much slower than the best. Of mixed tables it is not known.
std::string at_largest(const TestsResult& one) {
  if (one.headings > 1 || one.largest_text.empty() || one.largest_busbw >= kSlow * one.busbw)
    return {};
  return cat("; ", one.slow_from.empty() ? "" : cat("less from ", one.slow_from, " bytes on, "),
             one.largest_text, " GB/s at the largest size");
}

bool are_zero(const std::vector<std::string>& numbers) {
  return std::ranges::all_of(numbers, [](const std::string& number) {
    return number.find_first_not_of("0.") == number.npos;
  });
}

/// A few rows say nothing of how fast it is meant to be: they are repeated, and not judged. busbw
/// of most tests has the factor (n-1)/n of n ranks (NVIDIA/nccl-tests doc/PERFORMANCE.md).
std::string text_of(const TestsResult& one, const TestsRanks& ranks) {
  const bool is_zero = one.busbw == 0 && are_zero(one.averages);
  if (one.rows != 0 && is_zero && ranks.ranks == 1)
    return cat("busbw 0 in ", one.rows, one.rows == 1 ? " row" : " rows",
               ": a single rank uses no network and no link between GPUs");
  std::vector<std::string> texts;
  if (one.rows != 0 && one.busbw > 0)
    texts.push_back(cat("busbw up to ", one.busbw_text, " GB/s (",
                        one.in_place ? "in place" : "out of place", ", ", one.size, " bytes) in ",
                        one.rows, one.rows == 1 ? " row" : " rows",
                        one.headings > 1 ? cat(" of ", one.headings, " tables") : std::string(),
                        wrong_values(one), at_largest(one)));
  if (!one.averages.empty())
    texts.push_back(
        cat("average busbw ", join(one.averages, ", "), " GB/s over all sizes, as nccl-tests says",
            ranks.ranks == 1 && are_zero(one.averages) ? ", as of any single rank" : ""));
  return join(texts, "; ");
}

void say_results(const Log& log, std::vector<std::string>& into) {
  const bool is_mixed = !log.tests.ranks.twice.empty();
  const std::vector<TestsResult> results =
      is_mixed ? std::vector{together(log.tests.results)} : log.tests.results;
  const bool are_several = results.size() > 1;
  std::size_t more = log.tests.more;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string text = text_of(results[i], log.tests.ranks);
    if (text.empty()) continue;
    if (i >= kMostTablesSaid) {
      ++more;
      continue;
    }
    const std::string table = are_several ? cat("table ", i + 1) : std::string();
    const std::string name = results[i].name;
    const std::string of = cat(table.empty() && name.empty() ? "" : ", ", table,
                               table.empty() || name.empty() ? "" : ", ", name);
    into.push_back(cat("results of nccl-tests", of, ": ", text));
  }
  if (more != 0)
    into.push_back(
        cat("results of nccl-tests: ", more, more == 1 ? " more table" : " more tables"));
}

}  // namespace

/// Without MPI, every process that mpirun starts is rank 0 of a test of its own (NVIDIA/nccl-tests
/// issue 107).
void say_tests(const Log& log, std::vector<std::string>& into) {
  if (!log.tests.ranks.twice.empty())
    into.push_back(cat(
        log.tests.ranks.twice.size() == 1 ? "nccl-tests lists rank " : "nccl-tests lists ranks ",
        ranges({log.tests.ranks.twice.begin(), log.tests.ranks.twice.end()}),
        " more than once: these are separate runs, not one over all of the "
        "processes. If one mpirun started them, nccl-tests was built without MPI "
        "(MPI=1), or for another MPI than that of mpirun"));
  if (const TestsRanks& ranks = log.tests.ranks; ranks.runs > 1 && ranks.twice.empty())
    into.push_back(cat(
        log.files.size() == 1 ? "the log shows " : "a file shows ", ranks.runs,
        " runs of nccl-tests, one below the other; ",
        ranks.ended == ranks.runs ? std::string("all") : cat(ranks.ended),
        ranks.ended == 1 ? " of them reached its end" : " of them reached their end",
        " (\"Out of bounds values\"). Lines of this report can come from different runs. Split the "
        "log to see one run alone",
        ranks.ranks == 1 ? ". If one mpirun started them, nccl-tests was built without MPI (MPI=1)"
                         : ""));
  say_results(log, into);
}

std::string tests_verdict(const Log& log) {
  const auto& results = log.tests.results;
  if (!log.tests.ranks.twice.empty() || log.tests.more != 0 || results.size() != 1 ||
      results.front().headings > 1 || results.front().busbw <= 0)
    return {};
  return cat("nccl-tests: busbw up to ", results.front().busbw_text, " GB/s",
             at_largest(results.front()));
}

bool lists_all_ranks(const Log& log) {
  return log.tests.ranks.twice.empty() && log.tests.ranks.whole.contains(log.tests.ranks.ranks);
}

std::string ranks_of_tests(const Log& log) {
  const TestsRanks& listed = log.tests.ranks;
  if (!log.tests.ranks.twice.empty() || listed.ranks == 0) return {};
  const std::string ranks = cat(listed.ranks, listed.ranks == 1 ? " rank" : " ranks");
  if (!lists_all_ranks(log)) return cat("nccl-tests lists at least ", ranks);
  std::string all = cat("nccl-tests lists ", listed.whole.size() > 1 ? "up to " : "", ranks);
  // Several hosts of one name may be what looks like ranks on one GPU.
  if (std::ranges::any_of(listed.shared, [](const auto& one) { return !one.is_certain; }))
    return all;
  return cat(all, " on ", listed.whole_hosts, listed.whole_hosts == 1 ? " host" : " hosts");
}

}  // namespace nettune::tools::nccl::log::judge
