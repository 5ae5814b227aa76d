// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "unit/support/profile_fixture.hpp"

namespace nettune::intents {
namespace {

using namespace test;

class IntentsBootFiles : public test::ProfileTest {};

TEST_F(IntentsBootFiles, BootFilesHoldWhatIsExact) {
  const auto result = good(
      "[sysctl]\n\"k.b\" = [1, 2]\n\"k.a\" = { value = 0, optional = true }\n"
      "\"k.c\" = \">= 7\"\n\"k.d\" = { elements = [1] }\n");
  const std::string text = test::content(result, "/etc/sysctl.d/zz-nettune.conf");
  EXPECT_TRUE(text.starts_with("# Written by nettune for the profile x.\n# Do not edit")) << text;
  EXPECT_TRUE(text.ends_with(".\n-k.a = 0\nk.b = 1 2\n")) << text;
  const Setting* const setting = test::find(result, "file:/etc/sysctl.d/zz-nettune.conf");
  EXPECT_EQ(setting->origin.text(), "x");
  EXPECT_TRUE(setting->want->ends_with(" mode 0644 owner 0:0"));
  EXPECT_TRUE(good("").desired.settings.empty());
  EXPECT_EQ(good("[sysctl]\n\"k.c\" = \">= 7\"\n").desired.settings.size(), 1U);
}

TEST_F(IntentsBootFiles, OneOfTwoBoundsMayBeRefusedAtBoot) {
  const std::string high = "\"net.ipv4.ipfrag_high_thresh\" = 2\n";
  const std::string low = "\"net.ipv4.ipfrag_low_thresh\" = 1\n";
  const auto text = [&](const std::string& lines) {
    return test::content(good("[sysctl]\n" + lines), "/etc/sysctl.d/zz-nettune.conf");
  };
  EXPECT_TRUE(
      text(low + high)
          .ends_with("\n-net.ipv4.ipfrag_high_thresh = 2\n-net.ipv4.ipfrag_low_thresh = 1\n"));
  EXPECT_TRUE(text(high).ends_with("\nnet.ipv4.ipfrag_high_thresh = 2\n"));
  // What the other one has to be is not in the file.
  EXPECT_TRUE(text(low + "\"net.ipv4.ipfrag_high_thresh\" = \">= 2\"\n")
                  .ends_with("\n-net.ipv4.ipfrag_low_thresh = 1\n"));
}

}  // namespace
}  // namespace nettune::intents
