// SPDX-License-Identifier: Apache-2.0
#include "base/walk.hpp"

#include <atomic>
#include <cstdio>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "base/disk.hpp"
#include "base/one_pass.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::inline base {
namespace {

using namespace test;

/// A directory of ours beside one that nettune must not get to.
class BaseWalk : public testing::Test {
 protected:
  BaseWalk() {
    scratch.make("ours");
    scratch.put("victim/file", "theirs");
  }
  void refuse_all(const std::string& directory, const std::string& word) {
    const std::string file = scratch / (directory + "/file");
    const std::string other = scratch / (directory + "/other");
    const auto say = [&](const auto& result) {
      ASSERT_FALSE(result);
      EXPECT_EQ(result.error().code, Errc::conflict) << result.error().text;
      EXPECT_NE(result.error().text.find(word), std::string::npos) << result.error().text;
    };
    say(disk->info(file));
    say(disk->read(file, 100));
    say(disk->load(file, 100));
    say(disk->list(other));
    say(disk->create(other, 0644, ::geteuid(), ::getegid()));
    say(disk->rename(scratch / "ours/from", file));
    say(disk->rename(file, scratch / "ours/to"));
    say(disk->remove(file));
    say(disk->make_directory(other, 0755));
    say(disk->remove_directory(other));
    say(disk->sync_directory(scratch / directory));
    EXPECT_NE(disk->write_barrier(scratch / directory).find(word), std::string::npos);
    EXPECT_EQ(scratch.get("victim/file"), "theirs");
    EXPECT_EQ(posix_disk()->list(scratch / "victim")->size(), 1U);
  }

  Scratch scratch;
  std::unique_ptr<Disk> disk = roots_disk(::geteuid());
};

TEST_F(BaseWalk, DoesWhatTheOtherDoesInADirectoryOfItsOwn) {
  const std::string path = scratch / "ours/d/file";
  ASSERT_TRUE(disk->make_directory(scratch / "ours/d", 0755));
  EXPECT_FALSE(disk->info(scratch / "ours/missing/file").value());
  EXPECT_TRUE(disk->remove(scratch / "ours/missing/file"));
  ASSERT_TRUE(write_new_file(*disk, path, "text", 0640, ::geteuid(), ::getegid()));
  ASSERT_TRUE(disk->rename(path, scratch / "ours/file"));
  EXPECT_EQ(disk->read(scratch / "ours/file", 100).value(), "text");
  EXPECT_EQ(disk->info(scratch / "ours/file").value()->mode, 0640U);
  EXPECT_EQ(disk->list(scratch / "ours").value(), (std::vector<std::string>{"d", "file"}));
  ASSERT_TRUE(disk->remove_directory(scratch / "ours/d"));
  ASSERT_TRUE(disk->remove(scratch / "ours/file"));
  EXPECT_EQ(disk->write_barrier(scratch / "ours"), "");
}

TEST_F(BaseWalk, OnePassChecksEachDirectoryOfItsPathsOnce) {
  scratch.put("ours/deep/a", "a");
  scratch.put("ours/deep/b", "b");
  scratch.put("ours/c", "c");
  OnePass pass(*disk);
  EXPECT_EQ(pass.disk().read(scratch / "ours/deep/a", 100).value(), "a");
  // Only root can do that. The pass goes on where it was; a walk of its own sees it.
  scratch.put("ours/new/b", "other");
  ASSERT_EQ(::rename((scratch / "ours/deep").c_str(), (scratch / "ours/old").c_str()), 0);
  ASSERT_EQ(::rename((scratch / "ours/new").c_str(), (scratch / "ours/deep").c_str()), 0);
  EXPECT_EQ(pass.disk().read(scratch / "ours/deep/b", 100).value(), "b");
  EXPECT_EQ(disk->read(scratch / "ours/deep/b", 100).value(), "other");
  // After another path the directory is opened anew.
  EXPECT_EQ(pass.disk().read(scratch / "ours/c", 100).value(), "c");
  EXPECT_EQ(pass.disk().read(scratch / "ours/deep/b", 100).value(), "other");
  EXPECT_FALSE(pass.disk().read(scratch / "ours/deep/missing", 100).value());
  EXPECT_FALSE(pass.disk().info(scratch / "ours/missing/b").value());
  EXPECT_EQ(pass.disk().load(scratch / "ours/deep/b", 100).value()->content, "other");
}

TEST_F(BaseWalk, OnePassTrustsNoMoreThanAWalk) {
  scratch.put("ours/sticky/deep/a", "a");
  scratch.put("ours/sticky/b", "b");
  ASSERT_EQ(::chmod((scratch / "ours/sticky").c_str(), 01777), 0);
  ASSERT_EQ(::symlink("../victim", (scratch / "ours/way").c_str()), 0);
  OnePass pass(*disk);
  // On the way a sticky directory is harmless; a file in it is anybody's, also on the second look.
  EXPECT_EQ(pass.disk().read(scratch / "ours/sticky/deep/a", 100).value(), "a");
  for (int i = 0; i < 2; ++i) {
    const auto refused = pass.disk().read(scratch / "ours/sticky/b", 100);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::conflict) << refused.error().text;
  }
  EXPECT_EQ(pass.disk().read(scratch / "ours/sticky/deep/a", 100).value(), "a");
  ASSERT_EQ(::chmod((scratch / "victim").c_str(), 0775), 0);
  for (const char* const path : {"ours/way/file", "victim/file", "victim/file", "ours/way/file"}) {
    const auto refused = pass.disk().read(scratch / path, 100);
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().code, Errc::conflict) << refused.error().text;
  }
}

