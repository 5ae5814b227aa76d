// SPDX-License-Identifier: Apache-2.0
#include "owners/shell_commands.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/owners/fixture.hpp"

namespace nettune::owners {
namespace {

std::string effects(const std::string& command) {
  std::string text;
  for (const CommandEffect& effect : command_effects(command, "eth0")) {
    text += effect.address.text + "=" + effect.value + " ";
  }
  return text;
}

TEST(OwnersShellCommands, PlainOnesAreUnderstood) {
  EXPECT_EQ(effects("ip link set eth0 mtu 9000"), "link:eth0:mtu=9000 ");
  EXPECT_EQ(effects("/bin/ip -4 l set dev \"$IFACE\" up mtu 9000"), "link:eth0:mtu=9000 ");
  EXPECT_EQ(effects("ifconfig ${IFACE} mtu 9000 up; ifconfig eth1 txqueuelen 5"),
            "link:eth0:mtu=9000 link:eth1:txqueuelen=5 ");
  EXPECT_EQ(effects("sysctl -q -w net/ipv4/tcp_sack=1 net.core.rmem_max=5"),
            "sysctl:net.ipv4.tcp_sack=1 sysctl:net.core.rmem_max=5 ");
  EXPECT_EQ(effects("echo 4096 87380 1 >/proc/sys/net/ipv4/tcp_rmem"),
            "sysctl:net.ipv4.tcp_rmem=4096 87380 1 ");
  EXPECT_EQ(effects("ethtool -G eth0 rx 4096 tx 2048"),
            "ethtool:eth0:ring-rx=4096 ethtool:eth0:ring-tx=2048 ");
  EXPECT_EQ(effects("/usr/sbin/ethtool -K $IFACE gro off rx-gro-hw on"),
            "ethtool:eth0:feature-rx-gro=off ethtool:eth0:feature-rx-gro-hw=on ");
  EXPECT_EQ(effects("ethtool --pause eth0 rx off; ethtool -L eth0 combined 8; ethtool -C eth0 "
                    "adaptive-rx off rx-usecs 8"),
            "ethtool:eth0:pause-rx=off ethtool:eth0:channels-combined=8 "
            "ethtool:eth0:coalesce-adaptive-rx=off ethtool:eth0:coalesce-rx-usecs=8 ");
  EXPECT_EQ(
      effects(
          "echo 1500 > /sys/class/net/eth0/mtu && echo 5 | tee /sys/class/net/eth0/tx_queue_len"),
      "link:eth0:mtu=1500 link:eth0:txqueuelen=5 ");
  EXPECT_EQ(effects("echo never > /sys/kernel/mm/transparent_hugepage/enabled"),
            "sysfs:transparent-hugepage=never ");
}

TEST(OwnersShellCommands, FilesThatSysctlLoads) {
  const auto files = [](const char* command) { return join(sysctl_files(command), " "); };
  EXPECT_EQ(files("sysctl -p"), "/etc/sysctl.conf");
  EXPECT_EQ(files("/sbin/sysctl -qp /etc/a.conf /etc/b.conf"), "/etc/a.conf /etc/b.conf");
  EXPECT_EQ(files("sysctl --load=/etc/a.conf"), "/etc/a.conf");
  EXPECT_EQ(files("sysctl --system"), "/etc/sysctl.conf") << "which it reads last";
  EXPECT_EQ(files("sysctl -w net.ipv4.tcp_sack=1 && sysctl -a; echo sysctl -p"), "");
}

TEST(OwnersShellCommands, OthersSayNothing) {
  for (const char* command : {"",
                              ";",
                              "ip",
                              "ip link",
                              "ip link set",
                              "ip link set dev",
                              "ip link set eth0 mtu",
                              "ip link set eth0 mtu $MTU",
                              "ip link show eth0 mtu 9000",
                              "ip route add default mtu 1400",
                              "sysctl net.ipv4.tcp_sack",
                              "echo 1 > /tmp/x",
                              "echo 1 >",
                              "echo >",
                              "echo",
                              "echo ip link set eth0 mtu 9000",
                              "ethtool -g eth0",
                              "ethtool -G eth0 rx",
                              "ethtool -G eth0 nonsense 1",
                              "echo 1 > /sys/class/net/eth0/nothing"}) {
    EXPECT_EQ(effects(command), "") << command;
  }
}

}  // namespace
}  // namespace nettune::owners
