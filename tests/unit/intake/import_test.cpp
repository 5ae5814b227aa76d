// SPDX-License-Identifier: Apache-2.0
// The files are made up here, in the form of the programs that read them.
#include "intake/import.hpp"

#include "unit/intake/fixture.hpp"

namespace nettune::intake {
namespace {

using Names = std::vector<std::string>;

class IntakeImport : public IntakeTest {
 protected:
  Import imported(Format format, Names files, const std::string& extends = "base") {
    node::Context context = on("roce8");
    ImportRequest request{format, std::move(files), "mine", extends, root.string()};
    const auto imported = import(context, request);
    EXPECT_TRUE(imported.has_value()) << (imported ? "" : imported.error().text);
    if (!imported) return {};
    text = profile_toml(imported->profile);
    const auto planned = node::plan_text(context, {"/t", "mine", text}, node::StateView());
    EXPECT_TRUE(planned.has_value()) << (planned ? "" : planned.error().text) << "\n" << text;
    return *imported;
  }
  bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
  /// "FATE: NOTE" of the line of that text.
  static std::string fate(const Import& import, const std::string& line) {
    std::string found;
    for (const ImportedLine& each : import.lines)
      if (each.text == line)
        found +=
            (found.empty() ? "" : " | ") + std::string(kFates.word(each.fate)) + ": " + each.note;
    return found.empty() ? "(no such line)" : found;
  }

