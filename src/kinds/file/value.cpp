// SPDX-License-Identifier: Apache-2.0
#include "kinds/file/value.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "base/text.hpp"

namespace nettune::kinds::file {
namespace {

constexpr std::string_view kForm = "\"sha256:<64 hex digits> mode 0644 owner 0:0\"";

std::optional<std::uint32_t> parse_number(std::string_view text, int base) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<FileValue> parse(std::string_view text) {
  const auto part = words(text);
  if (part.size() != 5 || part[1] != "mode" || part[3] != "owner") return std::nullopt;
  FileValue value;
  if (!part[0].starts_with("sha256:")) return std::nullopt;
  value.digest = part[0].substr(7);
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (value.digest.size() != 64 || !std::ranges::all_of(value.digest, is_hex)) {
    return std::nullopt;
  }
  const auto mode = parse_number(part[2], 8);
  const auto owner = split(part[4], ':');
  if (!mode || *mode > 07777 || owner.size() != 2) return std::nullopt;
  const auto uid = parse_number(owner[0], 10);
  const auto gid = parse_number(owner[1], 10);
  // To chown(2) the highest number means "do not change".
  constexpr std::uint32_t kKeep = std::numeric_limits<std::uint32_t>::max();
  if (!uid || !gid || *uid == kKeep || *gid == kKeep) return std::nullopt;
  value.mode = *mode;
  value.uid = *uid;
  value.gid = *gid;
  return value;
}

}  // namespace

std::string text_of(const FileValue& value) {
  std::string octal(4, '0');
  for (std::uint32_t rest = value.mode, i = 4; i-- > 0; rest >>= 3U) {
    octal[i] = static_cast<char>('0' + (rest & 7U));
  }
  return cat("sha256:", value.digest, " mode ", octal, " owner ", value.uid, ':', value.gid);
}

Result<FileValue> parse_file_value(std::string_view whose, std::string_view text) {
  auto parsed = parse(text);
  if (!parsed) {
    return fail(Errc::invalid, cat("the value of ", whose, " is \"", printable(text),
                                   "\"; write it like ", kForm));
  }
  return std::move(*parsed);
}

}  // namespace nettune::kinds::file
