// SPDX-License-Identifier: Apache-2.0
#include "node/output_file.hpp"

#include <array>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::node {
namespace {

using namespace test;

struct stat look(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status;
}

std::size_t entries(const Scratch& scratch) {
  const std::filesystem::directory_iterator all(scratch.path());
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST(NodeOutputFile, ANewFileHasTheModeAndAnOldOneKeepsItsOwn) {
  const Scratch scratch;
  ASSERT_TRUE(write_output_file(scratch / "new", "one", 0600));
  EXPECT_EQ(scratch.get("new"), "one");
  EXPECT_EQ(look(scratch / "new").st_mode & 07777U, 0600U);
  scratch.put("old", "much longer than what comes", 0640);
  const auto before = look(scratch / "old").st_ino;
  ASSERT_TRUE(write_output_file(scratch / "old", "two", 0600));
  EXPECT_EQ(scratch.get("old"), "two");
  EXPECT_EQ(look(scratch / "old").st_mode & 07777U, 0640U);
  EXPECT_NE(look(scratch / "old").st_ino, before) << "no reader may see half of it";
  EXPECT_EQ(entries(scratch), 2U);
}

TEST(NodeOutputFile, APipeIsWrittenToAndStays) {
  const Scratch scratch;
  const std::string pipe = scratch / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const UniqueFd reader(::open(pipe.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(check_output_file(pipe));
  ASSERT_TRUE(write_output_file(pipe, "text", 0600));
  std::array<char, 16> buffer{};
  ASSERT_EQ(::read(reader.get(), buffer.data(), buffer.size()), 4);
  EXPECT_EQ(std::string(buffer.data(), 4), "text");
  EXPECT_TRUE(S_ISFIFO(look(pipe).st_mode));
  EXPECT_EQ(entries(scratch), 1U);
}

TEST(NodeOutputFile, ADescriptorIsWrittenToWhereItsOwnerIsInIt) {
  const Scratch scratch;
  scratch.put("log", "before\n");
  const UniqueFd log(::open((scratch / "log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  for (const char* const directory : {"/dev/fd/", "/proc/self/fd/"})
    ASSERT_TRUE(write_output_file(cat(directory, log.get()), "text\n", 0600)) << directory;
  EXPECT_EQ(scratch.get("log"), "before\ntext\ntext\n");
  EXPECT_FALSE(write_output_file("/dev/fd/999999", "text", 0600));
  EXPECT_FALSE(write_output_file("/proc/self/exe", "text", 0600));
}

TEST(NodeOutputFile, AnOwnLinkIsFollowedAndStays) {
  const Scratch scratch;
  scratch.put("real/file", "old", 0644);
  ASSERT_EQ(::symlink("file", (scratch / "real/link").c_str()), 0);
  ASSERT_EQ(::symlink((scratch / "real").c_str(), (scratch / "way").c_str()), 0);
  ASSERT_EQ(::symlink("missing", (scratch / "real/dangling").c_str()), 0);
  ASSERT_EQ(::symlink("round", (scratch / "round").c_str()), 0);
  ASSERT_TRUE(write_output_file(scratch / "way/link", "new", 0600));
  EXPECT_EQ(scratch.get("real/file"), "new");
  EXPECT_TRUE(S_ISLNK(look(scratch / "real/link").st_mode));
  ASSERT_TRUE(write_output_file(scratch / "way/dangling", "made", 0600));
  EXPECT_EQ(scratch.get("real/missing"), "made");
  EXPECT_FALSE(write_output_file(scratch / "round", "x", 0600));
}

TEST(NodeOutputFile, WhatIsNoFileIsRefusedAndStays) {
  const Scratch scratch;
  scratch.make("directory");
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (scratch / "socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  for (const char* const name : {"directory", "directory/", "directory/.", "directory/..", "socket",
                                 "missing/file", "socket/file"}) {
    const auto written = write_output_file(scratch / name, "x", 0600);
    ASSERT_FALSE(written) << name;
    EXPECT_NE(written.error().text.find(scratch.path()), std::string::npos) << written.error().text;
    EXPECT_FALSE(check_output_file(scratch / name)) << name;
  }
  EXPECT_TRUE(S_ISSOCK(look(scratch / "socket").st_mode));
  EXPECT_EQ(entries(scratch), 2U);
}

TEST(NodeOutputFile, TheCheckLeavesNothing) {
  const Scratch scratch;
  ASSERT_TRUE(check_output_file(scratch / "file"));
  EXPECT_EQ(entries(scratch), 0U);
}

}  // namespace
}  // namespace nettune::node
