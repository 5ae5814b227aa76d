// SPDX-License-Identifier: Apache-2.0
#include "owners/shell_scripts.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/owners/fixture.hpp"

namespace nettune::owners {
namespace {

std::string run_script(const std::string& text, const std::string& interface = "eth0") {
  std::string out;
  for (const ScriptCommand& one : script_commands(text, {{"IFACE", {interface}}}))
    out += one.text + (one.sure ? ";" : "?");
  return out;
}

TEST(OwnersShellScripts, ConditionsOnTheInterface) {
  const std::string hook =
      "#!/bin/sh\n[ \"$IFACE\" = eth0 ] || exit 0\nip link set $IFACE mtu 1500 # why\n";
  EXPECT_EQ(run_script(hook), "ip link set eth0 mtu 1500;");
  EXPECT_EQ(run_script(hook, "eth1"), "");
  const std::string branch =
      "if [ \"$IFACE\" = \"lo\" ]; then\n  a\nelif [[ $IFACE == eth* ]]; then b; else\n c\nfi\nd\n";
  EXPECT_EQ(run_script(branch), "b;d;");
  EXPECT_EQ(run_script(branch, "lo"), "a;d;");
  EXPECT_EQ(run_script(branch, "ib0"), "c;d;");
  const std::string choice =
      "case \"$IFACE\" in\n  lo) a ;;\n  eth0|eth1)\n    b\n    ;;\n  *) c;;\nesac\nd\n";
  EXPECT_EQ(run_script(choice), "b;d;");
  EXPECT_EQ(run_script(choice, "ib0"), "c;d;");
}

TEST(OwnersShellScripts, VariablesAndLoops) {
  EXPECT_EQ(run_script("DEV=eth5\nMTU=\"9000\"\nip link set ${DEV} mtu $MTU\n"),
            "ip link set eth5 mtu 9000;");
  EXPECT_EQ(run_script("for d in eth1 eth2; do\n  ethtool -G \"$d\" rx 64\ndone\nx $d\n"),
            "ethtool -G \"eth1\" rx 64;ethtool -G \"eth2\" rx 64;x $d;");
  EXPECT_EQ(run_script("cat <<EOF\nip link set eth0 mtu 1\nEOF\na \\\n  b\n"), "cat <<EOF;a b;");
}

TEST(OwnersShellScripts, WhatIsNotKnownIsNotSure) {
  EXPECT_EQ(run_script("if grep -q x /etc/y; then a; else b; fi; c\n"), "a?b?c;");
  EXPECT_EQ(run_script("[ -e /x ] && a\n[ -e /y ] || exit 0\nb\n"), "a?b?");
  EXPECT_EQ(run_script("f() {\n a\n}\nwhile read x; do b; done\nfor i in *; do c; done\nd\n"),
            "a?b?c?d;");
  EXPECT_EQ(run_script("exit 0\na\n"), "");
  for (const char* const text :
       {"fi\ndone\n}\nesac\n;;\n", "if\ncase\nfor\n[ ]\n[ ", "a &&", "|| b", "case x in"})
    (void)run_script(text);
}

TEST(OwnersShellScripts, OtherWaysToWriteTheSame) {
  EXPECT_EQ(run_script("grep -q x /y &&\n  a\nip x ||\n  b\nc\n"), "grep -q x /y;a?ip x;c;");
  EXPECT_EQ(run_script("f()\n{\n  a\n}\nb\n"), "a?b;");
  EXPECT_EQ(run_script("f() { a; }\nb\nfunction g {\n c\n}\nd\n"), "a?b;c?d;");
  EXPECT_EQ(run_script("[ -e /x ] && { a ${IFACE}; b; }\nc\n"), "a eth0?b?c;");
  EXPECT_EQ(run_script("for d in 1 2; do\n[ $d = 2 ] && x $d\ndone\n"), "x 1?x 2?");
  EXPECT_EQ(run_script("for d in 1 2; do\n[ -e /x ] && continue\na\ndone\n"), "a?");
  EXPECT_EQ(run_script("case $IFACE in\neth0) V=$(cat f)\n  a ;;\n*) b ;;\nesac\n"), "a;");
  EXPECT_EQ(run_script("A=$((1 << 2))\na\necho \"x <<EOF\"\nb\n"), "a;echo \"x <<EOF\";b;");
}

TEST(OwnersShellScripts, NothingGrowsWithoutEnd) {
  std::string doubling = "A=xx\n";
  for (int i = 0; i < 64; ++i) doubling += "A=$A$A\n";
  EXPECT_LT(run_script(doubling + "ip link set $A mtu 1\n").size(), std::size_t{1} << 16);
  std::string loops;
  for (const char* const name : {"a", "b", "c", "d"})
    loops += std::string("for ") + name + " in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do\n";
  EXPECT_LT(run_script(loops + "x $a $b $c $d\n").size(), std::size_t{1} << 16);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "V" + std::to_string(i) + "=1\n";
  EXPECT_EQ(run_script(many + "x $V999\n"), "x $V999;") << "not known, so not judged";
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "then ";
  EXPECT_EQ(run_script(deep + "a\nb\n"), "b;");
}

}  // namespace
}  // namespace nettune::owners
