// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/reader/ring_list.hpp"

#include <set>

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"

namespace nettune::tools::nccl::log::reader {

void RingList::take(std::string_view message) {
  constexpr std::size_t kMostListed = 20;
  Cursor front(message);
  if (!front.skip("Channel ")) return;
  if (!front.number() || (front.skip("/") && !front.number()) || !front.skip(" :")) return;
  std::set<std::uint32_t> ranks;
  std::size_t count = 0;
  for (const std::string_view word : words(front.rest())) {
    Cursor number(word);
    const auto rank = number.number();
    if (!rank || !number.at_end() || ++count == kMostListed) return;
    ranks.insert(*rank);
  }
  if (count < 2 || ranks.size() != count || *ranks.rbegin() + 1 != count) return;
  log_.rings.insert(static_cast<std::uint32_t>(count));
  ranks_ = static_cast<std::uint32_t>(count);
  line_ = position_.line();
}

void RingList::take_next(std::string_view line) {
  const bool is_rest = position_.line() == line_ + 1 && !trim(line).empty() &&
                       line.find_first_not_of(" 0123456789") == line.npos;
  if (is_rest) log_.rings.erase(ranks_);
  ranks_ = 0;
}

}  // namespace nettune::tools::nccl::log::reader
