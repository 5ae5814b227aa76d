// SPDX-License-Identifier: Apache-2.0
#include "kinds/irq/provider.hpp"

#include <cerrno>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::kinds::irq {
namespace {

using namespace test;

class KindsIrqProvider : public testing::Test {
 protected:
  KindsIrqProvider() {
    sys.put("devices/system/cpu/present", "0-15\n");
    sys.put("devices/system/cpu/online", "0-7\n");
    // Numbers are sorted as numbers: 9 is the first.
    for (const int number : {9, 10, 120}) has(number);
    sys.make("class/net/lo");
  }
  void has(int number) {
    sys.put(cat("class/net/eth0/device/msi_irqs/", number), "msix\n");
    proc.put(cat(number, "/smp_affinity_list"), "0-15\n");
    proc.put(cat(number, "/effective_affinity_list"), "3\n");
  }
  std::string file(int number) { return proc.get(cat(number, "/smp_affinity_list")); }
  std::string wanted(const std::string& address, const std::string& text) {
    const auto value = provider.canonical(Address{address}, text);
    return value ? value->value_or("") : "error: " + value.error().text;
  }
  std::string impossible(const char* value) {
    return provider.effects(Address{"irq:eth0:0"}, "0-15", value).impossible;
  }

  Scratch sys;
  Scratch proc;
  IrqProvider provider{sys.path(), proc.path()};
};

TEST_F(KindsIrqProvider, AnIndexIsAPlaceAmongTheNumbers) {
  ASSERT_TRUE(write_one(provider, "irq:eth0:0", "0-15", "0-3"));
  ASSERT_TRUE(write_one(provider, "irq:eth0:2", "0-15", "7"));
  EXPECT_EQ(file(9), "0-3\n");
  EXPECT_EQ(file(10), "0-15\n");
  EXPECT_EQ(file(120), "7\n");
  EXPECT_EQ(read_one(provider, "irq:eth0:0").text, "0-3");
}

TEST_F(KindsIrqProvider, AfterABootTheSameIndexIsMeant) {
  ASSERT_TRUE(write_one(provider, "irq:eth0:0", "0-15", "0-3"));
  std::filesystem::remove_all(sys / "class/net/eth0/device/msi_irqs");
  for (const int number : {200, 201}) has(number);
  EXPECT_EQ(read_one(provider, "irq:eth0:0").text, "0-15");
  ASSERT_TRUE(write_one(provider, "irq:eth0:0", "0-15", "4"));
  EXPECT_EQ(file(200), "4\n");
  EXPECT_EQ(file(9), "0-3\n") << "it may be another device's now";
  const Reading gone = read_one(provider, "irq:eth0:2");
  EXPECT_EQ(gone.presence, Presence::missing);
  EXPECT_EQ(gone.why, "eth0 has only 2 interrupts");
  const auto written = write_one(provider, "irq:eth0:2", "0-15", "4");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::conflict);
}

TEST_F(KindsIrqProvider, WhatIsNotHereSaysWhy) {
  EXPECT_EQ(read_one(provider, "irq:gone:0").presence, Presence::missing);
  const Reading none = read_one(provider, "irq:lo:0");
  EXPECT_EQ(none.presence, Presence::not_applicable);
  EXPECT_EQ(none.why, "lo has no message-signaled interrupts");
  std::filesystem::remove_all(proc / "10");
  EXPECT_EQ(read_one(provider, "irq:eth0:1").presence, Presence::not_applicable);
  proc.put("120/smp_affinity_list", "\n");
  EXPECT_EQ(read_one(provider, "irq:eth0:2").presence, Presence::not_applicable);
}

/// register_irq_proc() of newer kernels: the file of a managed interrupt is read-only.
TEST_F(KindsIrqProvider, WhatTheKernelManagesIsNotApplicable) {
  proc.put("10/smp_affinity_list", "4-5\n", 0444);
  const Reading managed = read_one(provider, "irq:eth0:1");
  EXPECT_EQ(managed.presence, Presence::not_applicable);
  EXPECT_EQ(managed.why,
            "interrupt 10 is at 4-5: the kernel keeps this interrupt where it is (managed or bound "
            "to one CPU)");
}

TEST(KindsIrqRefusal, IsExplained) {
  EXPECT_TRUE(refusal_hint(EIO, false).starts_with("the kernel keeps this interrupt"));
  EXPECT_TRUE(refusal_hint(EPERM, false).starts_with("the kernel keeps this interrupt"));
  EXPECT_EQ(refusal_hint(EPERM, true), "") << "a container, or no root";
  EXPECT_NE(refusal_hint(ENOSPC, false).find("no free interrupt vector"), std::string::npos);
  EXPECT_EQ(refusal_hint(EINVAL, false), "");
}

TEST_F(KindsIrqProvider, SaysWhereAnInterruptReallyGoes) {
  const auto no_effect = [&](const char* value) {
    return provider.no_effect(Address{"irq:eth0:0"}, Value(value), {});
  };
  EXPECT_EQ(no_effect("0-15"), "");
  EXPECT_EQ(no_effect("4-5"), "") << "it is not written yet";
  proc.put("9/smp_affinity_list", "4-5\n");
  EXPECT_EQ(no_effect("4-5"),
            "is not in effect: interrupt 9 goes to CPU 3 (effective_affinity_list)");
  EXPECT_EQ(read_one(provider, "irq:eth0:0").presence, Presence::present);
  std::filesystem::remove(proc / "9/effective_affinity_list");
  EXPECT_EQ(no_effect("4-5"), "");
}

TEST_F(KindsIrqProvider, ListsHaveOneText) {
  EXPECT_EQ(wanted("irq:eth0:0", "3,1,2,0,9"), "0-3,9");
  for (const char* const bad : {"", "none", "3-1", "x", "near", "0,,1", "0-9999999"})
    EXPECT_TRUE(wanted("irq:eth0:0", bad).starts_with("error")) << bad;
  for (const char* const address : {"irq:eth0", "irq:eth0:", "irq:eth0:x", "irq:eth0:-1",
                                    "irq:eth0:01", "irq:eth0:0#1", "irq:a/b:0", "irq:eth0:99999"})
    EXPECT_TRUE(wanted(address, "0").starts_with("error")) << address;
  EXPECT_FALSE(provider.canonical(Address{"irq:eth0:0"}, {}));
}

TEST_F(KindsIrqProvider, CpusMustBeHere) {
  EXPECT_EQ(impossible("0-15"), "");
  EXPECT_EQ(impossible("7-15"), "") << "one that is online is enough";
  EXPECT_EQ(impossible("0-16"), "this node has only the CPUs 0-15");
  EXPECT_EQ(impossible("8-15"), "none of these CPUs is online; online are 0-7");
}

TEST_F(KindsIrqProvider, WhatWasThereIsWrittenBackAsItWas) {
  const auto effects = provider.effects(Address{"irq:eth0:0"}, Value("0-15"), Value("0"));
  EXPECT_EQ(effects.undo, Undo::exact);
  EXPECT_EQ(effects.impact, Impact::none);
  EXPECT_EQ(effects.not_permitted, "");
  EXPECT_EQ(provider.lifetime(Address{"irq:eth0:0"}), Lifetime::runtime);
}

}  // namespace
}  // namespace nettune::kinds::irq
