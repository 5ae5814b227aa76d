// SPDX-License-Identifier: Apache-2.0
#include "kernel/sysctl_key.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::kernel {
namespace {

/// Longer than any path below /proc/sys; a limit for input, not the kernel's.
constexpr std::size_t kMaxKeyBytes = 1024;
/// NAME_MAX: no directory entry is longer.
constexpr std::size_t kMaxPartBytes = 255;

std::string swap_separators(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c == '.') {
      c = '/';
    } else if (c == '/') {
      c = '.';
    }
  }
  return out;
}

Failure refuse(std::string_view typed, std::string_view why) {
  return fail(Errc::invalid, cat("sysctl key \"", printable(typed.substr(0, 80)), "\" ", why));
}

}  // namespace

Result<std::string> canonical_sysctl_key(std::string_view typed) {
  if (typed.empty()) return refuse(typed, "is empty");
  if (typed.size() > kMaxKeyBytes)
    return refuse(typed, cat("is longer than ", kMaxKeyBytes, " bytes"));
  if (has_control_characters(typed)) return refuse(typed, "contains control characters");
  if (typed.find(' ') != std::string_view::npos) return refuse(typed, "contains a blank");
  if (typed.front() == '/') {
    return refuse(typed, "starts with '/'; write it as net.core.rmem_max or net/core/rmem_max");
  }

  // sysctl.d(5): the first separator is the separator; the other one belongs to names.
  const std::size_t first = typed.find_first_of("./");
  const bool slashes = first != std::string_view::npos && typed[first] == '/';
  std::string key = slashes ? swap_separators(typed) : std::string(typed);

  for (const std::string_view part : split(key, '.')) {
    if (part.empty()) return refuse(typed, "has an empty name between two separators");
    if (part == "/" || part == "//") return refuse(typed, "has '.' or '..' as a name");
    if (part.size() > kMaxPartBytes) {
      return refuse(typed, cat("has a name of more than ", kMaxPartBytes, " bytes"));
    }
  }
  return key;
}

std::string sysctl_path(std::string_view canonical_key) { return swap_separators(canonical_key); }

}  // namespace nettune::kernel
