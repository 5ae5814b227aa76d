// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/dispatch.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <gtest/gtest.h>
#include <initializer_list>
#include <set>
#include <sstream>

#include "cli/commands/command_table.hpp"

namespace nettune::cli::commands {
namespace {

Result<std::variant<Command, Information, ProgramCall>> parse(
    std::initializer_list<const char*> words) {
  std::vector<const char*> line = {"nettune"};
  line.insert(line.end(), words.begin(), words.end());
  return read_line(static_cast<int>(line.size()), line.data());
}

bool accepts(std::initializer_list<const char*> words) {
  const auto result = parse(words);
  return result && std::holds_alternative<Command>(*result);
}

std::string mistake(std::initializer_list<const char*> words) {
  auto result = parse(words);
  if (result) return "(accepted)";
  EXPECT_EQ(result.error().code, Errc::invalid);
  return result.error().text;
}

TEST(CliCommandsDispatch, GlobalOptionsStandBeforeOrBehindTheCommand) {
  for (const auto& words : {std::initializer_list<const char*>{"--json", "--set", "a=1",
                                                               "--state-dir", "/s", "plan", "tcp"},
                            {"plan", "tcp", "--json", "--set", "a=1", "--state-dir", "/s"}}) {
    const auto seen = parse(words);
    ASSERT_TRUE(seen && std::holds_alternative<Command>(*seen));
    const Command& command = std::get<Command>(*seen);
    EXPECT_EQ(command.name, "plan");
    EXPECT_TRUE(command.global->json);
    EXPECT_EQ(command.global->set.at("a"), "1");
    EXPECT_EQ(command.global->state_directory, "/s");
  }
}

TEST(CliCommandsDispatch, ACommandWithoutDashesIsNamedWhenItRuns) {
  EXPECT_TRUE(accepts({"run", "--json", "--numa-of-gpu", "3", "--", "python", "--bad"}));
  EXPECT_TRUE(accepts({"run", "python", "x"}));
  EXPECT_NE(mistake({"run", "--numa-of-gpu", "--", "x"}), "(accepted)");
  EXPECT_NE(mistake({"run", "--bad", "--", "x"}).find("--bad"), std::string::npos);
  EXPECT_NE(mistake({"plan", "--", "x", "y"}), "(accepted)");
}

/// The words of a line of a shell: blanks, and quotes around a word.
std::vector<std::string> words_of_shell(std::string_view line) {
  std::vector<std::string> all = {""};
  bool quoted = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      all.emplace_back();
    } else {
      all.back() += c;
    }
  }
  return all;
}

TEST(CliCommandsDispatch, TheExampleOfEachHelpIsALineThatWorks) {
  for (const CommandSpec& spec : commands()) {
    if (spec.group.empty()) continue;
    std::vector<std::string> line = words_of_shell(spec.example);
    if (line.front() == "sudo") line.erase(line.begin());
    line.erase(std::ranges::find(line, ">"), line.end());
    std::vector<const char*> words;
    for (const std::string& word : line) words.push_back(word.c_str());
    ASSERT_GE(words.size(), 2U) << spec.name;
    EXPECT_EQ(line[1], spec.name);
    const auto seen = read_line(static_cast<int>(words.size()), words.data());
    EXPECT_TRUE(seen && std::holds_alternative<Command>(*seen))
        << spec.example << (seen ? "" : seen.error().text);
  }
}

TEST(CliCommandsDispatch, HelpIsACommand) {
  const auto text_of = [](std::initializer_list<const char*> words) {
    const auto seen = parse(words);
    return seen && std::holds_alternative<Information>(*seen) ? std::get<Information>(*seen).text
                                                              : std::string();
  };
  EXPECT_NE(text_of({"help"}).find("Usage: nettune COMMAND"), std::string::npos);
  EXPECT_NE(text_of({"help", "apply"}).find("--confirm"), std::string::npos);
  EXPECT_NE(text_of({"help", "apply"}).find("\nExample: sudo nettune apply "), std::string::npos);
  const auto doctor = parse({"help", "doctor"});
  ASSERT_TRUE(doctor && std::holds_alternative<ProgramCall>(*doctor));
  EXPECT_EQ(std::get<ProgramCall>(*doctor).words, std::vector<std::string>{"--help"});
  EXPECT_NE(mistake({"help", "aply"}).find("'apply'"), std::string::npos);
}

TEST(CliCommandsDispatch, NamesOfOtherToolsPointToOurs) {
  EXPECT_NE(mistake({"verify"}).find("nettune check"), std::string::npos);
  EXPECT_NE(mistake({"show-config"}).find("nettune show"), std::string::npos);
  EXPECT_NE(mistake({"validate", "x"}).find("nettune plan"), std::string::npos);
}

TEST(CliCommandsDispatch, AValueThatIsMissingIsNamedInOurWords) {
  EXPECT_NE(mistake({"apply", "x", "--confirm"}).find("--confirm needs TIME"), std::string::npos);
  EXPECT_NE(mistake({"apply", "x", "--only"}).find("--only needs "), std::string::npos);
  EXPECT_NE(mistake({"plan", "x", "--json=maybe"}).find("--json takes no value"),
            std::string::npos);
}