TEST_F(BaseWalk, GoesThroughNoLink) {
  ASSERT_EQ(::symlink("victim", (scratch / "way").c_str()), 0);
  refuse_all("way", "is a symbolic link to victim");
  const auto read = disk->read(scratch / "way/file", 100);
  EXPECT_NE(read.error().text.find("give the path " + scratch / "victim/file"), std::string::npos)
      << read.error().text;
}

TEST_F(BaseWalk, GoesThroughNothingThatOthersCanChange) {
  ASSERT_EQ(::chmod((scratch / "victim").c_str(), 0775), 0);
  refuse_all("victim", "chmod go-w");
  ASSERT_EQ(::chmod((scratch / "victim").c_str(), 01777), 0);
  refuse_all("victim", "chmod go-w");
  ASSERT_EQ(::chmod((scratch / "victim").c_str(), 0755), 0);
  EXPECT_EQ(disk->read(scratch / "victim/file", 100).value(), "theirs");
  ASSERT_EQ(::chmod(scratch.path().c_str(), 0777), 0);
  refuse_all("victim", scratch.path() + " is writable by users other than root");
}

TEST_F(BaseWalk, TheOwnerCounts) {
  FileInfo info{FileInfo::Kind::directory, 0755, 1000, 0, 0, 0};
  EXPECT_FALSE(check_directory(info, "/d", 0, true));
  EXPECT_TRUE(check_directory(info, "/d", 1000, false));
  info.uid = 0;
  EXPECT_TRUE(check_directory(info, "/d", 1000, false));
  info.mode = 01777;
  EXPECT_TRUE(check_directory(info, "/d", 0, true));
  EXPECT_FALSE(check_directory(info, "/d", 0, false));
}

TEST_F(BaseWalk, ALinkThatComesAndGoesLeadsNowhere) {
  ASSERT_EQ(::symlink("victim", (scratch / "way").c_str()), 0);
  const std::string ours = scratch / "ours";
  const std::string way = scratch / "way";
  std::atomic<bool> done = false;
  std::thread swapper([&] {
    while (!done) (void)::renameat2(AT_FDCWD, ours.c_str(), AT_FDCWD, way.c_str(), RENAME_EXCHANGE);
  });
  int wrote = 0;
  int refused = 0;
  for (int round = 0; round < 20000 && (round < 2000 || wrote == 0 || refused == 0); ++round) {
    const auto made = disk->create(ours + "/made", 0600, ::geteuid(), ::getegid());
    ++(made ? wrote : refused);
    (void)disk->rename(ours + "/made", ours + "/file").has_value();
    (void)disk->remove(ours + "/made").has_value();
    (void)disk->remove(ours + "/file").has_value();
    (void)disk->make_directory(ours + "/d", 0755).has_value();
    (void)disk->remove_directory(ours + "/d").has_value();
  }
  done = true;
  swapper.join();
  EXPECT_GT(wrote, 0);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(scratch.get("victim/file"), "theirs");
  EXPECT_EQ(posix_disk()->list(scratch / "victim")->size(), 1U);
}

}  // namespace
}  // namespace nettune::inline base
