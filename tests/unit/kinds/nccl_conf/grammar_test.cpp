// SPDX-License-Identifier: Apache-2.0
#include "kinds/nccl_conf/grammar.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>

namespace nettune::kinds::nccl_conf {
namespace {

/// What a process gets from a file: the algorithm of setEnvFile() said in other words, with
/// setenv(overwrite=0) as a map that keeps the first. `comments` is NCCL 2.26.2 and later.
std::map<std::string, std::string> nccl_reads(const std::string& text, bool comments) {
  std::map<std::string, std::string> variables;
  std::string line;
  const auto finish = [&] {
    const auto equals = line.find('=');
    if (!(comments && line.starts_with('#')) && equals != std::string::npos) {
      variables.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
    line.clear();
  };
  for (const char c : text) {
    if (c == '\n') {
      finish();
    } else {
      line += c;
    }
  }
  finish();
  return variables;
}

TEST(KindsNcclConfGrammar, ReadsEachLineAsNcclDoes) {
  const NcclConf conf(
      "NCCL_DEBUG=INFO\n"
      "NCCL_SOCKET_IFNAME==eth0\n"
      " NCCL_A=1\n"
      "NCCL_B = 1\n"
      "export NCCL_C=1\n"
      "NCCL_D=\"x\"\n"
      "#NCCL_E=1\n"
      "NCCL_F\n"
      "NCCL_DEBUG=WARN\n"
      "NCCL_G=a\r\n"
      "NCCL_H=");
  EXPECT_EQ(conf.get("NCCL_DEBUG"), "INFO");
  EXPECT_EQ(conf.line("NCCL_DEBUG"), 1);
  EXPECT_EQ(conf.get("NCCL_SOCKET_IFNAME"), "=eth0");
  EXPECT_EQ(conf.get("NCCL_A"), std::nullopt);
  EXPECT_EQ(conf.get("NCCL_B"), std::nullopt);
  EXPECT_EQ(conf.get("NCCL_C"), std::nullopt);
  EXPECT_EQ(conf.get("NCCL_D"), "\"x\"");
  EXPECT_EQ(conf.get("NCCL_E"), std::nullopt);
  EXPECT_EQ(conf.get("NCCL_F"), std::nullopt);
  EXPECT_EQ(conf.get("NCCL_G"), "a\r");
  EXPECT_EQ(conf.get("NCCL_H"), "");
  EXPECT_EQ(conf.line("NCCL_H"), 11);
  EXPECT_EQ(conf.line("NCCL_F"), 0);
}

TEST(KindsNcclConfGrammar, TouchesOneLineOnly) {
  NcclConf conf("# theirs\r\nA=1\nB=2 \nA=3");
  ASSERT_TRUE(conf.set("A", "10"));
  EXPECT_EQ(conf.text(), "# theirs\r\nA=10\nB=2 \nA=3");
  ASSERT_TRUE(conf.set("C", "=x"));
  EXPECT_EQ(conf.text(), "# theirs\r\nA=10\nB=2 \nA=3\nC==x\n");
  conf.remove("A");
  EXPECT_EQ(conf.text(), "# theirs\r\nB=2 \nA=3\nC==x\n");
  conf.remove("nothing");
  conf.remove("C");
  EXPECT_EQ(conf.text(), "# theirs\r\nB=2 \nA=3\n");
  conf.set_final_newline(false);
  EXPECT_EQ(conf.text(), "# theirs\r\nB=2 \nA=3");
  EXPECT_FALSE(conf.ends_with_newline());
}

TEST(KindsNcclConfGrammar, EmptyAndNewline) {
  NcclConf conf("");
  EXPECT_TRUE(conf.ends_with_newline());
  conf.set_final_newline(true);
  EXPECT_EQ(conf.text(), "");
  ASSERT_TRUE(conf.set("A", ""));
  EXPECT_EQ(conf.text(), "A=\n");
  conf.remove("A");
  EXPECT_EQ(conf.text(), "");
}

TEST(KindsNcclConfGrammar, RefusesWhatDoesNotFitOneLine) {
  NcclConf conf("A=1\n");
  for (const std::string& name : {std::string(), std::string("#A"), std::string("A=B"),
                                  std::string("A\nB"), std::string("A\0", 2)}) {
    EXPECT_FALSE(conf.set(name, "1"));
  }
  EXPECT_FALSE(conf.set("A", "1\nB=2"));
  EXPECT_EQ(conf.text(), "A=1\n");
  // Odd, but one line, and what a file held before must be able to come back.
  EXPECT_TRUE(conf.set("A", std::string("1\0", 2)));
  EXPECT_EQ(conf.get("A"), std::string("1\0", 2));
}

/// Over random files: get() is what NCCL reads, set() changes that variable and no other, and the
/// undo gives the bytes back.
TEST(KindsNcclConfGrammar, KeepsTheLawsOnRandomFiles) {
  std::mt19937 random(11);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    const std::size_t size = random() % 40;
    for (std::size_t i = 0; i < size; ++i) text += "AB==#\n\n\r 1"[random() % 10];
    const std::string name = random() % 2 ? "A" : "AB";
    const NcclConf before(text);
    const auto variables = nccl_reads(text, true);
    const auto found = variables.find(name);
    ASSERT_EQ(before.get(name),
              found == variables.end() ? std::nullopt : std::optional<std::string>(found->second))
        << text;

    NcclConf conf(text);
    ASSERT_TRUE(conf.set(name, "new"));
    for (const bool comments : {true, false}) {
      auto expected = nccl_reads(text, comments);
      expected[name] = "new";
      ASSERT_EQ(nccl_reads(conf.text(), comments), expected) << text;
    }
    if (before.get(name)) {
      ASSERT_TRUE(conf.set(name, *before.get(name)));
    } else {
      conf.remove(name);
      if (!before.ends_with_newline()) conf.set_final_newline(false);
    }
    ASSERT_EQ(conf.text(), text);
  }
}

}  // namespace
}  // namespace nettune::kinds::nccl_conf
