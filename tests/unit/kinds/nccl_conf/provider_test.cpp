// SPDX-License-Identifier: Apache-2.0
#include "kinds/nccl_conf/provider.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <random>

#include "kinds/common/staging.hpp"
#include "kinds/nccl_conf/grammar.hpp"
#include "unit/support/model_disk.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::kinds::nccl_conf {
namespace {

using namespace test;

constexpr const char* kConfTransaction = "0123456789abcdef";
const std::string kConfPath = "/etc/nccl.conf";
using Content = std::optional<std::string>;

class KindsNcclConfProvider : public testing::Test {
 protected:
  KindsNcclConfProvider() { disk.put_directory("/etc"); }

  void have(const Content& content, std::uint32_t mode = 0644) {
    ASSERT_TRUE(disk.remove(kConfPath));
    if (content) disk.put(kConfPath, *content, mode);
  }
  Content file() { return disk.read(kConfPath, 100000).value(); }
  Value now(const std::string& name) { return read_one(provider, "nccl.conf:" + name).value(); }
  bool temporary() {
    return disk.info(common::temporary_path(kConfPath, kConfTransaction)).value().has_value();
  }

  /// A unit from what is there now to `after`, with the witnesses that the provider asks for.
  std::vector<Write> unit(const std::vector<std::pair<std::string, Value>>& after) {
    std::vector<Write> writes;
    for (const auto& [name, value] : after) {
      writes.push_back({Address{"nccl.conf:" + name}, now(name), value});
    }
    return writes;
  }
  Result<> apply(const std::vector<Write>& writes) {
    TRY(provider.write(writes, TestContents(), kConfTransaction));
    return provider.place(writes, kConfTransaction);
  }

  ModelDisk disk;
  NcclConfProvider provider{disk, kConfPath};
};

TEST_F(KindsNcclConfProvider, ReadsAll) {
  EXPECT_EQ(now("(end)"), "no file");
  EXPECT_EQ(now("NCCL_IB_TC"), Value());
  have("");
  EXPECT_EQ(now("(end)"), "empty");
  have("NCCL_IB_TC=106\nNCCL_IB_TC=1");
  EXPECT_EQ(now("(end)"), "no newline");
  EXPECT_EQ(now("NCCL_IB_TC"), "106");
  EXPECT_EQ(provider.unit(Address{"nccl.conf:A"}), provider.unit(Address{"nccl.conf:(end)"}));
}

TEST_F(KindsNcclConfProvider, CanonicalLetsEveryOldValueComeBack) {
  const auto ok = [&](const char* name, Value value) {
    return provider.canonical(Address{std::string("nccl.conf:") + name}, value).has_value();
  };
  EXPECT_TRUE(ok("A", "\"quoted\" "));
  EXPECT_TRUE(ok("A", ""));
  EXPECT_TRUE(ok("A", {}));
  EXPECT_FALSE(ok("A", "a\nb"));
  EXPECT_FALSE(ok("A=B", "x"));
  EXPECT_FALSE(ok("A=B", {}));
  EXPECT_FALSE(ok("", "x"));
  EXPECT_FALSE(ok("#A", "x"));
  EXPECT_TRUE(ok("(end)", "no file"));
  EXPECT_FALSE(ok("(end)", "anything"));
}

TEST_F(KindsNcclConfProvider, IsStagedUntilPlaced) {
  have("# mine\n", 0600);
  const auto writes = unit({{"A", "1"}});
  ASSERT_TRUE(provider.write(writes, TestContents(), kConfTransaction));
  EXPECT_EQ(file(), "# mine\n");
  EXPECT_TRUE(temporary());
  ASSERT_TRUE(provider.discard(writes, kConfTransaction));
  EXPECT_FALSE(temporary());
  ASSERT_TRUE(apply(writes));
  EXPECT_EQ(file(), "# mine\nA=1\n");
  EXPECT_EQ(disk.info(kConfPath).value()->mode, 0600U) << "the mode of the file is its owner's";
  ASSERT_TRUE(provider.place(writes, kConfTransaction)) << "a second time";
  EXPECT_FALSE(temporary());
}

TEST_F(KindsNcclConfProvider, AFileThatWeMadeGoesWithItsLastLine) {
  const auto effects = provider.effects(Address{"nccl.conf:A"}, {}, "1");
  const Witness* const end = find_witness(effects, "nccl.conf:(end)");
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(end->predicted, "newline");
  ASSERT_TRUE(apply(unit({{"A", "1"}, {"B", "2"}})));
  EXPECT_EQ(file(), "A=1\nB=2\n");
  EXPECT_EQ(disk.info(kConfPath).value()->mode, 0644U);
  ASSERT_TRUE(apply(unit({{"A", {}}, {"B", {}}, {"(end)", "no file"}})));
  EXPECT_EQ(file(), Content());
}

TEST_F(KindsNcclConfProvider, AFileThatOthersUseMeanwhileStays) {
  ASSERT_TRUE(apply(unit({{"A", "1"}})));
  have("A=1\nTHEIRS=1\n");
  ASSERT_TRUE(apply(unit({{"A", {}}, {"(end)", "no file"}})));
  EXPECT_EQ(file(), "THEIRS=1\n");
}

TEST_F(KindsNcclConfProvider, AnEndThatOthersMadeStays) {
  have("X=1");
  ASSERT_TRUE(apply(unit({{"A", "1"}})));
  EXPECT_EQ(file(), "X=1\nA=1\n");
  std::vector<Write> undo = unit({{"A", {}}, {"(end)", "no newline"}});
  ASSERT_EQ(undo[1].before, "newline");
  ASSERT_TRUE(apply(undo));
  EXPECT_EQ(file(), "X=1");
}

TEST_F(KindsNcclConfProvider, LinesOfOthersThatChangeBetweenWriteAndPlaceStay) {
  have("X=1\n");
  const auto writes = unit({{"A", "1"}});
  ASSERT_TRUE(provider.write(writes, TestContents(), kConfTransaction));
  have("X=2\n# new\n");
  ASSERT_TRUE(provider.place(writes, kConfTransaction));
  EXPECT_EQ(file(), "X=2\n# new\nA=1\n");
}

TEST_F(KindsNcclConfProvider, ALineOfOursThatSomebodySetsMeanwhileIsAConflict) {
  have("A=1\n");
  const auto writes = unit({{"A", "2"}, {"B", "3"}});
  ASSERT_TRUE(provider.write(writes, TestContents(), kConfTransaction));
  have("A=9\n");
  const auto placed = provider.place(writes, kConfTransaction);
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().code, Errc::conflict);
  EXPECT_EQ(file(), "A=9\n");
  EXPECT_FALSE(temporary());
}

