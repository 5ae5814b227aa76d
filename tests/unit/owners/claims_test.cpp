// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "owners/sysctl_claims.hpp"
#include "unit/owners/fixture.hpp"

namespace nettune::owners {
namespace {

using namespace test;

using OwnersClaims = test::OwnersTest;

TEST_F(OwnersClaims, NothingThereNothingSaid) {
  want("sysctl:net.core.rmem_max", "1");
  want("nccl.conf:NCCL_IB_TC", "106");
  EXPECT_EQ(found(), Texts{});
}

TEST_F(OwnersClaims, Debian12Layout) {
  root.put("etc/sysctl.conf", "#kernel.domainname = example.com\nnet.core.rmem_max = 5\n");
  link("../sysctl.conf", "etc/sysctl.d/99-sysctl.conf");
  link("usr/lib", "lib");
  root.put("usr/lib/sysctl.d/50-pid-max.conf", "kernel.pid_max = 4194304\n");
  root.put("usr/lib/sysctl.d/10-vendor.conf", "net.core.rmem_max=7\n");
  root.put("etc/sysctl.d/zz-nettune.conf", "net.core.rmem_max = 9\n");
  want("sysctl:net.core.rmem_max", "9");
  EXPECT_EQ(found(),
            (Texts{"/etc/sysctl.conf:2 5 loses", "/usr/lib/sysctl.d/10-vendor.conf:1 7 loses"}));
}

TEST_F(OwnersClaims, Debian13Layout) {
  link("usr/lib", "lib");
  root.put("usr/lib/sysctl.d/50-default.conf",
           "-net.ipv4.conf.all.rp_filter\n"
           "net.ipv4.conf.*.rp_filter = 2\n"
           "net.core.default_qdisc = fq_codel\n");
  want("sysctl:net.ipv4.conf.eth0.rp_filter", "0");
  want("sysctl:net.core.default_qdisc", "fq");
  EXPECT_EQ(found(), (Texts{"/usr/lib/sysctl.d/50-default.conf:2 2 loses",
                            "/usr/lib/sysctl.d/50-default.conf:3 fq_codel loses"}));
}

TEST_F(OwnersClaims, WhatSortsLaterWinsUnlessItIsAPattern) {
  root.put("etc/sysctl.d/zzz-site.conf", "net.core.rmem_max=1\nnet/core/rmem_max = 2\n");
  root.put("etc/sysctl.d/zzzz.conf", "net.ipv4.conf.*.rp_filter = 1\n");
  root.put("etc/sysctl.d/README", "net.core.rmem_max=1\n");
  want("sysctl:net.core.rmem_max", "9");
  want("sysctl:net.ipv4.conf.eth0.rp_filter", "2");
  EXPECT_EQ(found(),
            (Texts{"/etc/sysctl.d/zzz-site.conf:2 2 wins", "/etc/sysctl.d/zzzz.conf:1 1 loses"}));
}

TEST_F(OwnersClaims, SameNamesAreMasked) {
  root.put("etc/sysctl.d/10-a.conf", "net.core.rmem_max=1\n");
  root.put("run/sysctl.d/10-a.conf", "net.core.rmem_max=2\n");
  root.put("usr/lib/sysctl.d/10-a.conf", "net.core.rmem_max=3\n");
  link("/dev/null", "etc/sysctl.d/zzz-off.conf");
  root.put("usr/lib/sysctl.d/zzz-off.conf", "net.core.rmem_max=4\n");
  root.put("run/sysctl.d/zz-nettune.conf", "net.core.rmem_max=5\n");
  root.put("usr/local/lib/sysctl.d/zzz-on.conf", "net.core.rmem_max=6\n");
  want("sysctl:net.core.rmem_max", "9");
  EXPECT_EQ(found(), (Texts{"/etc/sysctl.d/10-a.conf:1 1 loses",
                            "/usr/local/lib/sysctl.d/zzz-on.conf:1 6 wins"}));
}

TEST_F(OwnersClaims, AnExclusionCancelsOurLine) {
  root.put("etc/sysctl.d/50-early.conf", "-net.core.rmem_max\n");
  root.put("etc/sysctl.d/zzz.conf", "-net.core.rmem_max\n-net.core.wmem_*\n");
  root.put("etc/sysctl.d/zzzz.conf", "-net.core.somaxconn\nnet.core.somaxconn = 9\n");
  want("sysctl:net.core.rmem_max", "9");
  want("sysctl:net.core.wmem_max", "9");
  want("sysctl:net.core.somaxconn", "9");
  want("sysctl:net.core.netdev_max_backlog", "9", Relation::at_least);
  EXPECT_EQ(found(), (Texts{"/etc/sysctl.d/zzz.conf:1  wins", "/etc/sysctl.d/zzzz.conf:2 9 wins"}));
}

TEST_F(OwnersClaims, BoundsAndMembersAreNotInOurFile) {
  root.put("etc/sysctl.d/10-a.conf",
           "net.core.rmem_max=1\n"
           "net.core.wmem_max=100\n"
           "net.ipv4.ip_local_reserved_ports = 8000-8080,29400\n");
  want("sysctl:net.core.rmem_max", "9", Relation::at_least);
  want("sysctl:net.core.wmem_max", "9", Relation::at_least);
  want("sysctl:net.ipv4.ip_local_reserved_ports#29400", "present");
  want("sysctl:net.ipv4.ip_local_reserved_ports#29500", "present");
  EXPECT_EQ(found(),
            (Texts{"/etc/sysctl.d/10-a.conf:1 1 wins", "/etc/sysctl.d/10-a.conf:2 100 loses",
                   "/etc/sysctl.d/10-a.conf:3 8000-8080,29400 loses",
                   "/etc/sysctl.d/10-a.conf:3 8000-8080,29400 wins"}));
}

TEST_F(OwnersClaims, TheOldSysctlConfHoldsOverABoundWhereItIsLinked) {
  root.put("etc/sysctl.conf", "net.core.rmem_max = 5\n");
  want("sysctl:net.core.rmem_max", "9", Relation::at_least);
  EXPECT_EQ(found(), Texts{"/etc/sysctl.conf:1 5 loses"});
  link("../sysctl.conf", "etc/sysctl.d/99-sysctl.conf");
  EXPECT_EQ(found(), Texts{"/etc/sysctl.conf:1 5 wins"});
}

TEST_F(OwnersClaims, UfwCountsOnlyWhenItIsEnabled) {
  root.put("etc/ufw/sysctl.conf", "net/ipv4/conf/all/rp_filter=1\n");
  root.put("etc/ufw/ufw.conf", "# ENABLED=yes\nENABLED=no\n");
  want("sysctl:net.ipv4.conf.all.rp_filter", "2");
  EXPECT_EQ(found(), Texts{});
  root.put("etc/ufw/ufw.conf", "ENABLED=yes\nLOGLEVEL=low\n");
  EXPECT_EQ(found(), Texts{"/etc/ufw/sysctl.conf:1 1 wins"});
}

TEST_F(OwnersClaims, TunedWithWhatItsProfileIncludes) {
  root.put("etc/tuned/active_profile", "network-throughput\n");
  root.put("usr/lib/tuned/network-throughput/tuned.conf",
           "[main]\ninclude=throughput-performance\n[sysctl]\nnet.core.rmem_max = 1\n");
  root.put("usr/lib/tuned/throughput-performance/tuned.conf",
           "[main]\ninclude=network-throughput\n[vm]\nx=1\n[sysctl]\nvm.swappiness=10\n");
  want("sysctl:net.core.rmem_max", "9");
  want("sysctl:vm.swappiness", "10");
  EXPECT_EQ(found(), (Texts{"/usr/lib/tuned/network-throughput/tuned.conf:4 1 loses",
                            "/usr/lib/tuned/throughput-performance/tuned.conf:6 10 loses"}));
  root.put("etc/tuned/tuned-main.conf", "daemon = 1\nreapply_sysctl = 0\n");
  EXPECT_EQ(found(), (Texts{"/usr/lib/tuned/network-throughput/tuned.conf:4 1 wins",
                            "/usr/lib/tuned/throughput-performance/tuned.conf:6 10 loses"}));
  root.put("etc/tuned/active_profile", "../../etc\n");
  EXPECT_EQ(found(), Texts{});
}

TEST_F(OwnersClaims, TunedConfiguresCards) {
  card();
  card("bond0").physical = false;
  want("link:eth0:mtu", "9000");
  want("link:bond0:mtu", "9000");
  want("link:eth0:txqueuelen", "20000");
  root.put("etc/tuned/active_profile", "site\n");
  root.put("etc/tuned/site/tuned.conf",
           "[main]\ninclude=base\n[fabric]\ntype=net\ndevices=eth*,!eth1\nmtu=1500\n"
           "[net]\ndevices=ib*\nmtu=2044\n[disk]\nmtu=1\n");
  root.put("usr/lib/tuned/base/tuned.conf", "[net]\nmtu=1400\ntxqueuelen=1000\n");
  EXPECT_EQ(found(), (Texts{"/etc/tuned/site/tuned.conf:6 1500 wins",
                            "/usr/lib/tuned/base/tuned.conf:3 1000 wins"}));
  root.put("etc/tuned/site/tuned.conf", "[net]\ndevices=!eth*\nmtu=1500\n");
  EXPECT_EQ(found(), Texts{});
  root.put("etc/tuned/site/tuned.conf", "[net]\ndevices_udev_regex=ID_MODEL=x\nmtu=1500\n");
  EXPECT_EQ(found(), Texts{}) << "it is not known whom that chooses";
}

TEST_F(OwnersClaims, LimitsThatHoldOverOurs) {
  const std::string digest = sha256_hex("* - memlock unlimited\n");
  desired.contents[digest] = "* - memlock unlimited\n";
  root.put("etc/security/limits.conf", "* hard memlock 64\n@gpu soft memlock 128 # why\n");
  root.put("etc/security/limits.d/10-a.conf", "* hard memlock 64\n");
  root.put("etc/security/limits.d/zzz.conf",
           "* hard memlock 64\n* - nofile 1\nroot - memlock -1\n");
  EXPECT_EQ(found(), Texts{}) << "nobody asked";
  want("file:/etc/security/limits.d/zz-nettune.conf", "sha256:" + digest + " mode 0644 owner 0:0");
  EXPECT_EQ(found(), (Texts{"/etc/security/limits.conf:2 128 wins",
                            "/etc/security/limits.d/zzz.conf:1 64 wins"}));
}

TEST_F(OwnersClaims, TheLastLineOfLimitsCounts) {
  const std::string text = "* - nofile 65536\nroot - nofile 65536\n";
  desired.contents[sha256_hex(text)] = text;
  want("file:/etc/security/limits.d/zz-nettune.conf",
       "sha256:" + sha256_hex(text) + " mode 0644 owner 0:0");
  root.put("etc/security/limits.d/zzz.conf", "* soft nofile 1024\n* - memlock 64\n");
  EXPECT_EQ(found(), Texts{"/etc/security/limits.d/zzz.conf:1 1024 wins"});
  root.put("etc/security/limits.d/zzzz.conf", "* - nofile 65536\n");
  EXPECT_EQ(found(), Texts{});
}

TEST_F(OwnersClaims, LoginShellsThatDoNotReadProfileD) {
  root.put("etc/shells", "# shells\n/bin/bash\n/usr/bin/fish\n/bin/zsh\n/usr/bin/zsh\n/bin/tcsh\n");
  EXPECT_EQ(found(), Texts{});
  want("file:/etc/profile.d/nettune.sh", "sha256:x");
  EXPECT_EQ(found(),
            (Texts{"/etc/shells:3  loses", "/etc/shells:4  loses", "/etc/shells:6  loses"}));
  root.put("etc/zsh/zprofile", "# reads /etc/profile\nemulate sh -c '. /etc/profile'\n");
  EXPECT_EQ(found(), (Texts{"/etc/shells:3  loses", "/etc/shells:6  loses"}));
}

TEST_F(OwnersClaims, NcclConfLinesOfTheUser) {
  root.put("etc/nccl.conf", "# mine\nNCCL_DEBUG=WARN\nNCCL_IB_TC=96\n");
  want("nccl.conf:NCCL_IB_TC", "106");
  want("nccl.conf:NCCL_SOCKET_IFNAME", "=eth0");
  EXPECT_EQ(found(), Texts{"/etc/nccl.conf:3 96 loses"});
  owned[Address{"nccl.conf:NCCL_IB_TC"}] = Owned{};
  EXPECT_EQ(found(), Texts{}) << "it is ours";
}

TEST_F(OwnersClaims, KeysThatOthersSet) {
  root.put("etc/sysctl.conf", "net.core.rmem_max = 5\n");
  root.put("usr/lib/sysctl.d/50-default.conf",
           "net.ipv4.conf.*.rp_filter = 2\n-net.a.b\n-vm.x=1\n");
  root.put("etc/sysctl.d/zz-nettune.conf", "net.core.wmem_max = 9\n");
  root.put("etc/tuned/active_profile", "mine\n");
  root.put("etc/tuned/mine/tuned.conf", "[sysctl]\nvm.swappiness=1\nnet.core.rmem_max=6\n");
  EXPECT_EQ(sysctl_keys_of_others(conf::Files(*disk, root.path())),
            (Texts{"net.core.rmem_max", "vm.swappiness", "vm.x"}));
}

TEST_F(OwnersClaims, HostileFilesHurtNobody) {
  root.put("etc/sysctl.d/10-binary.conf", std::string("\0\xff=\n=\nnet.core.rmem_max", 23));
  root.put("etc/sysctl.d/11-long.conf", std::string(3 << 20, 'a'));
  root.make("etc/sysctl.d/12-directory.conf");
  ASSERT_EQ(::mkfifo((root / "etc/sysctl.d/13-fifo.conf").c_str(), 0600), 0);
  link("14-loop.conf", "etc/sysctl.d/14-loop.conf");
  link("/nowhere", "etc/sysctl.d/15-dangling.conf");
  root.put("etc/tuned/active_profile", std::string("\x01\n", 2));
  root.put("etc/security/limits.d/zzz.conf", std::string("memlock\n\0\n", 10));
  want("sysctl:net.core.rmem_max", "9");
  EXPECT_EQ(found(), Texts{});
}

}  // namespace
}  // namespace nettune::owners
