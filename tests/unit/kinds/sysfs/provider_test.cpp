// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysfs/provider.hpp"

#include <gtest/gtest.h>
#include <set>

#include "base/text.hpp"
#include "kinds/sysfs/value.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::kinds::sysfs {
namespace {

using namespace test;

constexpr const char* kEnabled = "kernel/mm/transparent_hugepage/enabled";

class KindsSysfsProvider : public testing::Test {
 protected:
  KindsSysfsProvider() {
    sys.put(kEnabled, "always [madvise] never\n");
    for (const int policy : {0, 2, 10})
      sys.put(cat("devices/system/cpu/cpufreq/policy", policy, "/scaling_governor"), "schedutil\n");
    for (const int queue : {0, 1})
      sys.put(cat("class/net/eth0/queues/rx-", queue, "/rps_cpus"), "00000000,00000000\n");
    sys.make("class/net/eth0/queues/tx-0");
  }

  std::string wanted(const std::string& address, const std::string& text) {
    const auto value = provider.canonical(Address{address}, text);
    return value ? value->value_or("") : "error: " + value.error().text;
  }

  Scratch sys;
  SysfsProvider provider{sys.path()};
};

TEST_F(KindsSysfsProvider, AreReadInTheirForm) {
  EXPECT_EQ(read_one(provider, "sysfs:transparent-hugepage").text, "madvise");
  EXPECT_EQ(read_one(provider, "sysfs:cpu-governor").text, "schedutil");
  EXPECT_EQ(read_one(provider, "sysfs:eth0:rps-cpus").text, "none");
  sys.put("class/net/eth0/queues/rx-1/rps_cpus", "00000001,0000000f\n");
  EXPECT_EQ(read_one(provider, "sysfs:eth0:rps-cpus").text, "none;0-3,32");
}

TEST_F(KindsSysfsProvider, AskWhatTheKernelLists) {
  const auto lists = [&](const char* address, const char* value) {
    return provider.lists(Address{address}, value);
  };
  EXPECT_TRUE(lists("sysfs:transparent-hugepage", "always"));
  EXPECT_TRUE(lists("sysfs:transparent-hugepage", "madvise"));
  EXPECT_FALSE(lists("sysfs:transparent-hugepage", "defer"));
  EXPECT_FALSE(lists("sysfs:cpu-governor", "performance")) << "no list here";
  for (const int policy : {0, 2, 10})
    sys.put(cat("devices/system/cpu/cpufreq/policy", policy, "/scaling_available_governors"),
            policy == 2 ? "schedutil\n" : "performance schedutil\n");
  EXPECT_TRUE(lists("sysfs:cpu-governor", "schedutil"));
  EXPECT_FALSE(lists("sysfs:cpu-governor", "performance")) << "not on every CPU";
  EXPECT_FALSE(lists("sysfs:eth0:rps-cpus", "0-7"));
}

TEST_F(KindsSysfsProvider, WhatTheKernelWouldRefuseIsImpossibleAtPlan) {
  const auto impossible = [&](const char* address, const char* value) {
    return provider.effects(Address{address}, "x", value).impossible;
  };
  EXPECT_EQ(impossible("sysfs:transparent-hugepage", "always"), "");
  EXPECT_EQ(
      impossible("sysfs:transparent-hugepage", "defer"),
      cat(sys.path(), '/', kEnabled, " does not take defer; it takes always, madvise, never"));
  EXPECT_EQ(impossible("sysfs:cpu-governor", "performance"), "") << "no list here";
  for (const int policy : {0, 2, 10})
    sys.put(cat("devices/system/cpu/cpufreq/policy", policy, "/scaling_available_governors"),
            "performance schedutil \n");
  EXPECT_EQ(impossible("sysfs:cpu-governor", "conservative"), "") << "a module may have it";
  EXPECT_NE(impossible("sysfs:cpu-governor", "fast"), "");
  // show_scaling_available_governors() of a driver that has its own (intel_pstate).
  sys.put("devices/system/cpu/cpufreq/policy2/scaling_available_governors",
          "performance powersave\n");
  EXPECT_NE(impossible("sysfs:cpu-governor", "schedutil").find("it takes performance, powersave"),
            std::string::npos);
  EXPECT_EQ(impossible("sysfs:eth0:rps-cpus", "0-7"), "") << "how many CPUs there are is not known";
  sys.put("devices/system/cpu/possible", "0-7\n");
  EXPECT_EQ(impossible("sysfs:eth0:rps-cpus", "0-7"), "");
  EXPECT_EQ(impossible("sysfs:eth0:rps-cpus", "none"), "");
  EXPECT_EQ(impossible("sysfs:eth0:rps-cpus", "0-8"), "this node has no CPU 8; the last one is 7");
}

TEST_F(KindsSysfsProvider, WhatIsNotHereSaysWhy) {
  EXPECT_EQ(read_one(provider, "sysfs:gone:rps-cpus").presence, Presence::missing);
  EXPECT_EQ(read_one(provider, "sysfs:eth0:xps-cpus").presence, Presence::not_applicable);
  EXPECT_EQ(read_one(provider, "sysfs:transparent-hugepage-defrag").presence,
            Presence::not_applicable);
  sys.put(kEnabled, "nothing in brackets\n");
  EXPECT_EQ(read_one(provider, "sysfs:transparent-hugepage").presence, Presence::not_permitted);
}

TEST_F(KindsSysfsProvider, ASettingOfTheHostIsNoneOfAnInterface) {
  for (const char* const address : {"sysfs:eth0:cpu-governor", "sysfs:rps-cpus", "sysfs:nonsense",
                                    "sysfs:cpu-governor#1", "sysfs:a/b:rps-cpus"})
    EXPECT_TRUE(wanted(address, "none").starts_with("error")) << address;
}

TEST_F(KindsSysfsProvider, ListsOfCpusHaveOneText) {
  EXPECT_EQ(wanted("sysfs:eth0:rps-cpus", "3,1,2,0,9"), "0-3,9");
  EXPECT_EQ(wanted("sysfs:eth0:rps-cpus", "none"), "none");
  EXPECT_EQ(wanted("sysfs:eth0:rps-cpus", "0-1;0-1"), "0-1");
  for (const char* const bad : {"", "3-1", "x", "0-", "-1", "0-9999999", "0,,1", "ff"})
    EXPECT_TRUE(wanted("sysfs:eth0:rps-cpus", bad).starts_with("error")) << bad;
  EXPECT_TRUE(wanted("sysfs:cpu-governor", "two words").starts_with("error"));
}

/// What the kernel prints is what we write, for every CPU on both sides of a group of 32.
TEST_F(KindsSysfsProvider, AMaskComesBackAsItsList) {
  for (const char* const list : {"none", "0", "31", "32", "0-63", "1,33,65", "8191"})
    EXPECT_EQ(sysfs_value(SysfsForm::cpus, sysfs_file_text(SysfsForm::cpus, list)).value_or("?"),
              list);
  EXPECT_EQ(sysfs_file_text(SysfsForm::cpus, "0-3,32"), "00000001,0000000f");
}

TEST_F(KindsSysfsProvider, EveryFileIsWrittenInTheOrderOfItsNumber) {
  ASSERT_TRUE(write_one(provider, "sysfs:cpu-governor", "schedutil", "performance"));
  for (const int policy : {0, 2, 10})
    EXPECT_EQ(sys.get(cat("devices/system/cpu/cpufreq/policy", policy, "/scaling_governor")),
              "performance\n");
  ASSERT_TRUE(write_one(provider, "sysfs:cpu-governor", "performance", "a;b;c"));
  EXPECT_EQ(sys.get("devices/system/cpu/cpufreq/policy10/scaling_governor"), "c\n");
  EXPECT_EQ(read_one(provider, "sysfs:cpu-governor").text, "a;b;c");
}

TEST_F(KindsSysfsProvider, ValuesForFilesThatAreGoneAreNotSpreadOverOthers) {
  const auto written = write_one(provider, "sysfs:eth0:rps-cpus", "none", "0;1;2");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::conflict);
  EXPECT_EQ(sys.get("class/net/eth0/queues/rx-0/rps_cpus"), "00000000,00000000\n");
}

