// SPDX-License-Identifier: Apache-2.0
#include "conf/unit_files.hpp"

#include <gtest/gtest.h>

namespace nettune::conf {
namespace {

TEST(ConfUnitFiles, ModulesLoad) {
  const std::vector<std::string> modules = {"tcp_bbr", "br-netfilter"};
  EXPECT_EQ(modules_load(modules, "by nettune").value_or(""),
            "# by nettune\ntcp_bbr\nbr-netfilter\n");
  for (const char* const bad : {"", "a b", "../x", "a\nb", "#x", "x;y"}) {
    const std::vector<std::string> one = {bad};
    EXPECT_FALSE(modules_load(one, "")) << bad;
  }
}

std::string pam(const std::string& item, const std::string& value) {
  const std::vector<Limit> limits = {{item, value}};
  return pam_limits(limits, "").value_or("refused");
}
std::string service(const std::string& item, const std::string& value) {
  const std::vector<Limit> limits = {{item, value}};
  return service_limits(limits, "").value_or("refused");
}

TEST(ConfUnitFiles, Limits) {
  EXPECT_EQ(pam("memlock", "unlimited"), "* - memlock unlimited\nroot - memlock unlimited\n");
  EXPECT_EQ(service("memlock", "unlimited"), "[Service]\nLimitMEMLOCK=infinity\n");
  EXPECT_EQ(service("memlock", "64"), "[Service]\nLimitMEMLOCK=65536\n") << "KiB become bytes";
  EXPECT_EQ(service("stack", "65536"), "[Service]\nLimitSTACK=67108864\n");
  EXPECT_EQ(service("nofile", "1048576"), "[Service]\nLimitNOFILE=1048576\n")
      << "a number of files";
  EXPECT_EQ(service("nproc", "unlimited"), "[Service]\nLimitNPROC=infinity\n");
  const std::vector<Limit> two = {{"nproc", "4096"}, {"memlock", "65536"}};
  EXPECT_EQ(pam_limits(two, "h").value_or(""),
            "# h\n* - memlock 65536\nroot - memlock 65536\n* - nproc 4096\nroot - nproc 4096\n");
  for (const char* const bad : {"", "-1", "1.5", "64k", "infinity", "9223372036854775807",
                                "unlimited\n* - nofile 1", " 1"}) {
    EXPECT_EQ(pam("memlock", bad), "refused") << bad;
    EXPECT_EQ(service("stack", bad), "refused") << bad;
  }
  EXPECT_EQ(pam("nofile", "unlimited"), "refused") << "the kernel refuses it";
  for (const char* const item : {"nofile", "stack", "nproc"})
    EXPECT_EQ(pam(item, "10"), "refused") << "nobody could log in with such a " << item;
  EXPECT_EQ(pam("core", "1"), "refused");
}

}  // namespace
}  // namespace nettune::conf
