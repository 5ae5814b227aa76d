// SPDX-License-Identifier: Apache-2.0
#include "kinds/unit/state_provider.hpp"

#include <gtest/gtest.h>

#include "unit/support/provider_fixture.hpp"

namespace nettune::kinds::unit {
namespace {

using namespace test;
using kernel::UnitFilesVerb;

constexpr const char* kInstall =
    "[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n";

class KindsUnitState : public testing::Test {
 protected:
  KindsUnitState() {
    put("plain.service", kInstall);
    tree.make("etc/systemd/system");
    calls.state = [this](const std::string& unit) -> Result<kernel::UnitState> {
      const auto found = states.find(unit);
      if (found == states.end())
        return kernel::UnitState{.load = "not-found", .active = "inactive"};
      return found->second;
    };
    calls.related = [this](
                        const std::string& unit,
                        const std::vector<const char*>& names) -> Result<std::vector<std::string>> {
      std::vector<std::string> all;
      for (const char* const name : names)
        if (const auto found = related.find(unit + " " + name); found != related.end())
          all.insert(all.end(), found->second.begin(), found->second.end());
      return all;
    };
    calls.start = [this](const std::string& unit) { return note("start " + unit); };
    calls.stop = [this](const std::string& unit) { return note("stop " + unit); };
    calls.reload = [this]() { return note("reload"); };
    calls.change = [this](UnitFilesVerb verb, const std::string& unit) {
      const char* const names[] = {"enable", "disable", "mask", "unmask"};
      return note(std::string(names[static_cast<int>(verb)]) + " " + unit);
    };
    calls.barrier = [this] { return barrier; };
    states["plain.service"] = {.load = "loaded",
                               .file = tree / "usr/lib/systemd/system/plain.service",
                               .active = "inactive"};
  }

  Result<> note(std::string call) {
    said.push_back(std::move(call));
    return {};
  }
  void put(const std::string& unit, const std::string& text) {
    tree.put("usr/lib/systemd/system/" + unit, text);
  }
  void link(const std::string& name, const std::string& target) {
    const std::filesystem::path path = tree / ("etc/systemd/system/" + name);
    std::filesystem::create_directories(path.parent_path());
    std::filesystem::create_symlink(target, path);
  }
  StateProvider make() { return {*disk, tree.path(), calls}; }
  Reading read(const std::string& rest) {
    StateProvider provider = make();
    return read_one(provider, "unit:" + rest);
  }
  Effects effects(const std::string& rest, const char* before, const char* after) {
    return make().effects({"unit:" + rest}, std::string(before), std::string(after));
  }
  std::vector<std::string> write(std::vector<Write> writes) {
    said.clear();
    const auto written = make().write(writes, TestContents(), "");
    EXPECT_TRUE(written) << written.error().text;
    return said;
  }