TEST_F(KindsSysfsProvider, HugepagesMoveTheReserveOfMemory) {
  const auto effects =
      provider.effects(Address{"sysfs:transparent-hugepage"}, Value("never"), Value("always"));
  EXPECT_NE(find_witness(effects, "sysctl:vm.min_free_kbytes"), nullptr);
  EXPECT_EQ(effects.undo, Undo::exact);
}

/// intel_pstate_hwp_set(): with this governor the preference becomes "performance", and it returns
/// with the other one.
TEST_F(KindsSysfsProvider, AGovernorMovesTheEnergyPreferenceWhereThereIsOne) {
  const auto touches = [&] {
    const auto effects =
        provider.effects(Address{"sysfs:cpu-governor"}, Value("powersave"), Value("performance"));
    return find_witness(effects, "sysfs:cpu-energy-preference") != nullptr;
  };
  EXPECT_FALSE(touches());
  for (const int policy : {0, 2, 10})
    sys.put(cat("devices/system/cpu/cpufreq/policy", policy, "/energy_performance_preference"),
            "balance_performance\n");
  EXPECT_TRUE(touches());
  EXPECT_EQ(read_one(provider, "sysfs:cpu-energy-preference").text, "balance_performance");
}

TEST_F(KindsSysfsProvider, PowerOfCpusAndCards) {
  for (const int cpu : {0, 1, 10})
    sys.put(cat("devices/system/cpu/cpu", cpu, "/power/energy_perf_bias"),
            cpu == 1 ? "0\n" : "6\n");
  sys.put("devices/system/cpu/cpufreq/boost", "1\n");
  EXPECT_EQ(read_one(provider, "sysfs:cpu-energy-bias").text, "6;0;6");
  ASSERT_TRUE(write_one(provider, "sysfs:cpu-energy-bias", "6;0;6", "0"));
  EXPECT_EQ(sys.get("devices/system/cpu/cpu10/power/energy_perf_bias"), "0\n");
  EXPECT_EQ(read_one(provider, "sysfs:cpu-min-percent").presence, Presence::not_applicable);
  sys.put("devices/system/cpu/intel_pstate/min_perf_pct", "42\n");
  EXPECT_EQ(read_one(provider, "sysfs:cpu-min-percent").text, "42");
  EXPECT_EQ(read_one(provider, "sysfs:eth0:power-control").presence, Presence::not_applicable);
  sys.put("class/net/eth0/device/power/control", "auto\n");
  EXPECT_EQ(read_one(provider, "sysfs:eth0:power-control").text, "auto");
}

}  // namespace
}  // namespace nettune::kinds::sysfs
