// SPDX-License-Identifier: Apache-2.0
#include "nccl/version.hpp"

#include <charconv>

#include "base/text.hpp"

namespace nettune::nccl {
namespace {

/// Removes digits from the start of `text`; nothing for none, or for more than four.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || number < 0 || length > 4) return {};
  text.remove_prefix(length);
  return number;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string Version::text() const { return cat(major, ".", minor, ".", patch); }

std::optional<Version> parse_version(std::string_view text) {
  take(text, 'v');
  const auto major = take_number(text);
  if (!major || !take(text, '.')) return {};
  const auto minor = take_number(text);
  if (!minor || !take(text, '.')) return {};
  const auto patch = take_number(text);
  if (!patch) return {};
  if (!text.empty() && text.front() != '-' && text.front() != '+') return {};
  return Version{*major, *minor, *patch};
}

}  // namespace nettune::nccl
