// SPDX-License-Identifier: Apache-2.0
#include "kinds/file/file_provider.hpp"

#include <gtest/gtest.h>

#include "kinds/common/staging.hpp"
#include "kinds/file/dir_provider.hpp"
#include "unit/kinds/file/fixture.hpp"
#include "unit/support/model_disk.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::kinds::file {
namespace {

using namespace test;

class KindsFileFileProvider : public testing::Test {
 protected:
  KindsFileFileProvider() { disk.put_directory("/etc"); }

  std::string value(const std::string& content, const std::string& mode = "0644") {
    return "sha256:" + contents.add(content) + " mode " + mode + " owner 0:0";
  }
  std::vector<Write> unit(Value before, Value after) {
    return {{kAddress, std::move(before), std::move(after)}};
  }
  bool staged() {
    return disk.info(common::temporary_path(kPath, kTransaction)).value().has_value();
  }
  std::string text() { return disk.read(kPath, 1000).value().value_or("(none)"); }

  ModelDisk disk;
  TestContents contents;
  FileProvider provider{disk};
};

TEST_F(KindsFileFileProvider, Canonical) {
  const std::string hex(64, 'a');
  const auto canonical = [&](const std::string& want) {
    auto value = provider.canonical(kAddress, want);
    return value && *value ? **value : std::string("refused");
  };
  EXPECT_EQ(canonical("sha256:" + hex + " mode 644  owner 0:0"),
            "sha256:" + hex + " mode 0644 owner 0:0");
  EXPECT_EQ(canonical("sha256:" + hex + " mode 4755 owner 10:20"),
            "sha256:" + hex + " mode 4755 owner 10:20");
  for (const std::string& bad :
       {std::string(), "sha256:" + hex, "sha256:" + hex + " mode 0888 owner 0:0",
        "sha256:" + hex + " mode 17777 owner 0:0", "sha256:" + hex + " mode 0644 owner 0",
        "sha256:" + hex + " mode 0644 owner -1:0",
        "sha256:" + hex + " mode 0644 owner 4294967295:0",
        "sha256:" + std::string(64, 'A') + " mode 0644 owner 0:0",
        "sha256:" + std::string(63, 'a') + " mode 0644 owner 0:0"}) {
    EXPECT_EQ(canonical(bad), "refused") << bad;
  }
  EXPECT_EQ(provider.canonical(kAddress, {}).value(), Value());
  for (const char* const bad : {"file:", "file:/", "file:x", "file:/etc/../x", "file:/etc//x",
                                "file:/etc/", "file:/etc/a\nb", "file:/etc/x#y", "file:/./x"}) {
    EXPECT_FALSE(provider.canonical(Address{bad}, {})) << bad;
  }
}

TEST_F(KindsFileFileProvider, ReadsWhatItWrote) {
  const std::string wanted = value("hello\n", "0600");
  ASSERT_TRUE(provider.write(unit({}, wanted), contents, kTransaction));
  EXPECT_EQ(read_one(provider, kAddress.text).presence, Presence::absent);
  EXPECT_TRUE(staged());
  ASSERT_TRUE(provider.place(unit({}, wanted), kTransaction));
  const Reading now = read_one(provider, kAddress.text);
  EXPECT_EQ(now.value(), wanted);
  EXPECT_EQ(now.content, "hello\n");
  EXPECT_FALSE(staged());
  EXPECT_EQ(provider.canonical(kAddress, now.value()).value(), now.value());
  EXPECT_EQ(provider.directory(kAddress), "/etc");
}

TEST_F(KindsFileFileProvider, PlaceCanBeRepeated) {
  const std::string wanted = value("hello\n");
  ASSERT_TRUE(provider.write(unit({}, wanted), contents, kTransaction));
  ASSERT_TRUE(provider.place(unit({}, wanted), kTransaction));
  ASSERT_TRUE(provider.place(unit({}, wanted), kTransaction));
  EXPECT_EQ(text(), "hello\n");
  ASSERT_TRUE(provider.place(unit(wanted, {}), kTransaction));
  ASSERT_TRUE(provider.place(unit(wanted, {}), kTransaction));
  EXPECT_EQ(text(), "(none)");
}

TEST_F(KindsFileFileProvider, DiscardLeavesNothing) {
  const std::string before = disk.tree("/");
  ASSERT_TRUE(provider.write(unit({}, value("hello\n")), contents, kTransaction));
  ASSERT_TRUE(provider.discard(unit({}, value("hello\n")), kTransaction));
  ASSERT_TRUE(provider.discard(unit({}, value("hello\n")), kTransaction));
  EXPECT_EQ(disk.tree("/"), before);
}

TEST_F(KindsFileFileProvider, WhatSomebodyEditedMeanwhileStays) {
  disk.put(kPath, "old\n");
  const Value before = read_one(provider, kAddress.text).value();
  const std::string wanted = value("new\n");
  ASSERT_TRUE(provider.write(unit(before, wanted), contents, kTransaction));
  disk.put(kPath, "theirs\n");
  auto placed = provider.place(unit(before, wanted), kTransaction);
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().code, Errc::conflict);
  EXPECT_EQ(text(), "theirs\n");
  EXPECT_FALSE(staged());
  placed = provider.place(unit(before, {}), kTransaction);
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().code, Errc::conflict);
  EXPECT_EQ(text(), "theirs\n");
}

