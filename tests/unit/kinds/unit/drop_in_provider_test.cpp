// SPDX-License-Identifier: Apache-2.0
#include "kinds/unit/drop_in_provider.hpp"

#include <gtest/gtest.h>

#include "kinds/unit/table.hpp"
#include "kinds/unit/value.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::kinds::unit {
namespace {

using namespace test;

class KindsUnitDropIn : public testing::Test {
 protected:
  KindsUnitDropIn() {
    tree.put("usr/lib/systemd/system/engine.service", "[Service]\nExecStart=/bin/true\n");
    tree.put("usr/lib/systemd/system/line@.service", "[Service]\nExecStart=/bin/true\n");
    tree.make("etc/systemd/system/engine.service.d");
    tree.make("etc/systemd/system/jobs.slice.d");
    tree.put("proc/sys/fs/nr_open", "1048576\n");
    tree.put("proc/42/limits",
             "Limit                     Soft Limit           Hard Limit           Units     \n"
             "Max stack size            8388608              unlimited            bytes     \n"
             "Max open files            1048576              1048576              files     \n"
             "Max locked memory         unlimited            unlimited            bytes     \n");
    tree.put("proc/42/stat", "42 (a ) b) S 1 42 42 0 -1 0 0 0 0 0 0 0 0 0 20 -5 1 0 100 0 0\n");
    tree.put("proc/42/oom_score_adj", "-500\n");
    tree.put("proc/42/status", "Name:\ta\nCpus_allowed_list:\t0-3,8\n");
    const std::string cgroup = "sys/fs/cgroup/system.slice/engine.service/";
    tree.put(cgroup + "pids.max", "max\n");
    tree.put(cgroup + "memory.max", "68719476736\n");
    tree.put(cgroup + "cpu.max", "400000 100000\n");
    tree.put(cgroup + "io.weight", "default 100\n");
    state.load = "loaded";
    state.active = "active";
    state.main_pid = 42;
    state.cgroup = "/system.slice/engine.service";
  }

  DropInProvider make(bool live = true) {
    return {*disk, tree.path(), live,
            [this](const std::string&) -> Result<kernel::UnitState> { return state; }};
  }
  InEffect effect(const std::string& directive, const std::string& value) {
    return make().in_effect({"drop-in:engine.service:" + directive}, value);
  }

