// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "unit/support/profile_fixture.hpp"

namespace nettune::intents {
namespace {

class IntentsLimits : public test::ProfileTest {};

TEST_F(IntentsLimits, Limits) {
  facts.services = {"slurmd.service", "kubelet"};
  const auto result = good(
      "[limits]\nmemlock = \"unlimited\"\nservices = [\"slurmd\", \"kubelet.service\", "
      "\"crio\"]\n");
  EXPECT_NE(test::content(result, "/etc/security/limits.d/zz-nettune.conf")
                .find("* - memlock unlimited\n"),
            std::string::npos);
  EXPECT_EQ(test::value(result, "dir:/etc/systemd/system/slurmd.service.d"), "present");
  EXPECT_NE(test::content(result, "/etc/systemd/system/kubelet.service.d/nettune.conf")
                .find("[Service]\nLimitMEMLOCK=infinity\n"),
            std::string::npos);
  EXPECT_EQ(test::value(result, "dir:/etc/systemd/system/crio.service.d"), "-");
  EXPECT_TRUE(test::any_has(result.desired.notes, "crio"));
  const auto kib = good("[limits]\nmemlock = 65536\nservices = [\"slurmd\"]\n");
  EXPECT_NE(test::content(kib, "/etc/systemd/system/slurmd.service.d/nettune.conf")
                .find("LimitMEMLOCK=67108864\n"),
            std::string::npos);
  const auto all = good(
      "[limits]\nnofile = 65536\nstack = \"unlimited\"\nnproc = 8192\nservices = [\"slurmd\"]\n");
  EXPECT_NE(test::content(all, "/etc/security/limits.d/zz-nettune.conf").find("* - nofile 65536\n"),
            std::string::npos);
  EXPECT_NE(test::content(all, "/etc/systemd/system/slurmd.service.d/nettune.conf")
                .find("LimitNOFILE=65536\nLimitSTACK=infinity\nLimitNPROC=8192\n"),
            std::string::npos);
  bad("[limits]\nnofile = \"unlimited\"\n", 5, {"[limits] nofile", "unlimited", "number"});
  bad("[limits]\nnproc = 5\n", 5, {"nproc", "1024"});
  bad("[limits]\nmemlock = -1\n", 5, {"[limits] memlock", "-1"});
  bad("[limits]\nmemlock = \"lots\"\n", 5, {"lots"});
  bad("[limits]\nservices = [\"slurmd\"]\n", 5, {"without a limit", "nofile"});
  bad("[limits]\nmemlock = 1\nservices = [\"a/../b\"]\n", 6, {"service"});
  bad("[limits]\nmemlok = 1\n", 5, {"memlok", "\"memlock\""});
}

}  // namespace
}  // namespace nettune::intents
