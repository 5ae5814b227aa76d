// SPDX-License-Identifier: Apache-2.0
#include "profile/merge.hpp"

#include "base/text.hpp"
#include "unit/support/profile_fixture.hpp"
#include "unit/support/steps.hpp"

namespace nettune::profile {
namespace {

using namespace test;

class ProfileMerge : public test::ProfileTest {};

TEST_F(ProfileMerge, AChildReplacesAndTheOriginIsTheLineThatWon) {
  profile("a", "[sysctl]\n\"a.b\" = 1\n\"a.c\" = 2\n");
  const auto result = good("extends = [\"a\"]\n[sysctl]\n\"a/b\" = \">= 7\"\n");
  EXPECT_EQ(test::value(result, "sysctl:a.b"), ">= 7");
  EXPECT_EQ(test::find(result, "sysctl:a.b")->origin.text(), "/p/x.toml:6");
  EXPECT_EQ(test::value(result, "sysctl:a.c"), "2");
  EXPECT_EQ(test::find(result, "sysctl:a.c")->origin.text(), "/p/a.toml:6");
}

TEST_F(ProfileMerge, LongProfilesCostNoSquares) {
  const auto node_of = [](int count) {
    toml::Node sysctl;
    for (int i = 0; i < count; ++i)
      sysctl.entries.emplace_back(cat("a.k", i), toml::Node::string("1", {"x", i}));
    toml::Node device = sysctl;
    for (auto& [key, value] : device.entries) key[1] = '_';
    toml::Node elements;
    for (int i = 0; i < count; ++i)
      elements.items.push_back(toml::Node::string(cat(i + 1), {"x", i}));
    elements.kind = toml::Node::Kind::array;
    toml::Node list;
    list.entries = {{"elements", elements}};
    sysctl.entries.emplace_back("net.ipv4.ip_local_reserved_ports", list);
    toml::Node of_devices;
    of_devices.entries = {{"fabric", device}};
    toml::Node root;
    root.entries = {{"sysctl", sysctl}, {"ethtool", of_devices}};
    return root;
  };
  test::expect_no_squares(200, 8, node_of, [](const toml::Node& root, int count) {
    Mistakes mistakes;
    EXPECT_GE(items_of(root, mistakes)->size(), static_cast<std::size_t>(2 * count));
  });
}

TEST_F(ProfileMerge, ACycleIsNamedInFull) {
  profile("a", "extends = [\"b\"]\n");
  profile("b", "\nextends = [\"c\"]\n");
  profile("c", "\n\nextends = [\"a\"]\n");
  bad_profile("a", "/p/c.toml", 6, {"loop", "a -> b -> c -> a"});
  profile("x", "extends = [\"x\"]\n");
  bad_profile("x", "/p/x.toml", 4, {"x -> x"});
  profile("y", "extends = [\"a\"]\n");
  bad_profile("y", "/p/c.toml", 6, {"a -> b -> c -> a"});
}

TEST_F(ProfileMerge, AMissingParentIsReportedWhereItIsNamed) {
  profile("tcp-fallback", "");
  profile("x", "extends = [\n\"tcp-fallbak\"]\n");
  bad_profile("x", "/p/x.toml", 5, {"tcp-fallbak", "did you mean \"tcp-fallback\""},
              Errc::not_found);
  bad("extends = [\"../x\"]\n", 4, {"profile name"});
}

TEST_F(ProfileMerge, ParentsThatDisagreeAreNamedUnlessTheChildDecides) {
  profile("a", "[sysctl]\n\"a.b\" = 1\n");
  profile("b", "\n[sysctl]\n\"a.b\" = 2\n");
  bad("extends = [\"a\", \"b\"]\n", 4,
      {"sysctl:a.b", "1 (/p/a.toml:5)", "2 (/p/b.toml:6)", "remove"});
  EXPECT_EQ(test::value(good("extends = [\"a\", \"b\"]\n[sysctl]\n\"a.b\" = 3\n"), "sysctl:a.b"),
            "3");
  EXPECT_EQ(
      test::value(good("extends = [\"a\", \"b\"]\nremove = [\"sysctl:a.b\"]\n"), "sysctl:a.b"),
      "-");
  profile("b", "[sysctl]\n\"a.b\" = 1\n");
  EXPECT_EQ(test::value(good("extends = [\"a\", \"b\"]\n"), "sysctl:a.b"), "1");
}

TEST_F(ProfileMerge, ADiamondIsFine) {
  profile("root", "[sysctl]\n\"a.b\" = 1\n");
  profile("left", "extends = [\"root\"]\n[sysctl]\n\"a.l\" = 1\n");
  profile("right", "extends = [\"root\"]\n[sysctl]\n\"a.r\" = 1\n");
  const auto result = good("extends = [\"left\", \"right\"]\n");
  EXPECT_EQ(test::value(result, "sysctl:a.b"), "1");
  EXPECT_EQ(test::value(result, "sysctl:a.l"), "1");
  EXPECT_EQ(test::value(result, "sysctl:a.r"), "1");
  EXPECT_EQ(result.desired.sources.size(), 4U);
}

TEST_F(ProfileMerge, DiamondsOverDiamondsDoNotExplode) {
  profile("l0", "[sysctl]\n\"a.b\" = 1\n");
  profile("r0", "[sysctl]\n\"a.c\" = 1\n");
  for (int i = 1; i < 30; ++i) {
    const std::string below = std::to_string(i - 1);
    const std::string parents = "extends = [\"l" + below + "\", \"r" + below + "\"]\n";
    profile("l" + std::to_string(i), parents);
    profile("r" + std::to_string(i), parents);
  }
  EXPECT_EQ(test::value(good_profile("l29"), "sysctl:a.c"), "1");
}

TEST_F(ProfileMerge, AChainThatIsTooLongIsRefused) {
  profile("p0", "");
  for (int i = 1; i < 60; ++i) {
    profile("p" + std::to_string(i), "extends = [\"p" + std::to_string(i - 1) + "\"]\n");
  }
  EXPECT_TRUE(resolved("p31"));
  EXPECT_FALSE(resolved("p59"));
}

TEST_F(ProfileMerge, RemoveTakesEveryKindOfItem) {
  profile("a",
          "[sysctl]\n\"a.b\" = 1\n\"l\" = { elements = [1, 2] }\n\"m\" = { elements = [1, 2] }\n"
          "[env]\nservices = [\"t\"]\nA = 1\nB = 2\n[modules]\nload = [\"tcp_bbr\", \"xt-x\"]\n"
          "[files]\n\"/etc/f\" = { content = \"\" }\n"
          "[devices.d]\nmatch = { name = \"e*\" }\n[link.d]\nmtu = 9000\ntxqueuelen = 5\n"
          "[limits]\nmemlock = 1\nservices = [\"s\"]\n[tcp]\nrate_gbps = 1\nrtt_ms = 1\n");
  device("e0");
  facts.services = {"s"};
  const auto result = good(
      "extends = [\"a\"]\n"
      "remove = [\"sysctl:a/b\", \"sysctl:l#1\", \"sysctl:m\", \"env:A\", \"module:xt-x\", "
      "\"file:/etc//f\", \"link:d:mtu\", \"limits:memlock\", \"service:s\", \"env-service:t\", "
      "\"tcp:rate_gbps\", \"tcp:rtt_ms\"]\n");
  std::vector<std::string> left;
  for (const Setting& setting : result.desired.settings) left.push_back(setting.address.text);
  EXPECT_EQ(left, (std::vector<std::string>{
                      "dir:/etc/modules-load.d", "dir:/etc/nettune", "dir:/etc/profile.d",
                      "file:/etc/modules-load.d/nettune.conf", "file:/etc/nettune/nccl.env",
                      "file:/etc/profile.d/nettune.sh", "link:e0:txqueuelen", "module:tcp_bbr",
                      "nccl.conf:B", "sysctl:l#2"}));
}

TEST_F(ProfileMerge, ARemovalThatMatchesNothingNamesTheNearest) {
  profile("a", "[sysctl]\n\"net.core.rmem_max\" = 1\n");
  bad("extends = [\"a\"]\nremove = [\n\"sysctl:net.core.rmem_mex\"]\n", 6,
      {"net.core.rmem_mex", "not inherited", "sysctl:net.core.rmem_max"});
  // Only what is inherited can be removed, not what the profile itself sets.
  bad("remove = [\"sysctl:a.b\"]\n[sysctl]\n\"a.b\" = 1\n", 4, {"not inherited"});
  bad("extends = [\"a\"]\nremove = [\"sysctl:../x\"]\n", 5, {"../x"});
}

// A key with a mistake is not inherited: then its own line is reported, not the removal.
TEST_F(ProfileMerge, AMistakeOfAParentIsReportedWhereItIs) {
  profile("a", "[link.e]\nmtuu = 9000\n[sysctl]\n\"../x\" = 1\n");
  profile("x", "extends = [\"a\"]\nremove = [\"sysctl:../x\", \"link:e:mtuu\"]\n");
  const auto mistakes = resolved("x");
  ASSERT_FALSE(mistakes);
  EXPECT_EQ(mistakes.error().file, "/p/a.toml");
  EXPECT_EQ(mistakes.error().line, 5);
  EXPECT_NE(mistakes.error().text.find("mtuu"), std::string::npos);
  EXPECT_NE(mistakes.error().text.find("\n/p/a.toml:7: sysctl key \"../x\""), std::string::npos);
  EXPECT_EQ(mistakes.error().text.find("remove"), std::string::npos);
  // All removals that match nothing are reported in one run.
  profile("b", "[sysctl]\n\"a.b\" = 1\n");
  profile("x", "extends = [\"b\"]\nremove = [\n\"sysctl:a.c\",\n\"sysctl:a.d\"]\n");
  const auto removals = resolved("x");
  ASSERT_FALSE(removals);
  EXPECT_EQ(removals.error().line, 6);
  EXPECT_NE(removals.error().text.find("\"sysctl:a.c\" is not inherited"), std::string::npos);
  EXPECT_NE(removals.error().text.find("\n/p/x.toml:7: remove: \"sysctl:a.d\""), std::string::npos);
}

TEST_F(ProfileMerge, ElementsOfSeveralProfilesAddUp) {
  profile("a", "[sysctl]\n\"l\" = { elements = [1, 2] }\n");
  const auto result = good("extends = [\"a\"]\n[sysctl]\n\"l\" = { elements = [2, 3] }\n");
  EXPECT_EQ(test::value(result, "sysctl:l#1"), "present");
  EXPECT_EQ(test::value(result, "sysctl:l#3"), "present");
  EXPECT_EQ(test::find(result, "sysctl:l#2")->origin.text(), "/p/x.toml:6");
}

TEST_F(ProfileMerge, OneKeyInTwoSpellingsIsSetTwice) {
  bad("[sysctl]\n\"net.core.a\" = 1\n\"net/core/a\" = 1\n", 6, {"sysctl:net.core.a", "twice"});
  bad("[modules]\nload = [\"a-b\", \"a_b\"]\n", 5, {"module:a_b", "twice"});
}

}  // namespace
}  // namespace nettune::profile
