// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/digest.hpp"
#include "unit/owners/fixture.hpp"

namespace nettune::owners {
namespace {

using namespace test;

class OwnersDropInClaims : public test::OwnersTest {
 protected:
  /// nettune's drop-in, wanted and not there yet.
  void ours(const std::string& text, const std::string& name = "nettune.conf",
            const std::string& unit = "slurmd.service") {
    desired.contents[sha256_hex(text)] = text;
    want("file:/etc/systemd/system/" + unit + ".d/" + name,
         "sha256:" + sha256_hex(text) + " mode 0644 owner 0:0");
  }
  void site(const std::string& text, const std::string& name = "zz-site.conf") {
    root.put("etc/systemd/system/slurmd.service.d/" + name, "[Service]\n" + text);
  }
  static constexpr const char* kSite = "/etc/systemd/system/slurmd.service.d/zz-site.conf:2 ";
};

TEST_F(OwnersDropInClaims, ALaterOneOverrides) {
  ours("[Service]\nLimitMEMLOCK=infinity\n");
  site("LimitMEMLOCK=8M\n");
  EXPECT_EQ(found(), Texts{std::string(kSite) + "8M wins"});
  EXPECT_NE(sentence().find("slurmd.service"), std::string::npos) << sentence();
  site("LimitMEMLOCK=8M\n", "10-site.conf");
  site("LimitMEMLOCK=infinity:infinity\n");
  EXPECT_EQ(found(), Texts{}) << "an earlier one, and one of the same value";
  site("LimitMEMLOCK=8M\nLimitMEMLOCK=infinity\n");
  EXPECT_EQ(found(), Texts{}) << "the last line counts";
  site("LimitMEMLOCK=8M:infinity\n");
  EXPECT_EQ(found(), Texts{std::string(kSite) + "8M:infinity wins"});
  for (const char* const ignored : {"", "nonsense", "2M:1M", "-1"}) {
    site(std::string("LimitMEMLOCK=") + ignored + "\n");
    EXPECT_EQ(found(), Texts{}) << "systemd ignores " << ignored;
  }
  site("LimitNOFILE=1024\n[Unit]\nLimitMEMLOCK=8M\n");
  EXPECT_EQ(found(), Texts{}) << "another limit, and another section";
}

TEST_F(OwnersDropInClaims, SizesInAnySpelling) {
  ours("[Service]\nLimitMEMLOCK=67108864\nLimitNOFILE=1024\n");
  site("LimitMEMLOCK=64M\nLimitNOFILE=1K\n");
  EXPECT_EQ(found(), Texts{}) << "the same size, and a number that is none";
  site("LimitMEMLOCK=65M\n");
  EXPECT_EQ(found(), Texts{std::string(kSite) + "65M wins"});
}

/// Every directory where systemd looks for drop-ins of foo-bar@1.service.
TEST_F(OwnersDropInClaims, EveryDirectory) {
  for (const char* const directory :
       {"run/systemd/system/foo-bar@1.service.d", "usr/lib/systemd/system/foo-bar@1.service.d",
        "usr/local/lib/systemd/system/foo-bar@1.service.d", "etc/systemd/system/foo-bar@.service.d",
        "etc/systemd/system/foo-@1.service.d", "usr/lib/systemd/system/foo-@.service.d",
        "etc/systemd/system/service.d", "run/systemd/system/service.d",
        "etc/systemd/system.control/foo-bar@1.service.d",
        "run/systemd/generator/foo-bar@1.service.d"}) {
    const std::string path = std::string(directory) + "/zz.conf";
    desired = {};
    ours("[Service]\nLimitMEMLOCK=infinity\n", "nettune.conf", "foo-bar@1.service");
    root.put(path, "[Service]\nLimitMEMLOCK=1M\n");
    EXPECT_EQ(found(), Texts{"/" + path + ":2 1M wins"});
    std::filesystem::remove(root / path);
  }
  root.put("etc/systemd/system/foo.service.d/zz.conf", "[Service]\nLimitMEMLOCK=1M\n");
  root.put("etc/systemd/system/socket.d/zz.conf", "[Service]\nLimitMEMLOCK=1M\n");
  EXPECT_EQ(found(), Texts{}) << "of other units";
}

TEST_F(OwnersDropInClaims, StrongerDirectoriesHideNames) {
  ours("[Service]\nLimitMEMLOCK=infinity\n");
  root.put("usr/lib/systemd/system/slurmd.service.d/zz.conf", "[Service]\nLimitMEMLOCK=1M\n");
  link("/dev/null", "etc/systemd/system/slurmd.service.d/zz.conf");
  EXPECT_EQ(found(), Texts{}) << "masked";
  root.put("usr/lib/systemd/system/slurmd.service.d/nettune.conf", "[Service]\nLimitMEMLOCK=1M\n");
  EXPECT_EQ(found(), Texts{}) << "ours hides it";
  root.put("run/systemd/system.control/slurmd.service.d/nettune.conf",
           "[Service]\nLimitMEMLOCK=1M\n");
  EXPECT_EQ(found(), Texts{"/run/systemd/system.control/slurmd.service.d/nettune.conf:0  wins"});
}

TEST_F(OwnersDropInClaims, AliasesAreTheSameUnit) {
  root.put("usr/lib/systemd/system/ssh.service", "[Service]\nExecStart=/usr/sbin/sshd\n");
  link("/usr/lib/systemd/system/ssh.service", "etc/systemd/system/sshd.service");
  root.put("etc/systemd/system/sshd.service.d/zz.conf", "[Service]\nLimitMEMLOCK=1M\n");
  ours("[Service]\nLimitMEMLOCK=infinity\n", "nettune.conf", "ssh.service");
  EXPECT_EQ(found(), Texts{"/etc/systemd/system/sshd.service.d/zz.conf:2 1M wins"});
  desired = {};
  root.put("etc/systemd/system/ssh.service.d/zzz.conf", "[Service]\nLimitMEMLOCK=2M\n");
  ours("[Service]\nLimitMEMLOCK=infinity\n", "nettune.conf", "sshd.service");
  EXPECT_EQ(found(), Texts{"/etc/systemd/system/ssh.service.d/zzz.conf:2 2M wins"});
}

TEST_F(OwnersDropInClaims, VariablesMergeByName) {
  ours("[Service]\nEnvironment=\"NCCL_DEBUG=INFO\"\nEnvironment=\"NCCL_IB_TC=106\"\n",
       "nettune-env.conf");
  site("Environment=A=1 \"NCCL_DEBUG=WARN\"\n");
  EXPECT_EQ(found(), Texts{std::string(kSite) + "WARN wins"});
  site("Environment=NCCL_DEBUG=INFO\n");
  EXPECT_EQ(found(), Texts{}) << "the same value";
  site("Environment=\nEnvironment=NCCL_IB_TC=106\n");
  EXPECT_EQ(found(), Texts{std::string(kSite) + " wins"}) << "an empty one clears the list";
  site("UnsetEnvironment=NCCL_DEBUG\n");
  EXPECT_EQ(found(), Texts{std::string(kSite) + " wins"});
  site("UnsetEnvironment=NCCL_DEBUG=WARN\n");
  EXPECT_EQ(found(), Texts{}) << "only another value";
}

TEST_F(OwnersDropInClaims, AnEnvironmentFileCountsMoreWhereverItIs) {
  ours("[Service]\nEnvironment=\"NCCL_DEBUG=INFO\"\n", "nettune-env.conf");
  root.put("etc/systemd/system/slurmd.service",
           "[Service]\nEnvironmentFile=-/etc/default/slurmd\nExecStart=/usr/sbin/slurmd\n");
  root.put("etc/default/slurmd", "# options\nSLURMD_OPTIONS=\"-v\"\nNCCL_DEBUG=\"TRACE\"\n");
  EXPECT_EQ(found(), Texts{"/etc/default/slurmd:3 TRACE wins"});
  site("EnvironmentFile=\n");
  EXPECT_EQ(found(), Texts{}) << "cleared";
}

TEST_F(OwnersDropInClaims, CommandsOfTheFirewallAreCleared) {
  ours("[Service]\nExecStartPost=-nettune reapply\nExecReload=-nettune reapply\n",
       "nettune-firewall.conf");
  site("ExecStartPost=/bin/true\n");
  EXPECT_EQ(found(), Texts{}) << "commands add up";
  site("ExecStartPost=\nExecStartPost=/bin/true\nExecReload=\n");
  EXPECT_EQ(found(), (Texts{std::string(kSite) + " wins",
                            "/etc/systemd/system/slurmd.service.d/zz-site.conf:4  wins"}));
}

/// For check: the files as they are.
TEST_F(OwnersDropInClaims, WhatMakesAFileVoid) {
  want("file:/etc/systemd/system/slurmd.service.d/nettune.conf", "sha256:x");
  want("file:/etc/security/limits.d/zz-nettune.conf", "sha256:x");
  site("LimitMEMLOCK=infinity\n", "nettune.conf");
  root.put("etc/security/limits.d/zz-nettune.conf", "* - memlock unlimited\n");
  root.put("etc/security/limits.d/a.conf", "@gpu - memlock 5\n");
  EXPECT_EQ(find_overrides(*disk, desired.settings, root.path()).size(), 0U)
      << "a line for a group is meant";
  site("LimitMEMLOCK=8M\n");
  root.put("etc/security/limits.d/zzz.conf", "* soft memlock 5\n");
  EXPECT_EQ(find_overrides(*disk, desired.settings, root.path()).size(), 2U);
}

TEST_F(OwnersDropInClaims, HostileFilesHurtNobody) {
  ours("[Service]\nLimitMEMLOCK=1\n", "nettune.conf", "-@-.service");
  ours("", "nettune.conf", "x");
  site(std::string("LimitMEMLOCK=:\nEnvironment=\"\n\0[Service", 38));
  EXPECT_EQ(found(), Texts{});
}

}  // namespace
}  // namespace nettune::owners
