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

using Values = std::vector<std::pair<std::string_view, std::string_view>>;

/// The places of a pattern with what stands there in the line; none where it does not fit. A value
/// is one word.
Values values_in(std::string_view line, std::string_view pattern) {
  constexpr std::size_t kLongest = 100;
  Values values;
  std::string_view place;
  for (std::size_t at = 0;;) {
    const auto brace = pattern.find('{');
    const auto found = line.find(pattern.substr(0, brace), at);
    if (found == line.npos) return {};
    const std::string_view value = line.substr(at, found - at);
    const bool is_word =
        !value.empty() && value.size() <= kLongest && value.find(' ') == value.npos;
    if (!place.empty() && !is_word) return {};
    if (!place.empty()) values.emplace_back(place, value);
    if (brace == pattern.npos) return values;
    at = found + brace;
    const auto end = pattern.find('}', brace);
    place = pattern.substr(brace + 1, end - brace - 1);
    pattern.remove_prefix(end + 1);
  }
}

std::string told(const Values& values, std::string_view as) {
  std::string text(as);
  for (const auto& [place, value] : values) {
    const std::string name = cat("{", place, "}");
    if (as.empty())
      text += cat(text.empty() ? "" : ", ", place, " ", value);
    else if (const auto at = text.find(name); at != text.npos)
      text.replace(at, name.size(), value);
  }
  return text;
}

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

std::uint32_t find_recognised(const std::vector<Cause>& causes, std::string_view recogniser) {
  const auto found = std::ranges::find(causes, recogniser, &Cause::recogniser);
  return found == causes.end() ? UINT32_MAX : static_cast<std::uint32_t>(found - causes.begin());
}

std::string shown_in(const Cause& cause, std::string_view line) {
  for (const Shown& one : cause.shows)
    if (const Values values = values_in(line, one.pattern); !values.empty())
      return told(values, one.as);
  return {};
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
