// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <gtest/gtest.h>

#include "unit/owners/fixture.hpp"

namespace nettune::owners {
namespace {

using namespace test;

class OwnersDaemonSysctls : public test::OwnersTest {
 protected:
  void script(const std::string& path, const std::string& text) {
    root.put(path, "#!/bin/sh\n" + text);
    std::filesystem::permissions(root / path, std::filesystem::perms(0755));
  }
  void service(const std::string& name, const std::string& text) {
    if (!std::filesystem::exists(root / ("usr/lib/systemd/system/" + name))) enable(name);
    root.put("usr/lib/systemd/system/" + name, "[Service]\n" + text);
  }
};

TEST_F(OwnersDaemonSysctls, KubeletSetsItsKeys) {
  want("sysctl:vm.overcommit_memory", "2");
  want("sysctl:kernel.panic", "10");
  EXPECT_EQ(found(), Texts{}) << "it is not here";
  enable("kubelet.service");
  EXPECT_EQ(found(), (Texts{"/usr/lib/systemd/system/kubelet.service:0 1 wins",
                            "/usr/lib/systemd/system/kubelet.service:0 10 loses"}));
  root.put("var/lib/kubelet/config.yaml",
           "kind: KubeletConfiguration\nprotectKernelDefaults: true\n");
  EXPECT_EQ(
      find()[0].text.find("does not start with another value (/var/lib/kubelet/config.yaml:2)") ==
          std::string::npos,
      false)
      << find()[0].text;
  link("/dev/null", "etc/systemd/system/kubelet.service");
  EXPECT_EQ(found(), Texts{}) << "masked";
}

TEST_F(OwnersDaemonSysctls, KubeProxyRaises) {
  want("sysctl:net.netfilter.nf_conntrack_max", "65536");
  want("sysctl:net.netfilter.nf_conntrack_tcp_timeout_established", "432000");
  want("sysctl:net.netfilter.nf_conntrack_tcp_timeout_close_wait", "60");
  want("sysctl:net.ipv4.conf.all.route_localnet", "0");
  root.put("var/log/containers/coredns-1.log", "");
  EXPECT_EQ(found(), Texts{});
  root.put("var/log/containers/kube-proxy-abcde_kube-system_kube-proxy-1.log", "");
  const std::string log = "/var/log/containers/kube-proxy-abcde_kube-system_kube-proxy-1.log:0 ";
  EXPECT_EQ(found(), (Texts{log + "1 loses", log + "131072 wins", log + "3600 wins"}))
      << "a larger value stays, and what depends on its mode does not win";
}

TEST_F(OwnersDaemonSysctls, DockerForwards) {
  want("sysctl:net.ipv4.ip_forward", "0");
  enable("docker.service");
  EXPECT_EQ(found(), Texts{"/usr/lib/systemd/system/docker.service:0 1 wins"});
  root.put("etc/docker/daemon.json", "{\n  \"ip-forward\" : false\n}\n");
  EXPECT_EQ(found(), Texts{});
}

TEST_F(OwnersDaemonSysctls, K3sIsAllOfThem) {
  want("sysctl:net.ipv4.conf.all.forwarding", "0");
  want("sysctl:vm.panic_on_oom", "1");
  want("sysctl:net.netfilter.nf_conntrack_tcp_timeout_close_wait", "60");
  enable("k3s-agent.service");
  const std::string unit = "/usr/lib/systemd/system/k3s-agent.service:0 ";
  EXPECT_EQ(found(), (Texts{unit + "0 wins", unit + "1 wins", unit + "3600 wins"}));
}

TEST_F(OwnersDaemonSysctls, ServicesThatRunSysctl) {
  want("sysctl:net.core.rmem_max", "9");
  want("sysctl:net.ipv4.tcp_rmem", "1 2 3");
  root.put("etc/tuning.conf", "net.core.rmem_max = 5\nnet.ipv4.tcp_rmem = 1\t2  3\n");
  root.put("etc/systemd/system/late.service",
           "[Service]\nExecStart=/sbin/sysctl -p /etc/tuning.conf\n");
  EXPECT_EQ(found(), Texts{}) << "nobody starts it";
  std::filesystem::remove(root / "etc/systemd/system/late.service");
  service("late.service", "ExecStart=-/sbin/sysctl -p /etc/tuning.conf\n");
  EXPECT_EQ(found(), (Texts{"/etc/tuning.conf:1 5 wins", "/etc/tuning.conf:2 1 2 3 loses"}));
  service("late.service",
          "Type=oneshot\nExecStart=/bin/sh -c 'sleep 5; sysctl -w net.core.rmem_max=7'\n");
  EXPECT_EQ(found(), Texts{"/usr/lib/systemd/system/late.service:3 7 wins"});
  service("late.service", "ExecStart=/opt/tune\n");
  script("opt/tune", "set -e\nsysctl -w net.core.rmem_max=8\n");
  EXPECT_EQ(found(), Texts{"/opt/tune:3 8 wins"});
  root.put("etc/systemd/system/late.service.d/a.conf",
           "[Service]\nExecStart=/usr/sbin/sysctl --system\n");
  root.put("etc/sysctl.conf", "net.core.rmem_max = 6\n");
  const auto texts = found();
  EXPECT_NE(std::ranges::find(texts, "/etc/sysctl.conf:1 6 wins"), texts.end());
}

TEST_F(OwnersDaemonSysctls, ATimerStartsAService) {
  want("sysctl:net.core.rmem_max", "9");
  root.put("usr/lib/systemd/system/late.service",
           "[Service]\nExecStart=sysctl -w net.core.rmem_max=7\n");
  enable("late.timer");
  EXPECT_EQ(found(), Texts{"/usr/lib/systemd/system/late.service:2 7 wins"});
}

TEST_F(OwnersDaemonSysctls, BootCommands) {
  want("link:eth7:mtu", "9000");
  want("ethtool:eth7:ring-rx", "8192");
  root.put("etc/rc.local", "#!/bin/sh\nip link set eth7 mtu 1500\n");
  EXPECT_EQ(found(), Texts{}) << "not executable";
  script("etc/rc.local", "for d in eth6 eth7; do\n  ip link set $d mtu 1500\ndone\n");
  EXPECT_EQ(found(), Texts{"/etc/rc.local:3 1500 wins"});
  std::filesystem::remove(root / "etc/rc.local");
  enable("cron.service");
  root.put("etc/cron.d/rings",
           "# boot\n@reboot root /sbin/ethtool -G eth7 rx 64\n0 * * * * root x\n");
  EXPECT_EQ(found(), Texts{"/etc/cron.d/rings:2 64 wins"});
}

TEST_F(OwnersDaemonSysctls, HooksOfTheInterface) {
  card();
  want("link:eth0:mtu", "9000");
  want("ethtool:eth0:ring-rx", "8192");
  script("etc/network/if-up.d/mtu",
         "[ \"$IFACE\" = eth0 ] || exit 0\nip link set $IFACE mtu 1500\n");
  script("etc/networkd-dispatcher/routable.d/50-ring", "ethtool -G \"$IFACE\" rx 4096\n");
  script("etc/NetworkManager/dispatcher.d/50-ring",
         "DEV=$1\ncase \"$2\" in\n  up) ethtool -G $DEV rx 64 ;;\n  down) ethtool -G $DEV rx 32 "
         ";;\nesac\n");
  EXPECT_EQ(found(), Texts{}) << "nobody runs them";
  enable("networking.service");
  root.put("etc/network/interfaces", "auto eth0\niface eth0 inet dhcp\n");
  EXPECT_EQ(found(), Texts{"/etc/network/if-up.d/mtu:3 1500 wins"});
  enable("networkd-dispatcher.service");
  enable("NetworkManager.service");
  EXPECT_EQ(found(), (Texts{"/etc/NetworkManager/dispatcher.d/50-ring:4 64 wins",
                            "/etc/network/if-up.d/mtu:3 1500 wins",
                            "/etc/networkd-dispatcher/routable.d/50-ring:2 4096 wins"}));
  script("etc/network/if-up.d/mtu", "[ -e /run/x ] || exit 0\nip link set $IFACE mtu 1500\n");
  EXPECT_EQ(found()[1], "/etc/network/if-up.d/mtu:3 1500 loses") << "it may exit before";
}

TEST_F(OwnersDaemonSysctls, RulesOfUdev) {
  card().physical = false;
  want("link:eth0:mtu", "9000");
  want("link:eth0:txqueuelen", "20000");
  want("ethtool:eth0:ring-rx", "8192");
  want("sysctl:net.ipv4.conf.eth0.rp_filter", "2");
  const auto rules = [&](const std::string& text) {
    root.put("etc/udev/rules.d/70-site.rules", text);
  };
  rules(
      "SUBSYSTEM==\"net\", ACTION==\"add|change\", KERNEL==\"eth*\", ATTR{mtu}=\"1500\", "
      "ATTR{tx_queue_len}=\"5\"\n");
  EXPECT_EQ(found(), (Texts{"/etc/udev/rules.d/70-site.rules:1 1500 wins",
                            "/etc/udev/rules.d/70-site.rules:1 5 wins"}));
  rules(
      "# rings\nACTION!=\"add\", GOTO=\"end\"\nSUBSYSTEM==\"net\", DRIVERS==\"mlx5_core\", \\\n"
      "  RUN+=\"/sbin/ethtool -G $name rx 64\"\nLABEL=\"end\"\n");
  EXPECT_EQ(found(), Texts{"/etc/udev/rules.d/70-site.rules:3 64 wins"});
  rules(
      "ACTION==\"add\", "
      "GOTO=\"end\"\nATTR{mtu}=\"1500\"\nLABEL=\"end\"\nSYSCTL{net/ipv4/conf/$name/"
      "rp_filter}=\"0\"\n");
  EXPECT_EQ(found(), Texts{"/etc/udev/rules.d/70-site.rules:4 0 wins"});
  rules(
      "KERNEL==\"ib*\", ATTR{mtu}=\"1500\"\nSUBSYSTEM==\"block\", "
      "ATTR{mtu}=\"1500\"\nACTION==\"remove\", ATTR{mtu}=\"1\"\n");
  EXPECT_EQ(found(), Texts{}) << "other devices and events";
  rules("ENV{ID_VENDOR_ID}==\"0x15b3\", RUN+=\"/bin/sh -c 'ip link set %k mtu 1500'\"\n");
  EXPECT_EQ(found(), Texts{"/etc/udev/rules.d/70-site.rules:1 1500 loses"})
      << "a property that is not known";
  links[0].physical = true;
  rules("ATTR{address}==\"0c:42:a1:00:00:01\", ATTR{mtu}=\"1500\"\n");
  EXPECT_EQ(found(), Texts{"/etc/udev/rules.d/70-site.rules:1 1500 loses"})
      << "nettune follows for a card";
  root.put("etc/udev/rules.d/71.rules", std::string("\0=\"{\nRUN+=\nA{==\"\n,,,\nX==\"", 26));
  EXPECT_EQ(found().size(), 1U);
}

}  // namespace
}  // namespace nettune::owners
