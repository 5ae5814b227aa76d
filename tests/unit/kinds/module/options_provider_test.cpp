// SPDX-License-Identifier: Apache-2.0
#include "kinds/module/options_provider.hpp"

#include <gtest/gtest.h>

#include "kinds/module/options.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::kinds::module {
namespace {

using namespace test;

class KindsModuleOptions : public testing::Test {
 protected:
  KindsModuleOptions() {
    tree.put("sys/module/core/initstate", "live\n");
    tree.put("sys/module/core/parameters/sel", "2\n");
    tree.put("lib/6.1.0/modules.builtin", "kernel/drivers/inside.ko\n");
    tree.put("etc/keep", "");
    places.sys = tree / "sys";
    places.modules = tree / "lib";
    places.module_options = tree / "etc/zz-nettune.conf";
  }

  OptionsProvider make() {
    ModuleCalls calls;
    calls.look_up = [](const std::string&, const std::string& name) -> Result<kernel::ModuleInfo> {
      if (name == "core" || name == "later") return kernel::ModuleInfo{true, name, "", {}};
      if (name == "alias") return kernel::ModuleInfo{true, "core", "", {}};
      return kernel::ModuleInfo{};
    };
    return {*disk, places, "6.1.0", calls,
            [](const std::string&,
               const std::string& name) -> Result<std::optional<std::vector<std::string>>> {
              if (name != "core") return std::nullopt;
              return std::vector<std::string>{"hidden", "sel"};
            }};
  }

  Scratch tree;
  common::Places places;
  std::unique_ptr<Disk> disk = posix_disk();
};

TEST_F(KindsModuleOptions, CanonicalIsTheKernelsSpelling) {
  const OptionsProvider provider = make();
  for (const std::string_view bad :
       {"modprobe:core", "modprobe:core:", "modprobe::x", "modprobe:co re:x", "modprobe:core:a b",
        "modprobe:core:a\nb", "modprobe:some-core:x"})
    EXPECT_FALSE(provider.canonical({std::string(bad)}, "1")) << bad;
  for (const std::string_view bad : {"a\"b", "a\\b", "a\nb", " a", "a ", "\xc3\xa4"})
    EXPECT_FALSE(provider.canonical({"modprobe:core:sel"}, std::string(bad))) << bad;
  EXPECT_EQ(provider.canonical({"modprobe:core:sel"}, "a b").value(), Value("a b"));
  EXPECT_EQ(option_name("some-core:a-b").value(), "some_core:a_b");
}

TEST_F(KindsModuleOptions, KeepsDifferentAnswersDifferent) {
  OptionsProvider provider = make();
  EXPECT_EQ(read_one(provider, "modprobe:core:sel").presence, Presence::absent);
  EXPECT_EQ(read_one(provider, "modprobe:later:x").presence, Presence::absent);
  for (const auto& [address, why] :
       {std::pair("modprobe:inside:x", "kernel command line only: inside.x"),
        std::pair("modprobe:nonsense:x", "has no module nonsense"),
        std::pair("modprobe:alias:x", "is an alias of the module core")}) {
    const Reading now = read_one(provider, address);
    EXPECT_EQ(now.presence, Presence::not_applicable) << address;
    EXPECT_NE(now.why.find(why), std::string::npos) << now.why;
  }
  EXPECT_NE(provider.effects({"modprobe:core:nose"}, {}, "1").impossible.find("it has hidden, sel"),
            std::string::npos);
  EXPECT_EQ(provider.effects({"modprobe:core:sel"}, {}, "1").impossible, "");
}

TEST_F(KindsModuleOptions, WhatIsWrittenIsRead) {
  OptionsProvider provider = make();
  for (const char* const value : {"3", "a b", "", "1,2", "path=/x"}) {
    const std::vector<Write> unit = {{{"modprobe:core:sel"}, {}, std::string(value)}};
    ASSERT_TRUE(provider.write(unit, TestContents(), "0123456789abcdef"));
    ASSERT_TRUE(provider.place(unit, "0123456789abcdef"));
    ASSERT_TRUE(provider.place(unit, "0123456789abcdef")) << "once more, as after a crash";
    EXPECT_EQ(read_one(provider, "modprobe:core:sel").value(), Value(value));
    const std::vector<Write> back = {{{"modprobe:core:sel"}, std::string(value), {}}};
    ASSERT_TRUE(provider.write(back, TestContents(), "0123456789abcdef"));
    ASSERT_TRUE(provider.place(back, "0123456789abcdef"));
    EXPECT_FALSE(disk->info(places.module_options)->has_value()) << "the file goes with the last";
  }
}

TEST_F(KindsModuleOptions, AFileOfSomebodyIsNotTouched) {
  OptionsProvider provider = make();
  tree.put("etc/zz-nettune.conf", "options core sel=1\n");
  const Reading now = read_one(provider, "modprobe:core:sel");
  EXPECT_EQ(now.presence, Presence::not_permitted);
  EXPECT_TRUE(now.displaced);
  const std::vector<Write> unit = {{{"modprobe:core:sel"}, {}, "3"}};
  EXPECT_FALSE(provider.write(unit, TestContents(), "0123456789abcdef"));
}

TEST_F(KindsModuleOptions, InEffectIsWhatTheModuleShows) {
  OptionsProvider provider = make();
  using enum InEffect::State;
  const auto state = [&](const char* address, const char* written) {
    return provider.in_effect({address}, std::string(written)).state;
  };
  EXPECT_EQ(state("modprobe:core:sel", "2"), yes);
  EXPECT_EQ(state("modprobe:core:sel", "0x2"), yes);
  EXPECT_EQ(state("modprobe:core:sel", "3"), no);
  EXPECT_EQ(state("modprobe:core:hidden", "3"), unseen);
  EXPECT_EQ(state("modprobe:core:nose", "3"), no);
  EXPECT_EQ(state("modprobe:later:x", "3"), unseen);
  EXPECT_TRUE(is_shown_as("on", "Y"));
  EXPECT_TRUE(is_shown_as("1,2", "1,2,0,0"));
  EXPECT_FALSE(is_shown_as("1,2", "1"));
  EXPECT_FALSE(is_shown_as("2", "Y"));
}

}  // namespace
}  // namespace nettune::kinds::module