  Scratch tree;
  std::unique_ptr<Disk> disk = posix_disk();
  kernel::UnitState state;
};

TEST_F(KindsUnitDropIn, CanonicalTakesOnlyWhatItKnows) {
  const DropInProvider provider = make();
  const auto canonical = [&](const char* rest, const char* value) {
    return provider.canonical({std::string("drop-in:") + rest}, std::string(value)).has_value();
  };
  EXPECT_TRUE(canonical("engine.service:Service.LimitMEMLOCK", "infinity"));
  EXPECT_TRUE(canonical("engine.service:Service.LimitMEMLOCK", "8M:64G"));
  EXPECT_TRUE(canonical("jobs.slice:Slice.MemoryMax", "50%"));
  EXPECT_TRUE(canonical("line@0.service:Unit.After", "a.service b.target"));
  for (const char* const bad :
       {"engine:Service.LimitMEMLOCK", "engine.service", "engine.service:LimitMEMLOCK",
        "engine.service:Service.", "engine.service:Service.ExecStart", "engine.service:Unit.Nice",
        "engine.service:Slice.MemoryMax", "jobs.slice:Service.MemoryMax", "a/b.service:Unit.After",
        "line@.service:Service.Nice", "-x.service:Service.Nice"})
    EXPECT_FALSE(canonical(bad, "1")) << bad;
  for (const char* const bad : {"", "1\n2", "8Q", "-1", "10:5", "infinity:5", "%i", "1.5G", "\\"})
    EXPECT_FALSE(canonical("engine.service:Service.LimitMEMLOCK", bad)) << bad;
  for (const char* const bad : {"1001", "", "1x", "0x10"})
    EXPECT_FALSE(canonical("engine.service:Service.OOMScoreAdjust", bad)) << bad;
  for (const char* const bad : {"5 fortnights", "s", "5s;", "-5s", "99999999999"})
    EXPECT_FALSE(canonical("engine.service:Service.RestartSec", bad)) << bad;
  EXPECT_FALSE(canonical("engine.service:Unit.After", "a b.target"));
  EXPECT_FALSE(canonical("engine.service:Service.Restart", "sometimes"));
}

TEST_F(KindsUnitDropIn, OneSpellingIsForComparing) {
  const auto spelled = [](const char* name, const char* value) {
    return one_spelling(**find_directive("x.service", std::string("Service.") + name), value)
        .value_or("none");
  };
  EXPECT_EQ(spelled("LimitMEMLOCK", "8M"), "8388608:8388608");
  EXPECT_EQ(spelled("LimitMEMLOCK", "1K:infinity"), "1024:infinity");
  EXPECT_EQ(spelled("LimitNOFILE", "8M"), "none") << "a number of files has no suffix";
  EXPECT_EQ(spelled("CPUAffinity", "3 0-1 2,8"), "0-3,8");
  EXPECT_EQ(spelled("CPUAffinity", "3-1"), "none");
  EXPECT_EQ(spelled("Delegate", "True"), "yes");
  EXPECT_EQ(spelled("MemoryMax", "64G"), "68719476736");
  EXPECT_EQ(spelled("MemoryMax", "101%"), "none");
}

TEST_F(KindsUnitDropIn, KeepsDifferentAnswersDifferent) {
  DropInProvider provider = make();
  const auto read = [&](const char* rest) {
    return read_one(provider, std::string("drop-in:") + rest);
  };
  EXPECT_EQ(read("engine.service:Service.Nice").presence, Presence::absent);
  EXPECT_EQ(read("line@0.service:Service.Nice").presence, Presence::absent);
  EXPECT_EQ(read("jobs.slice:Slice.MemoryMax").presence, Presence::absent);
  EXPECT_EQ(read("gone.service:Service.Nice").presence, Presence::not_applicable);
  EXPECT_EQ(read("gone.service:Service.Nice").why, "gone.service is not installed");
  std::filesystem::create_symlink("/dev/null", tree / "etc/systemd/system/shut.service");
  EXPECT_EQ(read("shut.service:Service.Nice").why, "shut.service is masked");
  EXPECT_NE(provider.effects({"drop-in:nettune-apply.service:Service.Nice"}, {}, "1").impossible,
            "");
}

TEST_F(KindsUnitDropIn, EachUnitHasAFileOfItsOwn) {
  DropInProvider provider = make();
  const Address limit{"drop-in:engine.service:Service.LimitMEMLOCK"};
  const Address after{"drop-in:engine.service:Unit.After"};
  const Address memory{"drop-in:jobs.slice:Slice.MemoryMax"};
  EXPECT_EQ(provider.unit(limit), provider.unit(after));
  EXPECT_NE(provider.unit(limit), provider.unit(memory));
  const std::string path = "etc/systemd/system/engine.service.d/zz-nettune.conf";
  const std::vector<Write> both = {{after, {}, "b.service"}, {limit, {}, "infinity"}};
  ASSERT_TRUE(provider.write(both, TestContents(), "0123456789abcdef"));
  ASSERT_TRUE(provider.place(both, "0123456789abcdef"));
  ASSERT_TRUE(provider.place(both, "0123456789abcdef")) << "once more, as after a crash";
  const std::string text = tree.get(path);
  EXPECT_EQ(text.substr(text.find('[')),
            "[Service]\nLimitMEMLOCK=infinity\n[Unit]\nAfter=b.service\n");
  EXPECT_EQ(read_one(provider, limit.text).value(), Value("infinity"));
  EXPECT_EQ(read_one(provider, memory.text).presence, Presence::absent);
  const std::vector<Write> one = {{limit, "infinity", {}}};
  ASSERT_TRUE(provider.write(one, TestContents(), "0123456789abcdef"));
  ASSERT_TRUE(provider.place(one, "0123456789abcdef"));
  EXPECT_EQ(read_one(provider, after.text).value(), Value("b.service")) << "the other one stays";
  for (const char* const edited : {"[Unit]\nAfter=b.service\n", "[Service]\nNice=1\n[Service]\n"}) {
    tree.put(path, text.substr(0, text.find('[')) + edited + (edited[1] == 'U' ? "Foo\n" : ""));
    EXPECT_EQ(read_one(provider, after.text).presence, Presence::not_permitted) << edited;
    EXPECT_FALSE(provider.write(one, TestContents(), "0123456789abcdef"));
  }
}

TEST_F(KindsUnitDropIn, InEffectIsWhatTheProcessHas) {
  using enum InEffect::State;
  EXPECT_EQ(effect("Service.LimitMEMLOCK", "infinity").state, yes);
  EXPECT_EQ(effect("Service.LimitMEMLOCK", "8M").state, no);
  EXPECT_EQ(effect("Service.LimitSTACK", "8M:infinity").state, yes);
  EXPECT_EQ(effect("Service.LimitSTACK", "8M").state, no);
  EXPECT_EQ(effect("Service.LimitNOFILE", "infinity").state, yes) << "fs.nr_open bounds it";
  EXPECT_EQ(effect("Service.LimitNOFILE", "4096").state, no);
  EXPECT_EQ(effect("Service.LimitCORE", "infinity").state, unseen) << "no such row";
  EXPECT_EQ(effect("Service.Nice", "-5").state, yes);
  EXPECT_EQ(effect("Service.Nice", "5").state, no);
  EXPECT_EQ(effect("Service.OOMScoreAdjust", "-500").state, yes);
  EXPECT_EQ(effect("Service.CPUAffinity", "0 1 2 3 8").state, yes);
  EXPECT_EQ(effect("Service.CPUAffinity", "0").state, no);
  EXPECT_EQ(effect("Service.Delegate", "yes").state, unseen);
  state.main_pid = 0;
  EXPECT_EQ(effect("Service.LimitMEMLOCK", "8M").state, unseen);
  state.main_pid = 42;
  state.active = "inactive";
  EXPECT_EQ(effect("Service.LimitMEMLOCK", "8M").state, unseen);
}

TEST_F(KindsUnitDropIn, InEffectIsWhatTheCgroupHas) {
  using enum InEffect::State;
  EXPECT_EQ(effect("Service.TasksMax", "infinity").state, yes);
  EXPECT_EQ(effect("Service.TasksMax", "100").state, no);
  EXPECT_EQ(effect("Service.TasksMax", "50%").state, unseen);
  EXPECT_EQ(effect("Service.MemoryMax", "64G").state, yes);
  EXPECT_EQ(effect("Service.MemoryMax", "68719476737").state, yes) << "whole pages";
  EXPECT_EQ(effect("Service.MemoryMax", "32G").state, no);
  EXPECT_EQ(effect("Service.CPUQuota", "400%").state, yes);
  EXPECT_EQ(effect("Service.CPUQuota", "401%").state, no);
  EXPECT_EQ(effect("Service.IOWeight", "100").state, yes);
  EXPECT_EQ(effect("Service.MemoryHigh", "1G").state, unseen) << "no such file";
  state.cgroup = "";
  EXPECT_EQ(effect("Service.TasksMax", "100").state, unseen);
}

TEST_F(KindsUnitDropIn, NoMemoryIsTakenFromWhatRuns) {
  tree.put("sys/fs/cgroup/system.slice/engine.service/memory.current", "2000000\n");
  const auto refused = [&](const char* directive, const char* value) {
    return make()
        .effects({std::string("drop-in:engine.service:Service.") + directive}, {}, value)
        .not_permitted;
  };
  EXPECT_EQ(refused("MemoryMax", "1M"),
            "engine.service uses 2000000 bytes now, and the kernel would end its processes");
  EXPECT_EQ(refused("MemoryMax", "2M"), "");
  EXPECT_EQ(refused("MemoryMax", "infinity"), "");
  EXPECT_EQ(refused("MemoryLow", "1M"), "");
  EXPECT_EQ(
      make(false).effects({"drop-in:engine.service:Service.MemoryMax"}, {}, "1M").not_permitted,
      "");
}

TEST_F(KindsUnitDropIn, WhatSystemdUsesItselfTakesEffectAsItReadsIt) {
  using enum InEffect::State;
  EXPECT_EQ(effect("Unit.After", "b.service").state, no) << "it is not in the file";
  tree.put("etc/systemd/system/engine.service.d/zz-nettune.conf",
           std::string(kDropInFormat.heading) + "[Unit]\nAfter=b.service\n");
  EXPECT_EQ(effect("Unit.After", "b.service").state, yes);
  state.needs_reload = true;
  EXPECT_EQ(effect("Unit.After", "b.service").state, no);
  EXPECT_EQ(effect("Unit.After", "c.service").state, yes) << "what was there before";
  EXPECT_NE(effect("Service.Nice", "1").shown_by.find("has not read the drop-in yet"),
            std::string::npos);
  EXPECT_EQ(make().takes_effect({"drop-in:engine.service:Service.Nice"}),
            "at the next boot, or when engine.service is restarted");
  EXPECT_EQ(make().takes_effect({"drop-in:engine.service:Service.RestartSec"}),
            "when systemd reads its units again");
  EXPECT_EQ(make(false).takes_effect({"drop-in:engine.service:Service.Nice"}),
            "when engine.service is started");
}

TEST(KindsUnitTable, ProtectsWhatTheNodeHangsOn) {
  for (const char* const unit : {"ssh.service",
                                 "ssh.socket",
                                 "sshd.service",
                                 "ssh@1.service",
                                 "systemd-networkd.socket",
                                 "containerd.service",
                                 "docker.socket",
                                 "slurmd.service",
                                 "kubelet.service",
                                 "k3s-agent.service",
                                 "rke2-server.service",
                                 "nftables.service",
                                 "dbus-broker.service",
                                 "nettune-apply.service",
                                 "NetworkManager-wait-online.service",
                                 "ifup@eth0.service",
                                 "multi-user.target",
                                 "mnt-data.mount",
                                 "system.slice",
                                 "systemd-journald.socket"})
    EXPECT_NE(why_protected(unit), "") << unit;
  for (const char* const unit : {"irqbalance.service", "chrony.service", "tuned.service",
                                 "apt-daily.timer", "nvidia-persistenced.service"})
    EXPECT_EQ(why_protected(unit), "") << unit;
}

}  // namespace
}  // namespace nettune::kinds::unit
