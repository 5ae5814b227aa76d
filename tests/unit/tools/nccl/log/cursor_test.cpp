// SPDX-License-Identifier: Apache-2.0
//
// Numbers are read eight bytes at once: here against the same digit by digit.
#include "tools/nccl/log/cursor.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <string>

namespace nettune::tools::nccl::log {
namespace {

std::optional<std::uint32_t> read_by_digit(std::string_view text) {
  std::uint32_t value = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    if (digits == 9) return {};
    value = value * 10 + static_cast<std::uint32_t>(text[digits] - '0');
  }
  return digits == 0 ? std::nullopt : std::optional(value);
}

TEST(NcclLogCursor, ANumberOfAnyLengthIsReadWhateverStandsBehindIt) {
  for (const std::string digits :
       {"", "0", "7", "42", "907", "1024", "00012", "655360", "1234567", "12345678", "99999999",
        "123456789", "999999999", "1234567890", "12345678901234567890"})
    for (int byte = 0; byte < 256; ++byte)
      for (std::size_t behind = 0; behind < 10; ++behind) {
        const std::string text = digits + std::string(behind, static_cast<char>(byte));
        Cursor at(text);
        const auto expected = read_by_digit(text);
        ASSERT_EQ(at.number(), expected) << text << ", byte " << byte;
        const auto end = text.find_first_not_of("0123456789");
        const std::size_t read = expected ? std::min(end, text.size()) : 0;
        ASSERT_EQ(at.rest(), std::string_view(text).substr(read)) << text << ", byte " << byte;
      }
}

TEST(NcclLogCursor, AWordIsFoundWhereFindFindsIt) {
  for (const std::string_view text : {"", " ", " rank", "rank ", " rank ", "  rank 3",
                                      "rank rank 3", "my-rank 3 rank 4", " ran k rank", "x rank"})
    for (std::size_t from = 0; from < 12; ++from) {
      EXPECT_EQ(find_word(text, " rank", from), text.find(" rank", from)) << text << " " << from;
      EXPECT_EQ(find_word(text, "rank ", from), text.find("rank ", from)) << text << " " << from;
    }
}

}  // namespace
}  // namespace nettune::tools::nccl::log
