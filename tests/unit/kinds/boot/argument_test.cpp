// SPDX-License-Identifier: Apache-2.0
#include "kinds/boot/argument.hpp"

#include <gtest/gtest.h>

namespace nettune::kinds::boot {
namespace {

using Words = std::vector<std::string>;

/// A value that each argument takes.
std::string some_value(const Argument& row) {
  switch (row.form) {
    case Form::word:
      return std::string(row.choices.substr(0, row.choices.find(' ')));
    case Form::number:
      return std::to_string(row.most);
    case Form::size:
      return "1G";
    case Form::cpus:
      return "2-5,8";
    case Form::list:
      return "tty0 ttyS0,115200n8";
    case Form::ports:
      return "0000:3a:00.0 pci:15b3:1979 00:1c.0/00.0";
    case Form::flags:
      return "xx111x0@0000:3a:00.0";
    case Form::any:
      return "a text";
  }
  return {};
}

std::string name_of(const Argument& row) {
  return std::string(row.name) + (row.repeat == Repeat::group ? "#2M" : "");
}

TEST(KindsBootArgument, WhatIsWrittenIsWhatTheKernelGot) {
  for (const Argument& row : arguments()) {
    const std::string name = name_of(row);
    const std::string value = canonical_value(name, some_value(row)).value();
    EXPECT_EQ(canonical_value(name, value).value(), value) << name;
    Words words = words_of(name, value);
    words.insert(words.begin(), "quiet");
    EXPECT_TRUE(got(name, value, words).is) << name;
    words.pop_back();
    EXPECT_FALSE(got(name, value, words).is) << name;
    EXPECT_FALSE(row.source.empty()) << name;
  }
}

TEST(KindsBootArgument, RefusesWhatIsNoValue) {
  for (const auto& [name, value] : {std::pair("skew_tick", "2"),
                                    {"skew_tick", ""},
                                    {"iommu", "pt;halt"},
                                    {"iommu", "pt quiet"},
                                    {"isolcpus", "5-2"},
                                    {"isolcpus", ""},
                                    {"isolcpus", "1,99999"},
                                    {"console", "ttyS0\nx"},
                                    {"hugepages#3M", "1"},
                                    {"hugepages#2M", "-1"},
                                    {"hugepages", "1"},
                                    {"pci#realloc", "maybe"},
                                    {"pci#disable_acs_redir", "0000:3a:00.0;reboot"},
                                    {"pci#disable_acs_redir", "$(x)"},
                                    {"pci#config_acs", "0000:3a:00.0"},
                                    {"pci#nomsi", "on"},
                                    {"init", "/bin/sh"},
                                    {"mitigations", "on"}})
    EXPECT_FALSE(canonical_value(name, value)) << name << " = " << value;
  EXPECT_NE(not_in_table("iomu").text.find("did you mean"), std::string::npos);
}

TEST(KindsBootArgument, WhatASiteAllowsIsAnyTextThatCanArrive) {
  EXPECT_EQ(argument_of("rcu_nocbs").value(), &other_argument());
  EXPECT_EQ(words_of("rcu_nocbs", "2-15"), Words{"rcu_nocbs=2-15"});
  EXPECT_EQ(words_of("nosmt", ""), Words{"nosmt"});
  EXPECT_TRUE(got("nosmt", "", {"quiet", "nosmt"}).is);
  EXPECT_FALSE(got("nosmt", "", {"nosmt=force"}).is);
  EXPECT_FALSE(got("nosmt", "", {"quiet"}).found);
  for (const char* const value : {"a;b", "$x", "a b", "`x`", "a#b", "|&<>"})
    EXPECT_TRUE(canonical_value("x.y", value)) << value;
  for (const char* const value : {"a'b", "a\"b", "a\\b", "a\nb", " a", "a "})
    EXPECT_FALSE(canonical_value("x.y", value)) << value;
  for (const char* const name : {"init", "root", "rw", "hugepagesz", "pci", "a b", "", "-x", "a=b"})
    EXPECT_FALSE(argument_of(name)) << name;
}

TEST(KindsBootArgument, RepeatedOnesCountAsTheKernelCountsThem) {
  const auto is = [](const char* name, const char* value, const char* line) {
    return got(name, value, split_command_line(line)).is;
  };
  EXPECT_TRUE(is("iommu", "pt", "iommu=off iommu=pt"));
  EXPECT_FALSE(is("iommu", "pt", "iommu=pt iommu=off"));
  EXPECT_TRUE(is("hugepages#2M", "5", "hugepagesz=1G hugepages=2 hugepagesz=2M hugepages=5"));
  EXPECT_FALSE(is("hugepages#2M", "2", "hugepagesz=1G hugepages=2"));
  EXPECT_FALSE(is("hugepages#2M", "2", "hugepages=2"));
  EXPECT_TRUE(is("pci#realloc", "on", "pci=nomsi,realloc=on"));
  EXPECT_TRUE(is("pci#disable_acs_redir", "1:2.0 3:4.0",
                 "pci=realloc=on pci=disable_acs_redir=1:2.0;3:4.0"));
  EXPECT_TRUE(is("console", "tty0 ttyS0", "console=ttyS1 console=tty0 console=ttyS0"));
  EXPECT_FALSE(is("console", "tty0 ttyS0", "console=ttyS0 console=tty0"));
  EXPECT_FALSE(is("iommu", "pt", "quiet -- iommu=pt")) << "behind -- it is for init";
  EXPECT_EQ(split_command_line("a=\"b c\"  d\n"), (Words{"a=b c", "d"}));
}

}  // namespace
}  // namespace nettune::kinds::boot
