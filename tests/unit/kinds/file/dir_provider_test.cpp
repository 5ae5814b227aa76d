// SPDX-License-Identifier: Apache-2.0
#include "kinds/file/dir_provider.hpp"

#include <gtest/gtest.h>

#include "kinds/file/file_provider.hpp"
#include "unit/kinds/file/fixture.hpp"
#include "unit/support/model_disk.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::kinds::file {
namespace {

using namespace test;

TEST(KindsFileDirProvider, AreMadeAtOnceAndTakenBackWhenEmpty) {
  ModelDisk disk;
  disk.put_directory("/etc");
  DirProvider provider(disk);
  const std::vector<Write> make = {{Address{"dir:/etc/nettune"}, {}, "present"}};
  const std::vector<Write> remove = {{Address{"dir:/etc/nettune"}, "present", {}}};
  const TestContents contents;
  EXPECT_EQ(read_one(provider, "dir:/etc/nettune").presence, Presence::absent);
  ASSERT_TRUE(provider.write(make, contents, kTransaction));
  EXPECT_EQ(read_one(provider, "dir:/etc/nettune").value(), "present");
  ASSERT_TRUE(provider.discard(make, kTransaction));
  EXPECT_EQ(read_one(provider, "dir:/etc/nettune").presence, Presence::absent);

  ASSERT_TRUE(provider.write(make, contents, kTransaction));
  ASSERT_TRUE(provider.place(make, kTransaction));
  disk.put("/etc/nettune/theirs", "x");
  ASSERT_TRUE(provider.write(remove, contents, kTransaction));
  ASSERT_TRUE(provider.place(remove, kTransaction));
  EXPECT_EQ(read_one(provider, "dir:/etc/nettune").value(), "present") << "somebody uses it";
  ASSERT_TRUE(disk.remove("/etc/nettune/theirs"));
  ASSERT_TRUE(provider.place(remove, kTransaction));
  ASSERT_TRUE(provider.place(remove, kTransaction));
  EXPECT_EQ(read_one(provider, "dir:/etc/nettune").presence, Presence::absent);
}

TEST(KindsFileDirProvider, OneThatWasThereIsNotTaken) {
  ModelDisk disk;
  disk.put_directory("/etc");
  disk.put_directory("/etc/nettune");
  DirProvider provider(disk);
  const std::vector<Write> same = {{Address{"dir:/etc/nettune"}, "present", "present"}};
  ASSERT_TRUE(provider.discard(same, kTransaction));
  EXPECT_EQ(read_one(provider, "dir:/etc/nettune").value(), "present");
  EXPECT_EQ(provider.needs(Address{"dir:/etc/a/b"}), std::vector<Address>{Address{"dir:/etc/a"}});
  EXPECT_FALSE(provider.canonical(Address{"dir:/etc/../x"}, "present"));
  EXPECT_FALSE(provider.canonical(Address{"dir:/etc/x"}, "there"));
}

TEST(KindsFileDirProvider, ALinkToADirectoryIsOneAndAFileIsNot) {
  const Scratch scratch;
  const auto disk = posix_disk();
  DirProvider provider(*disk);
  scratch.make("real");
  scratch.put("file", "x");
  std::filesystem::create_symlink(scratch / "real", scratch / "link");
  std::filesystem::create_symlink(scratch / "file", scratch / "to-file");
  EXPECT_EQ(read_one(provider, "dir:" + (scratch / "link")).value(), "present");
  EXPECT_EQ(read_one(provider, "dir:" + (scratch / "file")).presence, Presence::not_permitted);
  EXPECT_NE(read_one(provider, "dir:" + (scratch / "to-file")).presence, Presence::present);
}

}  // namespace
}  // namespace nettune::kinds::file