TEST_F(KindsFileFileProvider, ATemporaryOfACrashIsReplaced) {
  disk.put(common::temporary_path(kPath, kTransaction), "torn");
  const std::string wanted = value("whole\n");
  ASSERT_TRUE(provider.write(unit({}, wanted), contents, kTransaction));
  ASSERT_TRUE(provider.place(unit({}, wanted), kTransaction));
  EXPECT_EQ(text(), "whole\n");
}

TEST_F(KindsFileFileProvider, AContentThatIsNotWhatItSaysIsNotWritten) {
  class Lying final : public Contents {
    Result<std::string> get(const std::string&) const override { return std::string("evil\n"); }
  };
  const auto written = provider.write(unit({}, value("good\n")), Lying(), kTransaction);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::corrupt);
  EXPECT_FALSE(staged());
}

TEST(KindsFileFileProviderOnDisk, OnlyRegularFilesAreTouched) {
  const Scratch scratch;
  const auto disk = posix_disk();
  FileProvider provider(*disk);
  const auto reading = [&](const std::string& name) {
    return read_one(provider, "file:" + (scratch / name));
  };
  scratch.put("target", "precious\n");
  std::filesystem::create_symlink(scratch / "target", scratch / "link");
  std::filesystem::create_symlink("/nowhere", scratch / "dangling");
  ASSERT_EQ(::mkfifo((scratch / "fifo").c_str(), 0600), 0);
  scratch.make("directory");
  scratch.put("large", std::string((1 << 20) + 1, 'x'));
  for (const char* const name : {"link", "dangling", "fifo", "directory", "large"}) {
    EXPECT_EQ(reading(name).presence, Presence::not_permitted) << name;
    EXPECT_FALSE(reading(name).why.empty()) << name;
  }
  EXPECT_NE(reading("link").why.find("symbolic link"), std::string::npos);
  EXPECT_EQ(reading("absent").presence, Presence::absent);
  EXPECT_EQ(reading("no/such/directory").presence, Presence::absent);
  EXPECT_EQ(reading("target").content, "precious\n");

  // A link that somebody puts there between write and place is not followed either.
  TestContents contents;
  const std::string owner =
      " owner " + std::to_string(::geteuid()) + ":" + std::to_string(::getegid());
  const std::vector<Write> unit = {{Address{"file:" + (scratch / "new")},
                                    {},
                                    "sha256:" + contents.add("mine\n") + " mode 0644" + owner}};
  ASSERT_TRUE(provider.write(unit, contents, kTransaction));
  std::filesystem::create_symlink(scratch / "target", scratch / "new");
  EXPECT_FALSE(provider.place(unit, kTransaction));
  EXPECT_EQ(scratch.get("target"), "precious\n");
}

}  // namespace
}  // namespace nettune::kinds::file