TEST(CliCommandsDispatch, TwoDashesEndTheOptions) {
  EXPECT_TRUE(accepts({"plan", "--json", "--", "base"}));
  EXPECT_TRUE(accepts({"plan", "--", "-x"}));
  EXPECT_TRUE(accepts({"status", "--"}));
  EXPECT_NE(mistake({"plan", "--", "a", "--", "b"}).find("'--'"), std::string::npos);
  EXPECT_NE(mistake({"plan", "a", "--", "b"}).find("'b'"), std::string::npos);
}

TEST(CliCommandsDispatch, RollbackTargets) {
  for (const char* const good : {"baseline", "12"})
    EXPECT_TRUE(accepts({"rollback", "--to", good}));
  for (const char* wrong : {"0x10", "-1", "1.5", "0", "99999999999999999999", "Baseline", "1 "})
    EXPECT_NE(mistake({"rollback", "--to", wrong}).find("--to takes"), std::string::npos) << wrong;
}

TEST(CliCommandsDispatch, TimesAreReadWhereTheyBelong) {
  EXPECT_TRUE(accepts({"recover", "--at", "12345"}));
  EXPECT_NE(mistake({"recover", "--at", "soon"}).find("--at"), std::string::npos);
  EXPECT_TRUE(accepts({"check", "--listen-lldp", "35s"}));
  EXPECT_NE(mistake({"check", "--listen-lldp", "soon"}).find("--listen-lldp takes a time"),
            std::string::npos);
  EXPECT_NE(mistake({"watch", "--listen-lldp", "35s"}), "(accepted)");
  EXPECT_TRUE(accepts({"check", "--cached", "--strict", "--json"}));
  for (const char* const other : {"--unattended", "--listen-lldp=3s", "--textfile=/x"})
    EXPECT_NE(mistake({"check", "--cached", other}).find("--cached checks nothing"),
              std::string::npos);
  EXPECT_NE(mistake({"watch", "--every", "0"}).find("--every takes a time"), std::string::npos);
}

TEST(CliCommandsDispatch, FactsAsTextForProgramsOrAsAPicture) {
  EXPECT_TRUE(accepts({"facts", "--full", "--json"}));
  EXPECT_TRUE(accepts({"facts", "--graph", "--svg", "a.svg", "--listen-lldp", "35s"}));
  EXPECT_TRUE(accepts({"facts", "--graph", "--root", "recorded"}));
  for (const char* const other : {"--svg=a.svg", "--root=d", "--listen-lldp=35s"})
    EXPECT_NE(mistake({"facts", other}).find("need --graph"), std::string::npos);
  for (const char* const other : {"--json", "--full"})
    EXPECT_NE(mistake({"facts", "--graph", other}).find("--graph is for people"),
              std::string::npos);
  EXPECT_NE(mistake({"facts", "--graph", "--root=d", "--listen-lldp=3s"}).find("--root"),
            std::string::npos);
}

TEST(CliCommandsDispatch, CommandsThatWriteAProfile) {
  EXPECT_TRUE(accepts({"new", "mine", "--extends", "none", "-o", "mine.toml", "--force"}));
  EXPECT_TRUE(accepts({"capture", "--all", "--kinds", "sysctl,link", "--devices", "eth*"}));
  EXPECT_TRUE(accepts({"import", "sysctl", "a.conf", "b.conf", "--name", "x"}));
  EXPECT_NE(mistake({"new"}), "(accepted)");
  EXPECT_NE(mistake({"capture", "--kinds", "sysctl,foo"}).find("no kind foo"), std::string::npos);
  EXPECT_NE(mistake({"capture", "--state", "s"}).find("--facts"), std::string::npos);
  EXPECT_NE(mistake({"import", "ini", "a.conf"}).find("tuned, sysctl, saptune"), std::string::npos);
  EXPECT_NE(mistake({"import", "tuned"}), "(accepted)");
}

TEST(CliCommandsDispatch, WhatIsForShellsAndThePackageIsNotParsed) {
  const auto seen = parse({"complete", "plan", "--help"});
  ASSERT_TRUE(seen && std::holds_alternative<Command>(*seen));
  EXPECT_EQ(std::get<Command>(*seen).global->typed, (std::vector<std::string>{"plan", "--help"}));
  EXPECT_TRUE(accepts({"undo-list"}));
  EXPECT_NE(mistake({"undo-list", "x"}).find("unknown command"), std::string::npos);
  EXPECT_NE(mistake({"--json", "complete"}).find("unknown command"), std::string::npos);
}

TEST(CliCommandsDispatch, TheLineOfAProgramIsNotReadHere) {
  const auto seen =
      parse({"--json", "--set", "nccl", "nccl", "explain", "--unknown", "--", "", "x"});
  ASSERT_TRUE(seen.has_value());
  const auto* const call = std::get_if<ProgramCall>(&*seen);
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->program->file, "nettune-nccl");
  EXPECT_EQ(call->words, (std::vector<std::string>{"--json", "--set", "nccl", "explain",
                                                   "--unknown", "--", "", "x"}));
  EXPECT_NE(mistake({"ncl"}).find("did you mean 'nccl'?"), std::string::npos);
}

