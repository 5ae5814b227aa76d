// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.hpp"
#include "base/digest.hpp"
#include "base/disk.hpp"
#include "base/nearest.hpp"
#include "base/walk.hpp"

namespace nettune::inline base {
namespace {

TEST(BaseText, ParsesOnlyWholeDecimalIntegers) {
  EXPECT_EQ(parse_int("42"), 42);
  EXPECT_EQ(parse_int("-7"), -7);
  EXPECT_EQ(parse_int("9223372036854775807"), INT64_MAX);
  for (const char* const text : {"", "+1", " 1", "1 ", "0x10", "1e3", "9223372036854775808", "--1"})
    EXPECT_FALSE(parse_int(text)) << text;
}

TEST(BaseText, ComparesIntegersOfAnyLength) {
  EXPECT_LT(compare_integers("9", "10"), 0);
  EXPECT_GT(compare_integers("18446744073709551616", "18446744073709551615"), 0);
  EXPECT_EQ(compare_integers("007", "7"), 0);
  EXPECT_EQ(compare_integers("-0", "0"), 0);
  EXPECT_LT(compare_integers("-10", "-9"), 0);
  EXPECT_LT(compare_integers("-1", "0"), 0);
}

TEST(BaseText, MatchesGlobs) {
  EXPECT_TRUE(glob_match("ens*np?", "ens1f0np0"));
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_FALSE(glob_match("eth?", "eth"));
  EXPECT_FALSE(glob_match("a*b*c", "ab"));
  EXPECT_TRUE(glob_match("ens[12]f[!1]*", "ens1f0np0"));
  EXPECT_FALSE(glob_match("ens[12]f[!1]*", "ens1f1np1"));
  EXPECT_TRUE(glob_match("a*b*c", "abbbc"));
  EXPECT_FALSE(glob_match(std::string(200, '*') + "x", std::string(2000, 'y')));
}

TEST(BaseText, FindsTheWordThatWasMeant) {
  const std::vector<std::string> words = {"sysctl", "link", "modules"};
  EXPECT_EQ(nearest("sysclt", words), "sysctl");
  EXPECT_EQ(nearest("module", words), "modules");
  EXPECT_EQ(nearest("firewall", words), std::nullopt);
}

/// The edit distance as it is defined, with nothing left out.
std::size_t plain_distance(const std::string& left, const std::string& right) {
  std::vector<std::vector<std::size_t>> table(left.size() + 1,
                                              std::vector<std::size_t>(right.size() + 1));
  for (std::size_t i = 0; i <= left.size(); ++i)
    for (std::size_t j = 0; j <= right.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      const std::size_t changed = table[i - 1][j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      table[i][j] = std::min({changed, table[i - 1][j] + 1, table[i][j - 1] + 1});
    }
  return table[left.size()][right.size()];
}

std::optional<std::string> plain_nearest(const std::string& word,
                                         const std::vector<std::string>& names) {
  std::size_t best = 1 + std::max<std::size_t>(2, word.size() / 3);
  std::optional<std::string> found;
  for (const std::string& name : names)
    if (const std::size_t distance = plain_distance(word, name); distance < best) {
      best = distance;
      found = name;
    }
  return found;
}

/// It leaves out what cannot be near: with words of few letters, many of which are, and with names
/// that were altered.
TEST(BaseText, FindsTheSameNameAsThePlainAlgorithm) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t end) { return random() % end; };
  const auto word = [&](std::size_t letters) {
    std::string text;
    for (std::size_t i = below(30); i > 0; --i) text += static_cast<char>('A' + below(letters));
    return text;
  };
  std::size_t found = 0;
  for (const std::size_t letters : {2U, 5U, 26U, 58U}) {
    std::vector<std::string> names = {"", std::string(300, 'A')};
    for (int i = 0; i < 60; ++i) names.push_back("NCCL_" + word(letters));
    const NearNames near(names);
    for (int i = 0; i < 300; ++i) {
      std::string asked = i % 2 == 0 ? "NCCL_" + word(letters) : names[2 + below(60)];
      for (std::size_t edits = below(6); edits > 0 && !asked.empty(); --edits)
        asked.replace(below(asked.size()), below(3), below(2) == 0 ? "" : word(letters));
      if (asked.empty()) continue;
      EXPECT_EQ(near.nearest(asked), plain_nearest(asked, names)) << asked;
      found += near.nearest(asked).has_value() ? 1 : 0;
    }
  }
  EXPECT_GT(found, 300U);
  EXPECT_LT(found, 1100U);
  const std::vector<std::string> long_names = {std::string(256, 'A') + "B", std::string(255, 'A')};
  EXPECT_EQ(NearNames(long_names).nearest(std::string(256, 'A')), long_names[1]);
  EXPECT_EQ(NearNames(long_names).nearest(std::string(257, 'A')), std::nullopt);
  EXPECT_EQ(NearNames(long_names).nearest(""), std::nullopt);
}

TEST(BaseText, SplitsAndPrints) {
  EXPECT_EQ(split("a,,b", ',').size(), 3U);
  EXPECT_TRUE(split("", ',').empty());
  EXPECT_EQ(words(" 4096\t131072 6\n").size(), 3U);
  EXPECT_EQ(printable("a\x1b[31m\n"), "a\\x1b[31m\\n");
}

TEST(BaseText, HidesNothingFromATerminal) {
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b"
            "31m");
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\xe2\\x80\\xae"
            "b");
  EXPECT_EQ(printable("Grüße"), "Grüße");
  EXPECT_EQ(printable("\xff\xc0\x80"), "\\xff\\xc0\\x80");
  EXPECT_TRUE(has_control_characters("\xc2\x9b"));
  EXPECT_TRUE(has_control_characters("\xe2\x81\xa6"));
  EXPECT_TRUE(has_control_characters("cut \xe2\x82"));
  EXPECT_FALSE(has_control_characters("Grüße, 日本"));
}

