// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/timeline.hpp"

#include <algorithm>
#include <utility>

namespace nettune::tools::nccl::log {

void Timeline::add(Kind kind, std::uint64_t line) {
  constexpr std::size_t kMostSpans = 8192;
  auto& spans = spans_[static_cast<std::size_t>(kind)];
  // Runs of nccl-tests are told apart.
  const bool is_run = kind == Kind::tests_begin || kind == Kind::tests_good;
  const bool goes_on = std::exchange(added_, kind) == kind && !is_run;
  if (!spans.empty() && (goes_on || spans.size() == kMostSpans))
    spans.back().last = line;
  else
    spans.push_back({line, line});
}

std::uint64_t Timeline::next(Kind kind, std::uint64_t line) const {
  const auto found = std::ranges::upper_bound(of(kind), line, {}, &Span::last);
  if (found == of(kind).end()) return 0;
  return found->first > line ? found->first : found->last;
}

bool Timeline::has_between(Kind kind, std::uint64_t begin, std::uint64_t end) const {
  const auto found = std::ranges::lower_bound(of(kind), begin, {}, &Span::last);
  return found != of(kind).end() && found->first < end;
}

}  // namespace nettune::tools::nccl::log
