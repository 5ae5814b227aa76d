// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/causes.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::tools::nccl::log {

namespace {

/// Where the texts of a cause end in a message: of its ways to say it, the one that ends first.
std::size_t end_of_match(const Cause& cause, std::string_view message) {
  std::size_t first = message.npos;
  for (const std::vector<std::string>& texts : cause.any) {
    std::size_t end = 0;
    for (const std::string& text : texts) {
      const auto at = message.find(text);
      end = at == message.npos ? at : std::max(end, at + text.size());
      if (end == message.npos) break;
    }
    first = std::min(first, end);
  }
  return first;
}

/// The blank at or before `at`, where one is close; so that no word, and no letter, is cut.
std::size_t blank_before(std::string_view text, std::size_t at) {
  constexpr std::size_t kClose = 40;
  const auto blank = text.rfind(' ', at);
  if (blank != text.npos && blank + kClose >= at) return blank;
  // UTF-8: the bytes of a letter behind the first one.
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U)
    --at;
  return at;
}

constexpr std::string_view kCut = " ...";

}  // namespace

std::string begin_of(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  return cat(trim(text.substr(0, blank_before(text, longest - kCut.size()))), kCut);
}

std::uint32_t find_cause(const std::vector<Cause>& causes, Cause::By by, std::string_view message,
                         std::string_view place) {
  const auto stands = [&](const std::string& text) {
    return message.find(text) != std::string_view::npos;
  };
  const auto is_said = [&](const std::vector<std::string>& texts) {
    return std::all_of(texts.begin(), texts.end(), stands);
  };
  // "p2p.cc" is "p2p.cpp" of RCCL, and "p2p.cu" up to 2.3.
  const auto is_at = [&](std::string_view at) {
    if (at.ends_with(".cc")) at.remove_suffix(1);
    return place.find(at) != std::string_view::npos;
  };
  for (std::size_t i = 0; i < causes.size(); ++i)
    if (causes[i].by == by && is_at(causes[i].at) &&
        std::any_of(causes[i].any.begin(), causes[i].any.end(), is_said))
      return static_cast<std::uint32_t>(i);
  return UINT32_MAX;
}

std::string quote_of(std::string_view message, const Cause* cause, std::size_t longest) {
  constexpr std::string_view kGap = " ... ";
  constexpr std::size_t kBehind = 60;  // of the match
  if (message.size() <= longest) return std::string(message);
  const auto end = cause == nullptr ? message.npos : end_of_match(*cause, message);
  if (end == message.npos || end + kCut.size() <= longest) return begin_of(message, longest);
  const std::string_view front = message.substr(0, blank_before(message, longest / 3));
  std::size_t stop = std::min(end + kBehind, message.size());
  if (stop < message.size()) stop = std::max(end, blank_before(message, stop));
  const std::size_t room = longest - front.size() - kGap.size() - kCut.size();
  std::string_view rest = message.substr(0, stop);
  rest.remove_prefix(std::max(stop - std::min(room, stop), front.size()));
  // From a whole word on, where one begins before the match.
  const auto blank = rest.find(' ');
  if (blank < rest.size() / 2) rest.remove_prefix(blank + 1);
  return cat(trim(front), kGap, trim(rest), stop < message.size() ? kCut : "");
}

}  // namespace nettune::tools::nccl::log