TEST(BaseDigest, KnowsPublishedVectors) {
  // FIPS 180-4 and RFC 3720, appendix B.4.
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43U);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c("6789", crc32c("12345")), 0xE3069283U);
}

class BasePosixDisk : public testing::Test {
 protected:
  BasePosixDisk() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nettune-disk-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
  }
  ~BasePosixDisk() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  std::string directory_;
  std::unique_ptr<Disk> disk_ = posix_disk();
};

TEST_F(BasePosixDisk, WritesWithExactModeAndReadsBack) {
  const mode_t before = ::umask(0077);
  ASSERT_TRUE(write_new_file(*disk_, path("a"), "content", 0644, ::geteuid(), ::getegid()));
  ::umask(before);
  const auto info = disk_->info(path("a"));
  ASSERT_TRUE(info && *info);
  EXPECT_EQ((*info)->mode, 0644U);
  EXPECT_EQ((*info)->size, 7U);
  EXPECT_EQ(**disk_->read(path("a"), 7), "content");
  EXPECT_FALSE(disk_->read(path("a"), 6));
  EXPECT_FALSE(disk_->create(path("a"), 0644, ::geteuid(), ::getegid()));
}

TEST_F(BasePosixDisk, MakesADirectoryOfItsModeWhateverTheUmask) {
  for (const std::uint32_t mode : {0700U, 0755U}) {
    const mode_t before = ::umask(0277);
    const auto made = disk_->make_directory(path(mode_text(mode)), mode);
    ::umask(before);
    ASSERT_TRUE(made) << made.error().text;
    EXPECT_EQ((**disk_->info(path(mode_text(mode)))).mode, mode);
  }
}

TEST_F(BasePosixDisk, NeverFollowsALink) {
  ASSERT_TRUE(write_new_file(*disk_, path("target"), "x", 0644, ::geteuid(), ::getegid()));
  ASSERT_EQ(::symlink("target", path("link").c_str()), 0);
  EXPECT_EQ((**disk_->info(path("link"))).kind, FileInfo::Kind::symlink);
  EXPECT_FALSE(disk_->read(path("link"), 100));
  EXPECT_FALSE(disk_->create(path("link"), 0644, ::geteuid(), ::getegid()));
  EXPECT_FALSE(disk_->extend(path("link"), 0));
}

TEST_F(BasePosixDisk, DoesNotHangOnAFifo) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_FALSE(disk_->read(path("fifo"), 100));
}

TEST_F(BasePosixDisk, SaysAbsentInsteadOfFailing) {
  EXPECT_EQ(*disk_->info(path("none")), std::nullopt);
  EXPECT_EQ(*disk_->read(path("none"), 1), std::nullopt);
  EXPECT_TRUE(disk_->list(path("none"))->empty());
  EXPECT_TRUE(disk_->remove(path("none")));
  EXPECT_TRUE(disk_->remove_directory(path("none")));
}

TEST_F(BasePosixDisk, CutsATailAndGoesOn) {
  ASSERT_TRUE(write_new_file(*disk_, path("a"), "12345", 0600, ::geteuid(), ::getegid()));
  {
    auto file = disk_->extend(path("a"), 3);
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->append("x"));
    ASSERT_TRUE((*file)->sync());
  }
  EXPECT_EQ(**disk_->read(path("a"), 100), "123x");
}

TEST_F(BasePosixDisk, RemovesOnlyEmptyDirectories) {
  ASSERT_TRUE(disk_->make_directory(path("d"), 0755));
  ASSERT_TRUE(disk_->make_directory(path("d"), 0755));
  ASSERT_TRUE(write_new_file(*disk_, path("d/a"), "", 0600, ::geteuid(), ::getegid()));
  ASSERT_TRUE(disk_->remove_directory(path("d")));
  EXPECT_EQ(disk_->list(path("d"))->size(), 1U);
  ASSERT_TRUE(disk_->remove(path("d/a")));
  ASSERT_TRUE(disk_->remove_directory(path("d")));
  EXPECT_EQ(*disk_->info(path("d")), std::nullopt);
}

}  // namespace
}  // namespace nettune::inline base