TEST_F(KindsNcclConfProvider, OnlyLinesThatComeOrGoChangeTheEnd) {
  EXPECT_EQ(provider.effects(Address{"nccl.conf:A"}, "1", "2").touches.size(), 0U);
  EXPECT_EQ(provider.effects(Address{"nccl.conf:A"}, {}, "2").touches.size(), 1U);
  const Effects removal = provider.effects(Address{"nccl.conf:A"}, "1", {});
  EXPECT_EQ(removal.touches.size(), 1U);
  EXPECT_EQ(removal.undo, Undo::residue);
}

/// Whatever a file looked like: our lines in, whatever others do to their own lines meanwhile, our
/// lines out again, and every byte is as if we had not been there.
TEST_F(KindsNcclConfProvider, UndoIsExactOnRandomFiles) {
  std::mt19937 random(5);
  const auto pick = [&](std::size_t below) { return random() % below; };
  for (int round = 0; round < 3000; ++round) {
    Content before;
    if (pick(10) != 0) {
      before = "";
      const std::size_t size = pick(30);
      for (std::size_t i = 0; i < size; ++i) *before += "ABC==#\n\n\r x"[pick(11)];
    }
    have(before);
    std::vector<std::pair<std::string, Value>> wanted;
    for (const char* const name : {"A", "AB", "C"}) {
      if (pick(2)) wanted.emplace_back(name, std::string(1 + pick(3), "=1x"[pick(3)]));
    }
    if (wanted.empty()) continue;
    std::vector<Write> writes;
    bool touches_end = false;
    for (const Write& write : unit(wanted)) {
      if (write.before == write.after) continue;
      touches_end |= !provider.effects(write.address, write.before, write.after).touches.empty();
      writes.push_back(write);
    }
    std::vector<Write> undo;
    for (auto write = writes.rbegin(); write != writes.rend(); ++write) {
      undo.push_back({write->address, write->after, write->before});
    }
    const Value end_before = now("(end)");
    if (writes.empty()) continue;
    ASSERT_TRUE(apply(writes));
    for (const Write& write : writes) {
      ASSERT_EQ(read_one(provider, write.address.text).value(), write.after);
    }
    if (touches_end) undo.push_back({Address{"nccl.conf:(end)"}, now("(end)"), end_before});
    ASSERT_TRUE(apply(undo));
    ASSERT_EQ(file(), before) << "before: " << before.value_or("(none)");
    ASSERT_FALSE(temporary());
  }
}

TEST(KindsNcclConfProviderOnDisk, IsNeverWrittenThroughALink) {
  const Scratch scratch;
  const auto disk = posix_disk();
  scratch.put("real.conf", "X=1\n");
  std::filesystem::create_symlink(scratch / "real.conf", scratch / "nccl.conf");
  NcclConfProvider provider(*disk, scratch / "nccl.conf");
  const Reading now = read_one(provider, "nccl.conf:A");
  EXPECT_EQ(now.presence, Presence::not_permitted);
  EXPECT_NE(now.why.find("symbolic link"), std::string::npos) << now.why;
  EXPECT_FALSE(test::write_one(provider, "nccl.conf:A", {}, "1"));
  EXPECT_EQ(scratch.get("real.conf"), "X=1\n");
}

}  // namespace
}  // namespace nettune::kinds::nccl_conf