  std::string text;
};

TEST_F(IntakeImport, EveryLineOfSysctlFilesIsAccountedFor) {
  const std::string one = put("90-a.conf",
                              "# comment\n\n; comment\nnet.core.rmem_max = 1000000\n"
                              "-net.core.somaxconn=8192\nnet.ipv4.conf.*.rp_filter = 1\n"
                              "-net.ipv4.conf.all.rp_filter\nnonsense\n"
                              "net/ipv4/tcp_rmem = 4096\t131072  33554432\n"
                              "kernel.no_such_key = 1\nvm.swappiness = 10\n"
                              "kernel.numa_balancing=0\nkernel.x = ${y}\n");
  const std::string two = put("91-b.conf", "vm.swappiness = 1\n");
  const Import import = imported(Format::sysctl, {one, two});
  ASSERT_EQ(import.lines.size(), 11U);
  EXPECT_EQ(summary_of(import, "base"),
            "11 lines: 5 translated, 1 already in base, 5 not translated");
  EXPECT_TRUE(
      has("# " + one + ":4  net.core.rmem_max = 1000000\n\"net.core.rmem_max\" = 1000000\n"))
      << text;
  EXPECT_TRUE(has("\"net.core.somaxconn\" = { value = 8192, optional = true }\n")) << text;
  EXPECT_TRUE(has("\"net.ipv4.tcp_rmem\" = [4096, 131072, 33554432]\n")) << text;
  EXPECT_TRUE(has("\"kernel.no_such_key\" = { value = 1, optional = true }\n")) << text;
  EXPECT_TRUE(has("\"vm.swappiness\" = 1\n")) << text;
  EXPECT_EQ(fate(import, "vm.swappiness = 10"), "untranslated: overridden by " + two + ":1");
  EXPECT_NE(fate(import, "kernel.numa_balancing=0").find("already: "), std::string::npos);
  EXPECT_NE(fate(import, "nonsense").find("untranslated: not a line"), std::string::npos);
  EXPECT_NE(fate(import, "kernel.x = ${y}").find("a variable in a profile"), std::string::npos);
  // Without a parent nothing is there already.
  EXPECT_EQ(imported(Format::sysctl, {one}, "").count(Fate::already), 0U);
}

TEST_F(IntakeImport, TunedWithIncludesVariablesAndUnits) {
  put("usr/lib/tuned/low/tuned.conf",
      "[main]\nsummary=Below\n[sysctl]\nvm.swappiness=10\nvm.stat_interval=10\n"
      "[old]\ntype=sysctl\nkernel.panic=5\n[vm]\ntransparent_hugepages=madvise\n");
  put("etc/tuned/low-variables.conf", "# ours\nnodes=3\nbroken\nidle=7\n");
  const std::string mine =
      put("x/mine/tuned.conf",
          "[main]\nsummary=Mine\ninclude=low\n\n[variables]\n"
          "include=/etc/tuned/low-variables.conf\nsize=4096\n"
          "twice=${size}0\nunused=1\nnodes=${nodes}0\nidle=8\nhere=${f:exec:uname}\n"
          "[sysctl]\nvm.swappiness=1   # less\nnet.core.somaxconn=>${size}\n"
          "net.core.optmem_max=${twice}\nnet.core.rmem_max=${here}\n"
          "net.core.wmem_max=${nothing}\nnet.core.busy_poll=${nodes}\n"
          "net.core.busy_read=${idle}\n"
          "[old]\nreplace=1\ntype=sysctl\nkernel.hung_task_timeout_secs=<600\n"
          "[some]\ntype=sysctl\nuname_regex=aarch64\nkernel.panic=1\n"
          "[vm]\ndirty_bytes=40%\ndirty_background_bytes=1048576\n"
          "[cpu]\npriority=10\ngovernor=performance\nforce_latency=99\n"
          "energy_perf_bias=balance-performance\nmin_perf_pct=100\n"
          "energy_performance_preference=power|performance\n"
          "[modules]\ntcp_bbr=+r\nib_umad=+r, a=1\nother=b=2\n"
          "[bootloader]\ncmdline=iommu=pt\n    quiet\n"
          "[script]\nscript=${i:PROFILE_DIR}/x.sh\n"
          "[sysfs]\n/sys/kernel/mm/transparent_hugepage/defrag=never\n"
          "/sys/bus/workqueue/devices/writeback/cpumask=1\n");
  const Import import = imported(Format::tuned, {mine.substr(0, mine.rfind('/'))});
  EXPECT_TRUE(import.complete);
  EXPECT_EQ(import.profile.summary, "Mine");
  EXPECT_TRUE(has("\"vm.swappiness\" = 1\n")) << text;
  EXPECT_TRUE(has("\"vm.stat_interval\" = 10\n")) << text;
  EXPECT_TRUE(has("\"net.core.somaxconn\" = \">= 4096\"\n")) << text;
  EXPECT_TRUE(has("\"net.core.optmem_max\" = 40960\n")) << text;
  // A variable of the file, and one made of it.
  EXPECT_TRUE(has("\"net.core.busy_poll\" = 30\n")) << text;
  EXPECT_EQ(fate(import, "nodes=3"), "translated: a variable, put in where it is used");
  EXPECT_TRUE(has("\"net.core.busy_read\" = 8\n")) << text;
  EXPECT_NE(fate(import, "idle=7").find("overridden by " + mine), std::string::npos);
  EXPECT_TRUE(has("\"kernel.hung_task_timeout_secs\" = \"<= 600\"\n")) << text;
  EXPECT_TRUE(has("\"vm.dirty_ratio\" = 40\n")) << text;
  EXPECT_TRUE(has("\"vm.dirty_background_bytes\" = 1048576\n")) << text;
  EXPECT_TRUE(has("cpu-governor = \"performance\"\n")) << text;
  EXPECT_TRUE(has("cpu-energy-bias = \"4\"\n")) << text;
  EXPECT_TRUE(has("cpu-min-percent = \"100\"\n")) << text;
  EXPECT_NE(
      fate(import, "energy_performance_preference=power|performance").find("a list of values"),
      std::string::npos);
  EXPECT_TRUE(has("transparent-hugepage = \"madvise\"\n")) << text;
  EXPECT_TRUE(has("transparent-hugepage-defrag = \"never\"\n")) << text;
  EXPECT_TRUE(has("load = [\"tcp_bbr\", \"ib_umad\"]\n")) << text;
  EXPECT_FALSE(has("\n\"kernel.panic\"")) << text;
  EXPECT_NE(fate(import, "net.core.rmem_max=${here}").find("a function"), std::string::npos);
  EXPECT_NE(fate(import, "net.core.wmem_max=${nothing}").find("the variable nothing is not set"),
            std::string::npos);
  EXPECT_NE(fate(import, "kernel.panic=5").find("overridden by " + mine), std::string::npos);
  EXPECT_NE(fate(import, "kernel.panic=1").find("for some nodes only"), std::string::npos);
  EXPECT_EQ(fate(import, "unused=1"), "untranslated: a variable that nothing uses");
  EXPECT_EQ(fate(import, "ib_umad=+r, a=1"), "in_part: no kind for it yet: parameters of modules");
  EXPECT_EQ(fate(import, "cmdline=iommu=pt quiet"),
            "untranslated: no kind for it yet: the kernel command line");
  EXPECT_EQ(fate(import, "broken"), "untranslated: not NAME=VALUE");
  EXPECT_NE(fate(import, "force_latency=99").find("no kind for it yet"), std::string::npos);
}

TEST_F(IntakeImport, TunedsNetworkSettingsGoToADeviceSet) {
  const std::string mine =
      put("mine/tuned.conf",
          "[net]\ndevices=ens*,!ens9\nmtu=9000\nring=rx 4096 tx 512\nfeatures=gro off junk on\n"
          "coalesce=adaptive-rx on rx-usecs 8\npause=autoneg off\nwake_on_lan=g\n"
          "channels=combined 1; reboot 1\n");
  const Import import = imported(Format::tuned, {mine}, "");
  EXPECT_TRUE(
      has("match = { physical = true, name = [\"ens*\"] }\nexcept = { name = [\"ens9\"] }\n"))
      << text;
  for (const char* const line : {"\nmtu = 9000\n", "\nring-rx = 4096\n", "\nring-tx = 512\n",
                                 "\nfeature-rx-gro = false\n", "\ncoalesce-adaptive-rx = true\n",
                                 "\ncoalesce-rx-usecs = 8\n", "\npause-autoneg = false\n"})
    EXPECT_TRUE(has(line)) << line << text;
  EXPECT_EQ(fate(import, "wake_on_lan=g"), "untranslated: no kind for it yet: wake-on-LAN");
  EXPECT_FALSE(has("\nchannels-combined")) << text;
}

TEST_F(IntakeImport, AMissingIncludeIsSaid) {
  const std::string mine = put("mine/tuned.conf",
                               "[main]\ninclude=nowhere,-may-miss\n[sysctl]\nvm.swappiness=1\n"
                               "[variables]\ninclude=/etc/tuned/nothing.conf\n");
  const Import import = imported(Format::tuned, {mine});
  EXPECT_FALSE(import.complete);
  EXPECT_NE(fate(import, "include=nowhere,-may-miss").find("there is no profile nowhere beside"),
            std::string::npos);
  EXPECT_NE(fate(import, "include=/etc/tuned/nothing.conf").find("there is no file"),
            std::string::npos);
  EXPECT_TRUE(has("\"vm.swappiness\" = 1\n")) << text;
}

TEST_F(IntakeImport, TunedProfilesThatIncludeEachOtherEnd) {
  put("b/tuned.conf", "[main]\ninclude=a\n[sysctl]\nvm.swappiness=2\n");
  const std::string mine = put("a/tuned.conf", "[main]\ninclude=b\n[sysctl]\nvm.swappiness=1\n");
  const Import import = imported(Format::tuned, {mine});
  EXPECT_TRUE(has("\"vm.swappiness\" = 1\n")) << text;
}

TEST_F(IntakeImport, ASaptuneNote) {
  const std::string note =
      put("4711",
          "[version]\nVERSION=1\nDESCRIPTION=Ours\n[sysctl]\n"
          "net.core.rmem_max = 16777216 # more\nvm.max_map_count >= 2000000\n"
          "vm.nr_hugepages=\"\"\n[vm]\nTHP=never\nKSM=0\n"
          "[sysctl:csp=aws]\nvm.swappiness=1\n[cpu]\ngovernor=performance\n"
          "[rpm]\nkernel-default 5.3\n[limits]\nLIMITS=\"@x hard nofile 1\"\n");
  const Import import = imported(Format::saptune, {note});
  EXPECT_EQ(import.profile.summary, "Ours");
  EXPECT_TRUE(has("\"net.core.rmem_max\" = 16777216\n")) << text;
  EXPECT_TRUE(has("\"vm.max_map_count\" = \">= 2000000\"\n")) << text;
  EXPECT_TRUE(has("transparent-hugepage = \"never\"\n")) << text;
  EXPECT_NE(fate(import, "vm.swappiness = 1").find("[sysctl:csp=aws]"), std::string::npos);
  EXPECT_NE(fate(import, "KSM = 0").find("KSM"), std::string::npos);
  EXPECT_EQ(fate(import, "kernel-default 5.3"),
            "untranslated: no kind for it yet: versions of packages");
  EXPECT_EQ(import.lines.size(), 11U);
}

TEST_F(IntakeImport, SettingsThatContradictEachOtherDoNotPlan) {
  node::Context context = on("roce8");
  const auto found = planned(context, "x",
                             "schema = 1\nname = \"x\"\nsummary = \"s\"\n[sysctl]\n"
                             "\"net.ipv4.tcp_rmem\" = [4096, 2, 1]\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].substr(0, 8), "line 5: ") << found[0];
}

TEST_F(IntakeImport, HostileFilesStayText) {
  const std::string mine = put("mine/tuned.conf",
                               "[main]\nsummary=a\"\x1b[2J\n[sysctl]\n"
                               "kernel.x=\"\"\"\nvm.a = '''\n[net]\nring=rx $(reboot)\n"
                               "[sysfs]\n/sys/a;b=1\n[vm]\ntransparent_hugepages=\"always\\\n");
  imported(Format::tuned, {mine});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  const std::string sysctls = put("x.conf", "vm.swappiness = 1\x01\nvm.\xff = 2\nvm.b = \xff\n");
  imported(Format::sysctl, {sysctls});
}

TEST_F(IntakeImport, WhatHoldsForSomeNodesOnlyIsNoSettingOfAll) {
  const std::string file = put("t/tuned.conf",
                               "[vm]\ntransparent_hugepages=never\n"
                               "[sysctl]\nuname_regex=.*aarch64.*\nenabled=1\nvm.swappiness=5\n"
                               "[net]\ndevices=${f:exec:x}\nchannels=combined 4\n");
  const Import import = imported(Format::tuned, {file});
  EXPECT_NE(fate(import, "vm.swappiness=5").find("for some nodes only"), std::string::npos);
  EXPECT_NE(fate(import, "channels=combined 4").find("its devices are not known"),
            std::string::npos);
  EXPECT_FALSE(has("\n\"vm.swappiness\"")) << text;
  EXPECT_FALSE(has("\n[devices.")) << text;
}

TEST_F(IntakeImport, AStarAmongDevicesIsAllOfThem) {
  const std::string file = put("t/tuned.conf", "[net]\ndevices=eth0,*\nchannels=combined 4\n");
  imported(Format::tuned, {file});
  EXPECT_TRUE(has("[devices.nics]")) << text;
  EXPECT_FALSE(has("name = [")) << text;
}

TEST_F(IntakeImport, VariablesThatGrowAreRefused) {
  std::string lines = "[variables]\nv0=aaaaaaaa\n";
  for (int i = 1; i < 40; ++i) {
    lines += "v" + std::to_string(i) + "=";
    for (int j = 0; j < 8; ++j) lines += "${v" + std::to_string(i - 1) + "}";
    lines += "\n";
  }
  const Import import = imported(
      Format::tuned, {put("t/tuned.conf", lines + "[sysctl]\nkernel.domainname=${v39}\n")});
  EXPECT_NE(fate(import, "kernel.domainname=${v39}").find("too long"), std::string::npos);
}

TEST_F(IntakeImport, WhatDoesNotPlanIsNotTranslated) {
  const Import import =
      imported(Format::sysctl,
               {put("a.conf", "net.ipv4.ip_local_reserved_ports = 8080\nvm.dirty_ratio =\n")});
  EXPECT_NE(fate(import, "net.ipv4.ip_local_reserved_ports = 8080").find("untranslated"),
            std::string::npos);
  EXPECT_NE(fate(import, "vm.dirty_ratio =").find("untranslated"), std::string::npos);
}

}  // namespace
}  // namespace nettune::intake
