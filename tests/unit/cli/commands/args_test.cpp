// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/args.hpp"

#include <cctype>
#include <fstream>
#include <gtest/gtest.h>
#include <initializer_list>
#include <set>
#include <sstream>

namespace nettune::cli::commands {
namespace {

Result<std::variant<Arguments, Information, ProgramCall>> parse(
    std::initializer_list<const char*> words) {
  std::vector<const char*> line = {"nettune"};
  line.insert(line.end(), words.begin(), words.end());
  return parse_arguments(static_cast<int>(line.size()), line.data());
}

Arguments parsed(std::initializer_list<const char*> words) {
  auto result = parse(words);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().text);
  if (!result || !std::holds_alternative<Arguments>(*result)) return {};
  return std::get<Arguments>(*result);
}

std::string mistake(std::initializer_list<const char*> words) {
  auto result = parse(words);
  if (result) return "(accepted)";
  EXPECT_EQ(result.error().code, Errc::invalid);
  return result.error().text;
}

TEST(CliCommandsArgs, GlobalOptionsStandBeforeOrBehindTheCommand) {
  const Arguments before = parsed({"--json", "--set", "a=1", "--state-dir", "/s", "plan", "tcp"});
  const Arguments behind = parsed({"plan", "tcp", "--json", "--set", "a=1", "--state-dir", "/s"});
  for (const Arguments& arguments : {before, behind}) {
    EXPECT_EQ(arguments.command, Command::plan);
    EXPECT_EQ(arguments.subject, "tcp");
    EXPECT_TRUE(arguments.json);
    EXPECT_EQ(arguments.set.at("a"), "1");
    EXPECT_EQ(arguments.state_directory, "/s");
  }
}

TEST(CliCommandsArgs, SetTakesOneValueAndNotTheProfileBehindIt) {
  const Arguments arguments = parsed({"plan", "--set", "a=b", "tcp", "--set=c=d=e", "--set", "f="});
  EXPECT_EQ(arguments.subject, "tcp");
  EXPECT_EQ(arguments.set.size(), 3U);
  EXPECT_EQ(arguments.set.at("a"), "b");
  EXPECT_EQ(arguments.set.at("c"), "d=e");
  EXPECT_EQ(arguments.set.at("f"), "");
}

TEST(CliCommandsArgs, ValuesAreTakenLiterally) {
  const Arguments arguments = parsed({"plan", "tcp", "--set", "list=[1,2]", "--set", "x={}"});
  EXPECT_EQ(arguments.set.at("list"), "[1,2]");
  EXPECT_EQ(arguments.set.at("x"), "{}");
  EXPECT_EQ(parsed({"hold", "--why", "[a b]"}).why, "[a b]");
  EXPECT_EQ(parsed({"hold", "--why", "it's \"odd\""}).why, "it's \"odd\"");
}

TEST(CliCommandsArgs, DirectoriesKeepTheirOrder) {
  const Arguments arguments = parsed({"--profiles", "b", "list", "--profiles", "a"});
  EXPECT_EQ(arguments.profile_directories, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(arguments.site_file, "/etc/nettune/site.toml");
  EXPECT_FALSE(arguments.site_given);
  EXPECT_TRUE(parsed({"list", "--site", "x"}).site_given);
}

TEST(CliCommandsArgs, WhatIsRunHasItsOwnLine) {
  const Arguments arguments = parsed({"run", "--json", "--numa-of-gpu", "3", "--", "python",
                                      "--json", "--", "--profile", "", "-h"});
  EXPECT_EQ(arguments.words,
            (std::vector<std::string>{"python", "--json", "--", "--profile", "", "-h"}));
  EXPECT_EQ(arguments.near_gpu, "3");
  EXPECT_TRUE(arguments.json);
  EXPECT_TRUE(arguments.profile.empty());
  EXPECT_FALSE(parsed({"run", "--", "x"}).override_environment);
  EXPECT_TRUE(parsed({"run", "--override", "--", "x"}).override_environment);
  EXPECT_TRUE(parsed({"run", "--"}).words.empty());
  EXPECT_EQ(parsed({"run", "python", "x"}).stray, (std::vector<std::string>{"python", "x"}));
  EXPECT_NE(mistake({"run", "--numa-of-gpu", "--", "x"}), "(accepted)");
  EXPECT_NE(mistake({"run", "--bad", "--", "x"}).find("--bad"), std::string::npos);
  EXPECT_NE(mistake({"plan", "--", "x", "y"}), "(accepted)");
}

TEST(CliCommandsArgs, TwoDashesEndTheOptions) {
  EXPECT_EQ(parsed({"plan", "--json", "--", "base"}).subject, "base");
  EXPECT_EQ(parsed({"plan", "--", "-x"}).subject, "-x");
  EXPECT_TRUE(parsed({"status", "--"}).subject.empty());
  EXPECT_NE(mistake({"plan", "--", "a", "--", "b"}).find("'--'"), std::string::npos);
  EXPECT_NE(mistake({"plan", "a", "--", "b"}).find("'b'"), std::string::npos);
}

TEST(CliCommandsArgs, RollbackTargets) {
  EXPECT_EQ(parsed({"rollback"}).to, std::nullopt);
  EXPECT_EQ(parsed({"rollback", "--to", "baseline"}).to, std::uint64_t{0});
  EXPECT_EQ(parsed({"rollback", "--to", "12"}).to, std::uint64_t{12});
  for (const char* wrong : {"0x10", "-1", "1.5", "0", "99999999999999999999", "Baseline", "1 "})
    EXPECT_NE(mistake({"rollback", "--to", wrong}).find("--to takes"), std::string::npos) << wrong;
}

TEST(CliCommandsArgs, TheLineOfAProgramIsNotReadHere) {
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

TEST(CliCommandsArgs, EveryMistakeIsNamedWithWhereHelpIs) {
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

TEST(CliCommandsArgs, ControlCharactersDoNotReachTheMessage) {
  EXPECT_EQ(mistake({"pl\x1b[31man"}).find('\x1b'), std::string::npos);
  EXPECT_EQ(mistake({"plan", "a", "--\x1b[31mforce"}).find('\x1b'), std::string::npos);
  EXPECT_EQ(mistake({"plan", "a", "--set", "\nx"}).find('\n'), std::string::npos);
}

TEST(CliCommandsArgs, HelpAndVersionAreInformation) {
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

TEST(CliCommandsArgs, HelpOfACommandNamesItsOptionsOnly) {
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

TEST(CliCommandsArgs, TheManualHasEveryCommandAndOption) {
  std::ifstream file(std::string(NETTUNE_SOURCE_DIR) + "/docs/man/nettune.8");
  std::ostringstream manual;
  manual << file.rdbuf();
  ASSERT_FALSE(manual.str().empty());
  for (int command = 0; command <= static_cast<int>(Command::release); ++command) {
    const std::string name = command_name(static_cast<Command>(command));
    EXPECT_NE(manual.str().find("Cm " + name), std::string::npos) << name;
    const auto help = parse({name.c_str(), "--help"});
    ASSERT_TRUE(help.has_value());
    for (const std::string& option : options_in(std::get<Information>(*help).text)) {
      EXPECT_NE(manual.str().find("Fl -" + option), std::string::npos) << name << " --" << option;
    }
  }
}

TEST(CliCommandsArgs, TheEnvironmentRedirectsNothing) {
  ASSERT_EQ(::setenv("NETTUNE_STATE_DIR", "/tmp/elsewhere", 1), 0);
  ASSERT_EQ(::setenv("STATE_DIR", "/tmp/elsewhere", 1), 0);
  const Arguments arguments = parsed({"status"});
  EXPECT_EQ(arguments.state_directory, "/var/lib/nettune");
  EXPECT_EQ(arguments.site_file, "/etc/nettune/site.toml");
  ::unsetenv("NETTUNE_STATE_DIR");
  ::unsetenv("STATE_DIR");
}

TEST(CliCommandsArgs, TimesHaveUnitsAndBounds) {
  EXPECT_EQ(parsed({"apply", "tcp", "--confirm", "90"}).confirm_s, 90);
  EXPECT_EQ(parsed({"apply", "tcp", "--confirm", "90s"}).confirm_s, 90);
  EXPECT_EQ(parsed({"rollback", "--confirm", "2m"}).confirm_s, 120);
  EXPECT_EQ(parsed({"apply", "tcp", "--confirm", "24h"}).confirm_s, 86400);
  EXPECT_EQ(parsed({"recover", "--at", "12345"}).at_s, 12345);
  for (const char* const wrong : {"0", "-5", "25h", "s", "1.5m", "1d", "99999999999999999999", ""})
    EXPECT_NE(mistake({"apply", "tcp", "--confirm", wrong}).find("--confirm"), std::string::npos)
        << wrong;
  EXPECT_NE(mistake({"recover", "--at", "soon"}).find("--at"), std::string::npos);
}

TEST(CliCommandsArgs, ManagementIsChangedOnlyWithAWindow) {
  EXPECT_NE(mistake({"apply", "tcp", "--allow-management"}).find("--confirm"), std::string::npos);
  EXPECT_TRUE(parsed({"apply", "tcp", "--allow-management", "--confirm", "60"}).allow_management);
}

TEST(CliCommandsArgsOfApply, ProbesAreReadForTheirForm) {
  const Arguments seen =
      parsed({"apply", "p", "--probe", "path:10.0.0.2%eth1", "--probe", "gateway", "--probe",
              "tcp:[fd00::1]:22", "--probe", "command:/usr/bin/test -e /x"});
  ASSERT_EQ(seen.probes.size(), 4U);
  EXPECT_EQ(seen.confirm_s, 60);
  EXPECT_EQ(seen.probes[0].peer.address, "10.0.0.2");
  EXPECT_EQ(seen.probes[0].peer.interface, "eth1");
  EXPECT_EQ(seen.probes[2].peer.address, "fd00::1");
  EXPECT_EQ(seen.probes[2].port, 22);
  EXPECT_EQ(seen.probes[3].words, (std::vector<std::string>{"/usr/bin/test", "-e", "/x"}));
  EXPECT_EQ(parsed({"apply", "p", "--probe", "gateway", "--confirm", "5"}).confirm_s, 5);
  for (const char* const wrong :
       {"ping", "path:", "path:-n", "path:a b", "path:a/b", "path:a%",
        "path:a%interfacenametoolong", "tcp:host", "tcp:host:0", "tcp:host:65536", "tcp::22",
        "command:", "command:test", "Gateway"})
    EXPECT_NE(mistake({"apply", "p", "--probe", wrong}).find(wrong), std::string::npos) << wrong;
}

TEST(CliCommandsArgsOfApply, AChangeForAWhileIsNotConfirmed) {
  const Arguments seen = parsed({"apply", "p", "--for", "10m", "--allow-management"});
  EXPECT_TRUE(seen.temporary);
  EXPECT_EQ(seen.confirm_s, 600);
  EXPECT_NE(mistake({"apply", "p", "--for", "10m", "--confirm", "5"}).find("--for"),
            std::string::npos);
  EXPECT_NE(mistake({"apply", "p", "--for", "10m", "--probe", "gateway"}).find("--for"),
            std::string::npos);
  EXPECT_NE(mistake({"apply", "p", "--for", "0"}).find("--for takes"), std::string::npos);
}

TEST(CliCommandsArgs, HowLongToListenIsATime) {
  EXPECT_EQ(parsed({"check"}).listen_s, 0);
  EXPECT_EQ(parsed({"check", "--listen-lldp", "35s"}).listen_s, 35);
  EXPECT_NE(mistake({"check", "--listen-lldp", "soon"}).find("--listen-lldp takes a time"),
            std::string::npos);
  EXPECT_NE(mistake({"watch", "--listen-lldp", "35s"}), "(accepted)");
}

}  // namespace
}  // namespace nettune::cli::commands
