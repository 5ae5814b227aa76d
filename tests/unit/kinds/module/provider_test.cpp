// SPDX-License-Identifier: Apache-2.0
#include "kinds/module/provider.hpp"

#include <gtest/gtest.h>

#include "unit/support/provider_fixture.hpp"

namespace nettune::kinds::module {
namespace {

using namespace test;

class KindsModuleProvider : public testing::Test {
 protected:
  KindsModuleProvider() {
    tree.put("sys/module/ip_vs/initstate", "live\n");
    tree.put("sys/module/going/initstate", "going\n");
    tree.put("sys/module/tcp_cubic/parameters/beta", "717\n");
    tree.put("lib/6.1.0-37-amd64/modules.builtin",
             "kernel/net/ipv4/tcp_htcp.ko\nkernel/drivers/net/mii-tool.ko\n");
  }

  ModuleCalls calls() {
    ModuleCalls fake;
    fake.look_up = [this](const std::string& directory,
                          const std::string& name) -> Result<kernel::ModuleInfo> {
      EXPECT_EQ(directory, tree / "lib/6.1.0-37-amd64");
      ++looked_up;
      if (name == "tcp_bbr") return kernel::ModuleInfo{true, name, "", {"sch_fq", "ip_vs"}};
      if (name == "blocked") return kernel::ModuleInfo{true, name, "/bin/false", {}};
      if (name == "net_pf_10") return kernel::ModuleInfo{true, "ipv6", "", {}};
      if (name == "broken") return fail(Errc::unsupported, "libkmod.so.2 cannot be loaded");
      return kernel::ModuleInfo{};
    };
    fake.insert = [this](const std::string&, const std::string& name) -> Result<> {
      tree.put("sys/module/" + name + "/initstate", "live\n");
      return {};
    };
    return fake;
  }

  Scratch tree;
  int looked_up = 0;
  ModuleProvider provider{tree / "sys", tree / "lib", "6.1.0-37-amd64", calls()};
};

TEST_F(KindsModuleProvider, LoadedAndBuiltInNeedNoLibrary) {
  for (const char* const name : {"ip_vs", "ip-vs", "tcp_cubic", "tcp_htcp", "mii_tool"}) {
    EXPECT_EQ(read_one(provider, std::string("module:") + name).value(), "loaded") << name;
  }
  EXPECT_EQ(looked_up, 0);
}

TEST_F(KindsModuleProvider, KeepsDifferentAnswersDifferent) {
  EXPECT_EQ(read_one(provider, "module:tcp_bbr").presence, Presence::absent);
  EXPECT_EQ(read_one(provider, "module:going").presence, Presence::not_applicable);
  Reading now = read_one(provider, "module:nonsense");
  EXPECT_EQ(now.presence, Presence::not_applicable);
  EXPECT_NE(now.why.find("6.1.0-37-amd64"), std::string::npos) << now.why;
  now = read_one(provider, "module:blocked");
  EXPECT_EQ(now.presence, Presence::not_permitted);
  EXPECT_NE(now.why.find("install blocked /bin/false"), std::string::npos) << now.why;
  now = read_one(provider, "module:net_pf_10");
  EXPECT_EQ(now.presence, Presence::not_applicable);
  EXPECT_NE(now.why.find("ipv6"), std::string::npos) << now.why;
  EXPECT_EQ(read_one(provider, "module:broken").presence, Presence::not_permitted);
  ModuleProvider bare(tree / "sys", tree / "nowhere", "6.1", calls());
  now = read_one(bare, "module:tcp_bbr");
  EXPECT_EQ(now.presence, Presence::not_applicable);
  EXPECT_NE(now.why.find("modules are not installed"), std::string::npos) << now.why;
}

TEST_F(KindsModuleProvider, LoadsAndStays) {
  ASSERT_TRUE(write_one(provider, "module:tcp_bbr", {}, "loaded"));
  EXPECT_EQ(read_one(provider, "module:tcp_bbr").value(), "loaded");
  EXPECT_FALSE(provider.stays().empty());
  EXPECT_FALSE(write_one(provider, "module:tcp_bbr", "loaded", {}));
  EXPECT_EQ(read_one(provider, "module:tcp_bbr").value(), "loaded");
}

TEST_F(KindsModuleProvider, SaysWhatComesAlong) {
  const Effects effects = provider.effects(Address{"module:tcp_bbr"}, {}, "loaded");
  EXPECT_EQ(effects.undo, Undo::residue);
  EXPECT_NE(find_witness(effects, "module:sch_fq"), nullptr);
  EXPECT_EQ(find_witness(effects, "module:ip_vs"), nullptr) << "it is loaded already";
  EXPECT_NE(find_witness(effects, "sysctl:net.ipv4.tcp_available_congestion_control"), nullptr);
}

TEST_F(KindsModuleProvider, Canonical) {
  EXPECT_EQ(provider.canonical(Address{"module:tcp_bbr"}, "loaded").value_or("?"), "loaded");
  EXPECT_FALSE(provider.canonical(Address{"module:tcp_bbr"}, "unloaded"));
  for (const char* const bad :
       {"module:", "module:../x", "module:a b", "module:a/b", "module:a;b"}) {
    EXPECT_FALSE(provider.canonical(Address{bad}, "loaded")) << bad;
  }
  EXPECT_FALSE(provider.canonical(Address{"module:" + std::string(80, 'a')}, "loaded"));
}

}  // namespace
}  // namespace nettune::kinds::module
