// SPDX-License-Identifier: Apache-2.0
#include "nccl/functions.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "nccl/word_values.hpp"

namespace nettune::nccl {
namespace {

constexpr std::array<std::string_view, 5> kFunctionNames = {"broadcast", "reduce", "allgather",
                                                            "reducescatter", "allreduce"};

/// Whether a function has the algorithm (ncclTopoTuneModel in src/graph/tuning.cc).
bool can_use(std::string_view function, std::string_view algorithm) {
  if (algorithm == "ring") return true;
  if (function == "broadcast" || function == "reduce") return false;
  if (function == "allreduce") return algorithm != "pat";
  return algorithm == "pat" || algorithm == "nvls" || algorithm == "collnetdirect";
}

/// Whether an entry allows the algorithm: "tree,ring" allows these, "^ring" all others.
bool leaves(std::string_view list, std::string_view algorithm) {
  const bool exclude = list.starts_with('^');
  if (exclude) list.remove_prefix(1);
  const std::vector<std::string_view> listed = split(list, ',');
  const bool named =
      std::ranges::any_of(listed, [&](std::string_view one) { return lower(one) == algorithm; });
  return named != exclude;
}

/// The functions without an algorithm under NCCL_ALGO. An entry without a function applies to all,
/// and a later one for a function overrides it.
std::string stranded(const Variable& variable, std::string_view text, const Version& version) {
  std::string names;
  for (const std::string_view function : kFunctionNames) {
    bool left = true;
    for (const std::string_view part : split(text, ';')) {
      const std::size_t colon = part.find(':');
      if (part.empty() || (colon != part.npos && lower(part.substr(0, colon)) != function))
        continue;
      const std::string_view list = colon == part.npos ? part : part.substr(colon + 1);
      left = std::ranges::any_of(variable.values, [&](const Word& word) {
        const std::string algorithm = lower(word.text);
        return known_at(word, version) && can_use(function, algorithm) && leaves(list, algorithm);
      });
    }
    if (!left) names += cat(names.empty() ? "" : ", ", function);
  }
  return names;
}

}  // namespace

Judgement judge_functions(const Variable& variable, std::string_view text, const Version& version) {
  constexpr std::string_view kFails = "init fails with ncclInvalidUsage";
  bool first = true;
  for (const std::string_view part : split(text, ';')) {
    if (part.empty()) continue;
    const std::size_t colon = part.find(':');
    if (colon == part.npos && !first)
      return misread(cat("all entries but the first need a function: ", kFails));
    if (colon != part.npos &&
        std::ranges::find(kFunctionNames, lower(part.substr(0, colon))) == kFunctionNames.end())
      return misread(cat("\"", printable(part.substr(0, colon)), "\" is not a function: ", kFails),
                     "one of allreduce, allgather, reducescatter, broadcast, reduce");
    Judgement judgement =
        judge_list(variable, colon == part.npos ? part : part.substr(colon + 1), version, kFails);
    if (judgement.level != Level::ok) return judgement;
    first = false;
  }
  if (variable.name != "NCCL_ALGO") return {};
  const std::string names = stranded(variable, text, version);
  if (names.empty()) return {};
  return {Verdict::advice, Level::warning,
          cat("it leaves ", names,
              " without an algorithm: they fail with \"no algorithm/protocol available\" "
              "(ncclInvalidUsage)"),
          "a function in front, such as NCCL_ALGO=allreduce:tree, or nothing",
          "src/graph/tuning.cc parseList, src/enqueue.cc"};
}

}  // namespace nettune::nccl