  Scratch tree;
  std::unique_ptr<Disk> disk = posix_disk();
  SystemdCalls calls;
  std::map<std::string, kernel::UnitState> states;
  std::map<std::string, std::vector<std::string>> related;
  std::vector<std::string> said;
  std::string barrier;
};

TEST_F(KindsUnitState, CanonicalIsYesOrNo) {
  const StateProvider provider = make();
  EXPECT_TRUE(provider.canonical({"unit:plain.service:enabled"}, "yes"));
  for (const char* const bad : {"unit:plain:enabled", "unit:plain.service", "unit:plain.service:on",
                                "unit:x@.service:enabled", "unit:../x.service:enabled"})
    EXPECT_FALSE(provider.canonical({bad}, "yes")) << bad;
  EXPECT_FALSE(provider.canonical({"unit:plain.service:enabled"}, "static"));
  EXPECT_FALSE(provider.canonical({"unit:plain.service:enabled"}, {}));
}

TEST_F(KindsUnitState, EnabledIsAllLinksOrNone) {
  EXPECT_EQ(read("plain.service:enabled").value(), Value("no"));
  link("multi-user.target.wants/plain.service", "/lib/systemd/system/plain.service");
  EXPECT_EQ(read("plain.service:enabled").value(), Value("yes"));
  link("rescue.target.wants/plain.service", "/lib/systemd/system/plain.service");
  EXPECT_EQ(read("plain.service:enabled").value(),
            Value("multi-user.target.wants/plain.service, rescue.target.wants/plain.service"));
  EXPECT_NE(effects("plain.service:enabled", "a link", "no").not_permitted, "");
  put("two.service",
      std::string(kInstall) + "Alias=second.service\nRequiredBy=a.target b.target\n");
  link("second.service", "/lib/systemd/system/two.service");
  EXPECT_EQ(read("two.service:enabled").value(), Value("second.service")) << "only one of four";
  for (const char* const name : {"multi-user.target.wants/two.service",
                                 "a.target.requires/two.service", "b.target.requires/two.service"})
    link(name, "/lib/systemd/system/two.service");
  EXPECT_EQ(read("two.service:enabled").value(), Value("yes"));
  EXPECT_NE(read("second.service:enabled").why.find("alias of two.service"), std::string::npos);
}

TEST_F(KindsUnitState, UnusualStatesAreNamed) {
  const auto why = [&](const std::string& unit, const char* key) {
    const Reading now = read(unit + ":" + key);
    EXPECT_FALSE(now.has_value()) << unit;
    return now.why;
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_PRED2(has, why("gone.service", "enabled"), "is not installed");
  EXPECT_PRED2(has, why("gone.service", "masked"), "is not installed");
  EXPECT_PRED2(has, why("gone.service", "active"), "is not installed");
  put("static.service", "[Service]\nExecStart=/bin/true\n");
  EXPECT_PRED2(has, why("static.service", "enabled"), "static");
  EXPECT_EQ(read("static.service:masked").value(), Value("no"));
  put("also.service", std::string(kInstall) + "Also=x.socket\n");
  EXPECT_PRED2(has, why("also.service", "enabled"), "also enables x.socket");
  put("each@.service", "[Install]\nWantedBy=%i.target\n");
  EXPECT_PRED2(has, why("each@a.service", "enabled"), "specifier");
  tree.put("run/systemd/generator/made.service", kInstall);
  EXPECT_PRED2(has, why("made.service", "enabled"), "generated");
  link("linked.service", "/opt/linked.service");
  EXPECT_PRED2(has, why("linked.service", "masked"), "linked from /opt/linked.service");
  put("vendor.target.wants/plain.service", "");
  EXPECT_PRED2(has, why("plain.service", "enabled"), "mask it instead");
  tree.make("run/systemd/system");
  std::filesystem::create_symlink("/dev/null", tree / "run/systemd/system/plain.service");
  EXPECT_PRED2(has, why("plain.service", "masked"), "masked by /run/systemd/system");
}

TEST_F(KindsUnitState, AMaskDoesNotHideWhatIsEnabled) {
  link("multi-user.target.wants/plain.service", "/lib/systemd/system/plain.service");
  link("plain.service", "/dev/null");
  EXPECT_EQ(read("plain.service:masked").value(), Value("yes"));
  EXPECT_EQ(read("plain.service:enabled").value(), Value("yes"));
  tree.put("etc/systemd/system/own.service", kInstall);
  EXPECT_NE(effects("own.service:masked", "no", "yes").not_permitted, "");
  EXPECT_EQ(effects("plain.service:masked", "no", "yes").not_permitted, "");
}

TEST_F(KindsUnitState, InstancesAreOfTheirTemplate) {
  put("line@.service", kInstall);
  EXPECT_EQ(read("line@0.service:enabled").value(), Value("no"));
  link("multi-user.target.wants/line@0.service", "/lib/systemd/system/line@.service");
  EXPECT_EQ(read("line@0.service:enabled").value(), Value("yes"));
  EXPECT_EQ(read("line@1.service:enabled").value(), Value("no"));
}

TEST_F(KindsUnitState, AQueuedJobCounts) {
  kernel::UnitState& state = states["plain.service"];
  EXPECT_EQ(read("plain.service:active").value(), Value("no"));
  state.job = "start";
  EXPECT_EQ(read("plain.service:active").value(), Value("yes"));
  state.active = "active";
  state.job = "stop";
  EXPECT_EQ(read("plain.service:active").value(), Value("no"));
  state.job = "";
  EXPECT_EQ(read("plain.service:active").value(), Value("yes"));
  state.active = "failed";
  EXPECT_EQ(read("plain.service:active").value(), Value("no"));
  EXPECT_EQ(effects("plain.service:active", "no", "no").undo, Undo::residue);
  state.active = "deactivating";
  EXPECT_EQ(read("plain.service:active").presence, Presence::not_permitted);
}

TEST_F(KindsUnitState, AStopAsksAndShowsWhatItStopsAlong) {
  EXPECT_EQ(effects("plain.service:active", "yes", "no").asks.flag, "--allow-stop-units");
  EXPECT_EQ(effects("plain.service:masked", "no", "yes").asks.flag, "--allow-stop-units");
  EXPECT_EQ(effects("plain.service:masked", "yes", "no").asks.flag, "");
  EXPECT_EQ(effects("plain.service:enabled", "yes", "no").asks.flag, "");
  EXPECT_EQ(effects("plain.service:active", "no", "yes").asks.flag, "");
  related["plain.service BoundBy"] = {"child.service"};
  states["child.service"] = {.load = "loaded", .active = "inactive"};
  EXPECT_EQ(effects("plain.service:active", "yes", "no").not_permitted, "");
  EXPECT_TRUE(effects("plain.service:active", "yes", "no").touches.empty());
  states["child.service"].active = "active";
  const Effects found = effects("plain.service:active", "yes", "no");
  ASSERT_EQ(found.touches.size(), 1U);
  EXPECT_EQ(found.touches[0].address.text, "unit:child.service:active");
  EXPECT_EQ(found.touches[0].predicted, "no");
  EXPECT_EQ(found.touches[0].why, "it needs plain.service");
  states["child.service"].active = "deactivating";
  EXPECT_NE(effects("plain.service:active", "yes", "no").impossible, "");
  states["child.service"].active = "active";
  related["child.service RequiredBy"] = {"slurmd.service"};
  states["slurmd.service"] = {.load = "loaded", .active = "active"};
  EXPECT_NE(effects("plain.service:active", "yes", "no").impossible.find("protected"),
            std::string::npos);
}

TEST_F(KindsUnitState, AStartShowsWhatItStartsAlong) {
  related["plain.service Wants"] = {"a.service", "runs.service", "gone.service"};
  related["a.service Requires"] = {"b.service", "plain.service"};
  states["a.service"] = states["b.service"] = {.load = "loaded", .active = "inactive"};
  states["runs.service"] = {.load = "loaded", .active = "active"};
  const Effects found = effects("plain.service:active", "no", "yes");
  std::vector<std::string> along;
  for (const Witness& one : found.touches) along.push_back(one.address.text);
  EXPECT_EQ(along, (std::vector<std::string>{"unit:a.service:active", "unit:b.service:active"}));
  EXPECT_EQ(found.not_permitted, "");
  EXPECT_EQ(found.undo, Undo::exact);
  related["b.service Wants"] = {"time-sync.target", "jobs.slice"};
  related["time-sync.target Wants"] = {"c.service"};
  for (const char* const other : {"time-sync.target", "jobs.slice", "c.service"})
    states[other] = {.load = "loaded", .active = "inactive"};
  const Effects more = effects("plain.service:active", "no", "yes");
  EXPECT_EQ(more.touches.size(), 3U) << "what the target wants, too";
  EXPECT_EQ(more.residue, "time-sync.target becomes active, and stays so");
  related["b.service Requires"] = {"docker.socket"};
  states["docker.socket"] = {.load = "loaded", .active = "inactive"};
  EXPECT_NE(effects("plain.service:active", "no", "yes").not_permitted, "");
}

TEST_F(KindsUnitState, WhatComesBackOtherwiseIsResidue) {
  const std::string link_name = "multi-user.target.wants/plain.service";
  link(link_name, tree / "usr/lib/systemd/system/plain.service");
  EXPECT_EQ(effects("plain.service:enabled", "yes", "no").undo, Undo::exact);
  std::filesystem::remove(tree / ("etc/systemd/system/" + link_name));
  link(link_name, "../plain.service");
  EXPECT_EQ(effects("plain.service:enabled", "yes", "no").undo, Undo::residue);
}

TEST_F(KindsUnitState, WritesInAnOrderThatSystemdTakes) {
  const Address active{"unit:plain.service:active"};
  const Address enabled{"unit:plain.service:enabled"};
  const Address masked{"unit:plain.service:masked"};
  EXPECT_EQ(write({{active, "yes", "no"}, {enabled, "yes", "no"}, {masked, "no", "yes"}}),
            (std::vector<std::string>{"stop plain.service", "disable plain.service",
                                      "mask plain.service"}));
  EXPECT_EQ(write({{active, "no", "yes"}, {enabled, "no", "yes"}, {masked, "yes", "no"}}),
            (std::vector<std::string>{"unmask plain.service", "enable plain.service",
                                      "start plain.service"}));
  states["plain.service"].load = "masked";
  EXPECT_EQ(write({{active, "no", "yes"}}),
            (std::vector<std::string>{"reload", "start plain.service"}));
  EXPECT_EQ(make().unit(active), make().unit(masked)) << "they are written together";
  EXPECT_EQ(make().lifetime(active), Lifetime::runtime);
  EXPECT_EQ(make().lifetime(masked), Lifetime::disk);
}

TEST_F(KindsUnitState, ProtectedUnitsAreNeverWritten) {
  put("ssh.service", kInstall);
  for (const char* const key : {"active", "enabled", "masked"}) {
    EXPECT_NE(effects(std::string("ssh.service:") + key, "yes", "no").not_permitted, "");
    EXPECT_NE(effects(std::string("ssh.service:") + key, "no", "yes").not_permitted, "");
    const std::vector<Write> one = {{{std::string("unit:ssh.service:") + key}, "yes", "no"}};
    EXPECT_FALSE(make().write(one, TestContents(), ""));
  }
  barrier = "no systemd";
  EXPECT_EQ(effects("plain.service:enabled", "yes", "no").not_permitted, "no systemd");
  const std::vector<Write> one = {{{"unit:plain.service:active"}, "no", "yes"}};
  EXPECT_FALSE(make().write(one, TestContents(), ""));
  EXPECT_TRUE(said.empty());
}

}  // namespace
}  // namespace nettune::kinds::unit
