// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/call_stack.hpp"

#include <utility>

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"
#include "tools/nccl/log/job/frames.hpp"
#include "tools/nccl/log/lines.hpp"
#include "tools/nccl/log/voice.hpp"

namespace nettune::tools::nccl::log::job {

namespace {

/// The last call of this rank of which a time-out was said.
Wait* last_wait_of(Log& log, std::uint32_t rank) {
  for (auto wait = log.waits.upper_bound({true, rank, UINT64_MAX}); wait != log.waits.begin();) {
    --wait;
    if (!wait->second.of_job || wait->second.rank != rank) break;
    if (!wait->second.failed && wait->second.timeout_ms != 0) return &wait->second;
  }
  return nullptr;
}

}  // namespace

bool CallStack::take(std::string_view line) {
  constexpr std::size_t kLongest = 400;
  if (line.find("] Stack trace of the failed collective: ") != line.npos) {
    // Whose frames follow several of these lines is not known.
    const bool is_mixed = mixed_ || (wait_ != nullptr && next_ == 0);
    end_file();
    mixed_ = is_mixed;
    const auto rank = rank_in_front(line);
    wait_ = rank && !mixed_ ? last_wait_of(log_, *rank) : nullptr;
    return true;
  }
  if (!waits()) return false;
  const std::string_view text = without_plain_label(line);
  Cursor at(text);
  const auto number = at.skip("#") ? at.number() : std::nullopt;
  const auto from = text.find(" from ");
  if (!number || !at.skip(" ") || from == text.npos) {
    end_file();
    return false;
  }
  mixed_ = mixed_ || *number != next_;
  if (mixed_) {
    wait_ = nullptr;
    return true;
  }
  ++next_;
  const std::string_view place = trim(text.substr(from + 6)).substr(0, kLongest);
  const std::size_t begin = text.size() - at.rest().size();
  if (called_.empty() && begin < from && !is_of_library(place))
    called_ = frame_text(text.substr(begin, from - begin).substr(0, kLongest), place);
  return true;
}

void CallStack::end_file() {
  std::string called = std::exchange(called_, {});
  next_ = 0;
  mixed_ = false;
  if (Wait* const wait = std::exchange(wait_, nullptr); wait != nullptr)
    wait->called = std::move(called);
}

}  // namespace nettune::tools::nccl::log::job
