// SPDX-License-Identifier: Apache-2.0
#include "owners/irqbalance.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/owners/fixture.hpp"

namespace nettune::owners {
namespace {

using namespace test;

class OwnersIrqbalance : public test::OwnersTest {
 protected:
  void SetUp() override {
    for (const int number : {97, 98, 110})
      root.put(cat("sys/class/net/eth0/device/msi_irqs/", number), "msix\n");
    link("/sys/module/mlx5_core", "sys/class/net/eth0/device/driver/module");
    for (const char* const index : {"0", "1", "2"}) want(cat("irq:eth0:", index), "0-3");
    want("link:eth0:mtu", "9000");
  }
  void runs(const std::string& arguments = "") {
    root.put("run/irqbalance/irqbalance77.sock", "");
    root.put("proc/77/comm", "irqbalance\n");
    std::string line = "/usr/sbin/irqbalance --foreground";
    if (!arguments.empty()) line += ' ' + arguments;
    std::ranges::replace(line, ' ', '\0');
    root.put("proc/77/cmdline", line + '\0');
  }
  void arguments(const std::string& line) {
    root.put("etc/default/irqbalance", "# arguments\n" + line + "\n");
  }
  /// The interrupts that are claimed.
  std::string claimed() {
    std::vector<std::string> indices;
    for (const Claim& claim : find()) indices.emplace_back(claim.address.key());
    return join(indices, " ");
  }
};

TEST_F(OwnersIrqbalance, IsNothingWhereItIsNotEnabled) {
  root.put("usr/lib/systemd/system/irqbalance.service", "[Unit]\n");
  EXPECT_EQ(claimed(), "");
  root.put("run/irqbalance/irqbalance77.sock", "");
  root.put("proc/77/comm", "bash\n");
  EXPECT_EQ(claimed(), "") << "the socket of one that was killed";
  enable("irqbalance.service");
  link("/dev/null", "etc/systemd/system/irqbalance.service");
  EXPECT_EQ(claimed(), "");
}

TEST_F(OwnersIrqbalance, RevertsEveryInterruptThatIsSet) {
  enable("irqbalance.service");
  const auto claims = find();
  ASSERT_EQ(claims.size(), 3U);
  EXPECT_EQ(claims[0].owner, "irqbalance");
  EXPECT_EQ(claims[0].file, "/etc/default/irqbalance");
  EXPECT_TRUE(claims[0].undoes);
  EXPECT_TRUE(claims[0].wins);
  EXPECT_EQ(claims[0].text,
            "irqbalance, which is enabled (nettune cannot see if it runs now), moves the "
            "interrupts of eth0 as their load changes, which reverts this setting; run systemctl "
            "disable --now irqbalance.service, or ban them in IRQBALANCE_ARGS "
            "(/etc/default/irqbalance) with --banirq=N for each (now 97 to 110; a boot may change "
            "them), or with --banmod=mlx5_core for all of this driver");
  EXPECT_EQ(claims[1].text, claims[0].text) << "it is told once";
}

TEST_F(OwnersIrqbalance, IsFoundAtWork) {
  runs();
  const auto claims = find();
  ASSERT_EQ(claims.size(), 3U);
  EXPECT_FALSE(claims[0].wins) << "not at the next boot";
  EXPECT_TRUE(claims[0].undoes);
}

TEST_F(OwnersIrqbalance, LeavesAloneWhatIsBanned) {
  enable("irqbalance.service");
  arguments("IRQBALANCE_ARGS=\"--banirq=97 -i 110 --deepestcache=2\"");
  EXPECT_EQ(claimed(), "1");
  EXPECT_EQ(find()[0].line, 2);
  arguments("IRQBALANCE_ARGS=--banmod=mlx5_core");
  EXPECT_EQ(claimed(), "");
  arguments("#IRQBALANCE_ARGS=--banmod=mlx5_core");
  EXPECT_EQ(claimed(), "0 1 2");
  root.put("usr/lib/irqbalance/defaults.env", "IRQBALANCE_ARGS=-m mlx5_core\n");
  EXPECT_EQ(claimed(), "");
  arguments("IRQBALANCE_ARGS=");
  EXPECT_EQ(claimed(), "0 1 2") << "the later file counts";
}

TEST_F(OwnersIrqbalance, TheOneThatRunsMayHaveOtherArguments) {
  enable("irqbalance.service");
  arguments("IRQBALANCE_ARGS=--banmod=mlx5_core");
  runs();
  EXPECT_EQ(claimed(), "0 1 2") << "it was started before they were written";
  runs("--banirq=98 --banirq=110");
  EXPECT_EQ(claimed(), "0");
}

TEST_F(OwnersIrqbalance, AnInterruptThatIsGoneIsNobodys) {
  enable("irqbalance.service");
  want("irq:eth0:3", "0-3");
  want("irq:gone:0", "0-3");
  EXPECT_EQ(claimed(), "0 1 2");
}

TEST(OwnersIrqbalanceArguments, AreReadInEachForm) {
  const auto banned = [](std::string_view text) {
    const Banned all = banned_by(words(text));
    std::string out;
    for (const int number : all.interrupts) out += cat(number, " ");
    for (const std::string& module : all.modules) out += cat(module, " ");
    return out;
  };
  EXPECT_EQ(banned("--banirq=1 --banirq 2 -i3 -i 4 --banmod=a --banmod b -mc -m d"),
            "1 2 3 4 a b c d ");
  EXPECT_EQ(banned("--banirqs=1 --banirq=x --banirq= -i"), "");
  EXPECT_EQ(banned(""), "");
}

}  // namespace
}  // namespace nettune::owners
