// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "owners/shell_commands.hpp"
#include "owners/shell_scripts.hpp"
#include "unit/owners/fixture.hpp"

namespace nettune::owners {
namespace {

using namespace test;

class OwnersIfupdown : public test::OwnersTest {
 protected:
  void SetUp() override {
    card();
    enable("networking.service");
    root.put("usr/sbin/ifup", "");
    want("link:eth0:mtu", "9000");
  }
  void interfaces(const std::string& text) { root.put("etc/network/interfaces", text); }
};

TEST_F(OwnersIfupdown, TheMtuOfAStanza) {
  interfaces(
      "# This file describes the network interfaces available on your system\n"
      "source /etc/network/interfaces.d/*\n\n"
      "auto lo eth0\niface lo inet loopback\n\n"
      "iface eth0 inet static\n\taddress 192.0.2.7/24\n\tmtu 1500\n");
  EXPECT_EQ(found(), Texts{"/etc/network/interfaces:9 1500 wins"});
  EXPECT_EQ(sentence(),
            "/etc/network/interfaces:9 sets mtu = 1500; ifup sets it whenever it configures eth0, "
            "at boot after nettune; set 9000 there or remove the line");
  interfaces("auto eth0\niface eth0 inet static\n mtu 9000\n");
  EXPECT_EQ(found(), Texts{"/etc/network/interfaces:3 9000 loses"});
}

TEST_F(OwnersIfupdown, OnlyWhatIsBroughtUp) {
  const std::string stanza = "iface eth0 inet manual\n mtu 1500\n";
  const auto count = [&](const std::string& before) {
    interfaces(before + stanza);
    return found().size();
  };
  EXPECT_EQ(count(""), 0U) << "somebody has to call ifup";
  EXPECT_EQ(count("auto eth1\n"), 0U);
  EXPECT_EQ(count("auto eth1 eth0\n"), 1U);
  EXPECT_EQ(count("auto /eth*\n"), 1U);
  EXPECT_EQ(count("auto /mac/0c:42:a1:*=eth0\n"), 1U);
  EXPECT_EQ(count("auto /ib*\n"), 0U);
  EXPECT_EQ(count("auto eth0=home\n"), 0U) << "another stanza is taken";
  EXPECT_EQ(count("allow-hotplug eth0\n"), 1U);
  EXPECT_EQ(count("allow-ovs eth0\n"), 0U);
  interfaces(stanza + " auto\n");
  EXPECT_EQ(found().size(), 1U) << "auto without a name means the stanza that it stands in";
  link("/dev/null", "etc/systemd/system/networking.service");
  EXPECT_EQ(count("auto eth0\n"), 0U);
  EXPECT_EQ(count("allow-hotplug eth0\n"), 1U);
  std::filesystem::remove(root / "usr/sbin/ifup");
  EXPECT_EQ(count("allow-hotplug eth0\n"), 0U) << "left over from a removed package";
}

TEST_F(OwnersIfupdown, MethodsWithoutTheOptionIgnoreIt) {
  interfaces("auto eth0\niface eth0 inet dhcp\n mtu 1500\n");
  EXPECT_EQ(found(), Texts{});
}

TEST_F(OwnersIfupdown, SourcedFiles) {
  interfaces("source interfaces.d/*.cfg\nsource-directory more\n");
  root.put("etc/network/interfaces.d/a.cfg", "auto eth0\niface eth0 inet manual\n mtu 1500\n");
  root.put("etc/network/interfaces.d/b.conf", "iface eth0 inet manual\n mtu 1600\n");
  root.put("etc/network/more/plain-name_1", "iface eth0 inet manual\n mtu 1700\n");
  root.put("etc/network/more/dpkg.bak", "iface eth0 inet manual\n mtu 1800\n");
  EXPECT_EQ(found(), (Texts{"/etc/network/interfaces.d/a.cfg:3 1500 wins",
                            "/etc/network/more/plain-name_1:2 1700 wins"}));
  interfaces("source /etc/network/interfaces\n");
  EXPECT_EQ(found(), Texts{}) << "a file that sources itself";
}

TEST_F(OwnersIfupdown, Inherits) {
  interfaces(
      "iface jumbo inet manual\n mtu 1500\n"
      "auto eth0\niface eth0 inherits jumbo\n"
      "iface eth1 inet manual inherits later\n");
  EXPECT_EQ(found(), Texts{"/etc/network/interfaces:2 1500 wins"});
}

TEST_F(OwnersIfupdown, JoinedLinesAndComments) {
  interfaces("auto \\\n  eth0\niface eth0 inet static\n# mtu 1400\n  mtu \\\n 1500\n");
  EXPECT_EQ(found(), Texts{"/etc/network/interfaces:5 1500 wins"});
}

TEST_F(OwnersIfupdown, TheMtuOfIpv6IsOneOfItsOwn) {
  want("sysctl:net.ipv6.conf.eth0.mtu", "9000");
  interfaces("auto eth0\niface eth0 inet6 static\n mtu 1500\n");
  EXPECT_EQ(found(), Texts{"/etc/network/interfaces:3 1500 wins"});
  EXPECT_EQ(find()[0].address.text, "sysctl:net.ipv6.conf.eth0.mtu");
  interfaces("auto eth0\niface eth0 inet6 static\n mtu 9100\n");
  EXPECT_EQ(find()[0].address.text, "link:eth0:mtu") << "it raises a lower one";
}

TEST_F(OwnersIfupdown, SysctlsAsOptions) {
  want("sysctl:net.ipv6.conf.eth0.accept_ra", "2");
  want("sysctl:net.ipv6.conf.eth0.use_tempaddr", "0");
  interfaces("auto eth0\niface eth0 inet6 auto\n accept_ra 0\n privext 2\n autoconf 1\n");
  EXPECT_EQ(found(),
            (Texts{"/etc/network/interfaces:3 0 wins", "/etc/network/interfaces:4 2 wins"}));
}

TEST_F(OwnersIfupdown, Commands) {
  want("link:eth0:txqueuelen", "20000");
  want("sysctl:net.ipv4.conf.eth0.rp_filter", "2");
  want("sysctl:net.ipv4.tcp_sack", "0");
  interfaces(
      "auto eth0\niface eth0 inet dhcp\n"
      "  post-up /sbin/ip link set dev $IFACE mtu 1500 txqueuelen 1000\n"
      "  up sysctl -w net.ipv4.conf.$IFACE.rp_filter=1 || true\n"
      "  pre-up echo 1 > /proc/sys/net/ipv4/tcp_sack\n"
      "  down ip link set eth0 mtu 1400\n"
      "  up ip link set eth1 mtu 1300\n");
  EXPECT_EQ(found(),
            (Texts{"/etc/network/interfaces:3 1000 wins", "/etc/network/interfaces:3 1500 wins",
                   "/etc/network/interfaces:4 1 wins", "/etc/network/interfaces:5 1 wins"}));
  EXPECT_NE(find()[0].text.find("runs \"/sbin/ip link set dev $IFACE mtu 1500"), std::string::npos);
}

TEST_F(OwnersIfupdown, HostileFilesHurtNobody) {
  interfaces(
      std::string("iface\niface eth0\n mtu 1500\nauto\nsource\nsource ../../*\nmapping\n\0\\", 64));
  EXPECT_EQ(found(), Texts{});
}

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

std::string run_script(const std::string& text, const std::string& interface = "eth0") {
  std::string out;
  for (const ScriptCommand& one : script_commands(text, {{"IFACE", {interface}}}))
    out += one.text + (one.sure ? ";" : "?");
  return out;
}

TEST(OwnersShellScripts, ConditionsOnTheInterface) {
  const std::string hook =
      "#!/bin/sh\n[ \"$IFACE\" = eth0 ] || exit 0\nip link set $IFACE mtu 1500 # why\n";
  EXPECT_EQ(run_script(hook), "ip link set eth0 mtu 1500;");
  EXPECT_EQ(run_script(hook, "eth1"), "");
  const std::string branch =
      "if [ \"$IFACE\" = \"lo\" ]; then\n  a\nelif [[ $IFACE == eth* ]]; then b; else\n c\nfi\nd\n";
  EXPECT_EQ(run_script(branch), "b;d;");
  EXPECT_EQ(run_script(branch, "lo"), "a;d;");
  EXPECT_EQ(run_script(branch, "ib0"), "c;d;");
  const std::string choice =
      "case \"$IFACE\" in\n  lo) a ;;\n  eth0|eth1)\n    b\n    ;;\n  *) c;;\nesac\nd\n";
  EXPECT_EQ(run_script(choice), "b;d;");
  EXPECT_EQ(run_script(choice, "ib0"), "c;d;");
}

TEST(OwnersShellScripts, VariablesAndLoops) {
  EXPECT_EQ(run_script("DEV=eth5\nMTU=\"9000\"\nip link set ${DEV} mtu $MTU\n"),
            "ip link set eth5 mtu 9000;");
  EXPECT_EQ(run_script("for d in eth1 eth2; do\n  ethtool -G \"$d\" rx 64\ndone\nx $d\n"),
            "ethtool -G \"eth1\" rx 64;ethtool -G \"eth2\" rx 64;x $d;");
  EXPECT_EQ(run_script("cat <<EOF\nip link set eth0 mtu 1\nEOF\na \\\n  b\n"), "cat <<EOF;a b;");
}

TEST(OwnersShellScripts, WhatIsNotKnownIsNotSure) {
  EXPECT_EQ(run_script("if grep -q x /etc/y; then a; else b; fi; c\n"), "a?b?c;");
  EXPECT_EQ(run_script("[ -e /x ] && a\n[ -e /y ] || exit 0\nb\n"), "a?b?");
  EXPECT_EQ(run_script("f() {\n a\n}\nwhile read x; do b; done\nfor i in *; do c; done\nd\n"),
            "a?b?c?d;");
  EXPECT_EQ(run_script("exit 0\na\n"), "");
  for (const char* const text :
       {"fi\ndone\n}\nesac\n;;\n", "if\ncase\nfor\n[ ]\n[ ", "a &&", "|| b", "case x in"})
    (void)run_script(text);
}

TEST(OwnersShellScripts, OtherWaysToWriteTheSame) {
  EXPECT_EQ(run_script("grep -q x /y &&\n  a\nip x ||\n  b\nc\n"), "grep -q x /y;a?ip x;c;");
  EXPECT_EQ(run_script("f()\n{\n  a\n}\nb\n"), "a?b;");
  EXPECT_EQ(run_script("f() { a; }\nb\nfunction g {\n c\n}\nd\n"), "a?b;c?d;");
  EXPECT_EQ(run_script("[ -e /x ] && { a ${IFACE}; b; }\nc\n"), "a eth0?b?c;");
  EXPECT_EQ(run_script("for d in 1 2; do\n[ $d = 2 ] && x $d\ndone\n"), "x 1?x 2?");
  EXPECT_EQ(run_script("for d in 1 2; do\n[ -e /x ] && continue\na\ndone\n"), "a?");
  EXPECT_EQ(run_script("case $IFACE in\neth0) V=$(cat f)\n  a ;;\n*) b ;;\nesac\n"), "a;");
  EXPECT_EQ(run_script("A=$((1 << 2))\na\necho \"x <<EOF\"\nb\n"), "a;echo \"x <<EOF\";b;");
}

TEST(OwnersShellScripts, NothingGrowsWithoutEnd) {
  std::string doubling = "A=xx\n";
  for (int i = 0; i < 64; ++i) doubling += "A=$A$A\n";
  EXPECT_LT(run_script(doubling + "ip link set $A mtu 1\n").size(), std::size_t{1} << 16);
  std::string loops;
  for (const char* const name : {"a", "b", "c", "d"})
    loops += std::string("for ") + name + " in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do\n";
  EXPECT_LT(run_script(loops + "x $a $b $c $d\n").size(), std::size_t{1} << 16);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "V" + std::to_string(i) + "=1\n";
  EXPECT_EQ(run_script(many + "x $V999\n"), "x $V999;") << "not known, so not judged";
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "then ";
  EXPECT_EQ(run_script(deep + "a\nb\n"), "b;");
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

class OwnersDhclient : public test::OwnersTest {
 protected:
  void SetUp() override {
    card();
    enable("networking.service");
    root.put("usr/sbin/ifup", "");
    root.put("usr/sbin/dhclient", "");
    root.put("etc/network/interfaces", "allow-hotplug eth0\niface eth0 inet dhcp\n");
    want("link:eth0:mtu", "9000");
  }
  void conf(const std::string& text) { root.put("etc/dhcp/dhclient.conf", text); }
};

TEST_F(OwnersDhclient, AsDebianShipsIt) {
  conf(
      "option rfc3442-classless-static-routes code 121 = array of unsigned integer 8;\n\n"
      "send host-name = gethostname();\n"
      "request subnet-mask, broadcast-address, time-offset, routers,\n"
      "\tdomain-name, domain-name-servers,\n"
      "\tnetbios-name-servers, netbios-scope, interface-mtu,\n"
      "\trfc3442-classless-static-routes, ntp-servers;\n\n"
      "#supersede interface-mtu 1400;\n");
  EXPECT_EQ(found(), Texts{"/etc/dhcp/dhclient.conf:6  loses"});
  EXPECT_NE(sentence().find("add \"supersede interface-mtu 9000;\""), std::string::npos)
      << sentence();
}

TEST_F(OwnersDhclient, WhatOverridesIt) {
  conf("request subnet-mask, interface-mtu;\nsupersede interface-mtu 1500;\n");
  EXPECT_EQ(found(), Texts{"/etc/dhcp/dhclient.conf:2 1500 wins"});
  conf("request interface-mtu;\nsupersede interface-mtu 9000;\n");
  EXPECT_EQ(found(), Texts{"/etc/dhcp/dhclient.conf:2 9000 loses"});
  conf("request interface-mtu;\nrequest subnet-mask;\n");
  EXPECT_EQ(found(), Texts{}) << "a later list replaces the one before";
  conf("request subnet-mask;\nalso request interface-mtu;\n");
  EXPECT_EQ(found(), Texts{"/etc/dhcp/dhclient.conf:2  loses"});
  conf("interface \"eth1\" { request interface-mtu; }\nrequest subnet-mask;\n");
  EXPECT_EQ(found(), Texts{});
  conf("interface \"eth0\" {\n  request interface-mtu;\n}\n");
  EXPECT_EQ(found(), Texts{"/etc/dhcp/dhclient.conf:2  loses"});
  conf("lease { option x { request interface-mtu; } }\nalso request interface-mtu;\n");
  EXPECT_EQ(found(), Texts{"/etc/dhcp/dhclient.conf:2  loses"});
  conf("} } ; { interface-mtu ,");
  EXPECT_EQ(found(), Texts{});
}

TEST_F(OwnersDhclient, OnlyWhereIfupdownCallsIt) {
  conf("request interface-mtu;\n");
  EXPECT_EQ(found().size(), 1U);
  root.put("etc/network/interfaces", "allow-hotplug eth0\niface eth0 inet manual\n");
  EXPECT_EQ(found(), Texts{});
  root.put("etc/network/interfaces", "allow-hotplug eth0\niface eth0 inet6 dhcp\n");
  EXPECT_EQ(found(), Texts{});
  root.put("etc/network/interfaces", "allow-hotplug eth0\niface eth0 inet dhcp\n");
  std::filesystem::remove(root / "usr/sbin/dhclient");
  EXPECT_EQ(found(), Texts{});
}

}  // namespace
}  // namespace nettune::owners
