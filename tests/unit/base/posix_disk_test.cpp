// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk.hpp"
#include "base/text.hpp"
#include "base/walk.hpp"

namespace nettune::inline base {
namespace {

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