TEST(CliCommandsDispatch, EveryMistakeIsNamedWithWhereHelpIs) {
  EXPECT_NE(mistake({}).find("no command given"), std::string::npos);
  EXPECT_NE(mistake({"plam"}).find("did you mean 'plan'?"), std::string::npos);
  EXPECT_NE(mistake({"plan"}).find("profile"), std::string::npos);
  EXPECT_NE(mistake({"plan", "a", "b"}).find("'b'"), std::string::npos);
  EXPECT_NE(mistake({"apply", "a", "--forse"}).find("--force"), std::string::npos);
  EXPECT_NE(mistake({"apply", "--foo"}).find("--foo"), std::string::npos);
  EXPECT_NE(mistake({"list", "--force"}).find("--force"), std::string::npos);
  EXPECT_NE(mistake({"plan", "a", "--set", "b"}).find("NAME=VALUE"), std::string::npos);
  EXPECT_NE(mistake({"plan", "a", "--set", "=b"}).find("NAME=VALUE"), std::string::npos);
  EXPECT_NE(mistake({"plan", "a", "--set", "x=1", "--set", "x=2"}).find("two values"),
            std::string::npos);
  EXPECT_NE(mistake({"plan", "a", "--set"}).find("nettune plan --help"), std::string::npos);
  EXPECT_NE(mistake({"plan", "a", "--save", "x", "--save", "y"}), "(accepted)");
  EXPECT_NE(mistake({"plan", "a", "--state", "x"}).find("--facts"), std::string::npos);
  EXPECT_NE(mistake({"status", "--state-dir", "relative"}).find("absolute"), std::string::npos);
  EXPECT_NE(mistake({"status", "--state-dir", ""}).find("empty"), std::string::npos);
  EXPECT_NE(mistake({"apply", "--confirm=", "a"}).find("--confirm: needs a value"),
            std::string::npos);
  EXPECT_NE(mistake({"status", "--state-dir", "x"}).find("absolute"), std::string::npos);
}

TEST(CliCommandsDispatch, ControlCharactersDoNotReachTheMessage) {
  EXPECT_EQ(mistake({"pl\x1b[31man"}).find('\x1b'), std::string::npos);
  EXPECT_EQ(mistake({"plan", "a", "--\x1b[31mforce"}).find('\x1b'), std::string::npos);
  EXPECT_EQ(mistake({"plan", "a", "--set", "\nx"}).find('\n'), std::string::npos);
}

TEST(CliCommandsDispatch, HelpAndVersionAreInformation) {
  for (const auto& line : {std::initializer_list<const char*>{"--help"},
                           {"-h"},
                           {"plan", "--help"},
                           {"--json", "apply", "--help"},
                           {"--version"},
                           {"check", "--version"}}) {
    auto result = parse(line);
    ASSERT_TRUE(result.has_value());
    ASSERT_TRUE(std::holds_alternative<Information>(*result));
    EXPECT_FALSE(std::get<Information>(*result).text.empty());
  }
}

TEST(CliCommandsDispatch, HelpOfACommandNamesItsOptionsOnly) {
  auto result = parse({"rollback", "--help"});
  ASSERT_TRUE(result.has_value());
  const std::string& text = std::get<Information>(*result).text;
  EXPECT_NE(text.find("--to"), std::string::npos);
  EXPECT_EQ(text.find("--accept-cautions"), std::string::npos);
}

/// Every "--name" of a help text.
std::set<std::string> options_in(const std::string& help) {
  std::set<std::string> found;
  for (std::size_t at = 0; (at = help.find("--", at)) != std::string::npos; at += 2) {
    std::size_t end = at + 2;
    while (end < help.size() &&
           (std::isalpha(static_cast<unsigned char>(help[end])) != 0 || help[end] == '-'))
      ++end;
    if (end > at + 2) found.insert(help.substr(at + 2, end - at - 2));
  }
  return found;
}

TEST(CliCommandsDispatch, TheManualHasEveryCommandAndOption) {
  std::ifstream file(std::string(NETTUNE_SOURCE_DIR) + "/docs/man/nettune.8");
  std::ostringstream manual;
  manual << file.rdbuf();
  ASSERT_FALSE(manual.str().empty());
  for (const CommandSpec& spec : commands()) {
    if (spec.group.empty()) continue;
    const std::string name(spec.name);
    EXPECT_LE(spec.summary.size(), 60U) << name;
    EXPECT_NE(manual.str().find("Cm " + name), std::string::npos) << name;
    const auto help = parse({name.c_str(), "--help"});
    ASSERT_TRUE(help.has_value());
    for (const std::string& option : options_in(std::get<Information>(*help).text)) {
      EXPECT_NE(manual.str().find("Fl -" + option), std::string::npos) << name << " --" << option;
    }
  }
}

}  // namespace
}  // namespace nettune::cli::commands
