// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"

#include <gtest/gtest.h>
#include <initializer_list>

namespace nettune::cli {
namespace {

/// A command with two options, and the options that all commands have.
struct MadeUp : GlobalOptions {
  std::string what;
  std::vector<std::string> sizes;
  bool fast = false;
  std::vector<std::string> rest;

  Options options() {
    return {{"what", "", "What to make", &what, true},
            {"--size", "N", "Its size; may be repeated", &sizes, false,
             [](node::Context&, auto) {
               return std::vector<std::string>{"1", "2"};
             }},
            {"--fast", "", "Do not wait", &fast},
            {"--", "COMMAND ...", "What runs", &rest}};
  }

  Result<> take() {
    if (fast && sizes.size() > 1) return fail(Errc::invalid, "--fast makes one size only");
    return {};
  }

  static std::vector<std::string> candidates(node::Context&, std::span<const std::string> words) {
    return words.size() == 1 ? std::vector<std::string>{"box"} : std::vector<std::string>();
  }

  Result<node::Exit> run(node::Context& context, Output&) const {
    if (what != "box" || !fast || sizes != std::vector<std::string>{"3"}) return node::Exit::failed;
    return context.locations().again == "sudo nettune make box --fast --size=3 --json"
               ? node::Exit::drift
               : node::Exit::failed;
  }
};

Command made_up() {
  Command command = make_command<MadeUp>(Work::changes);
  command.name = "make";
  command.summary = "make things";
  return command;
}

Result<std::optional<Information>> read(const Command& command,
                                        std::initializer_list<const char*> words) {
  const std::vector<const char*> line(words);
  return read_command_line(command, line);
}

MadeUp parsed(std::initializer_list<const char*> words) {
  const Command command = made_up();
  const auto seen = read(command, words);
  EXPECT_TRUE(seen.has_value()) << (seen ? "" : seen.error().text);
  return static_cast<const MadeUp&>(*command.global);
}

std::string mistake(std::initializer_list<const char*> words) {
  const auto seen = read(made_up(), words);
  if (seen) return "(accepted)";
  EXPECT_EQ(seen.error().code, Errc::invalid);
  return seen.error().text;
}

TEST(CliCommand, AMadeUpOneWorksByItsTableAlone) {
  const Command command = made_up();
  ASSERT_TRUE(read(command, {"box", "--fast", "--size=3", "--json"}).has_value());
  EXPECT_EQ(execute(command), static_cast<int>(node::Exit::drift));
  const auto help = read(made_up(), {"--help"});
  ASSERT_TRUE(help && *help);
  EXPECT_TRUE(
      (*help)->text.starts_with("nettune make: make things\n"
                                "Usage: nettune make [OPTION...] what [-- COMMAND ...]\n"))
      << (*help)->text;
  EXPECT_NE((*help)->text.find("  --size N              Its size; may be repeated\n"),
            std::string::npos)
      << (*help)->text;
  EXPECT_NE((*help)->text.find("--state-dir DIR"), std::string::npos) << (*help)->text;
}

TEST(CliCommand, EachHasItsOwnOptions) {
  const Command one = made_up();
  const Command two = made_up();
  ASSERT_TRUE(read(one, {"box", "--fast"}).has_value());
  EXPECT_TRUE(static_cast<const MadeUp&>(*one.global).fast);
  EXPECT_FALSE(static_cast<const MadeUp&>(*two.global).fast);
}

TEST(CliCommand, WhatItRefusesNamesItsHelp) {
  EXPECT_EQ(mistake({"box", "--fast", "--size", "1", "--size", "2"}),
            "--fast makes one size only; see nettune make --help");
  EXPECT_EQ(mistake({}), "what is required; see nettune make --help");
  EXPECT_EQ(mistake({"box", "--fats"}),
            "unknown option '--fats'; did you mean --fast?; see nettune make --help");
}

TEST(CliCommand, SetTakesOneValueAndNotTheWordBehindIt) {
  const MadeUp seen = parsed({"--set", "a=b", "box", "--set=c=d=e", "--set", "f="});
  EXPECT_EQ(seen.what, "box");
  EXPECT_EQ(seen.set.size(), 3U);
  EXPECT_EQ(seen.set.at("a"), "b");
  EXPECT_EQ(seen.set.at("c"), "d=e");
  EXPECT_EQ(seen.set.at("f"), "");
}

TEST(CliCommand, ValuesAreTakenLiterally) {
  const MadeUp seen =
      parsed({"it's \"odd\"", "--set", "list=[1,2]", "--set", "x={}", "--size", "[a b]"});
  EXPECT_EQ(seen.set.at("list"), "[1,2]");
  EXPECT_EQ(seen.set.at("x"), "{}");
  EXPECT_EQ(seen.sizes, (std::vector<std::string>{"[a b]"}));
  EXPECT_EQ(seen.what, "it's \"odd\"");
}

TEST(CliCommand, DirectoriesKeepTheirOrder) {
  const MadeUp seen = parsed({"--profiles", "b", "x", "--profiles", "a"});
  EXPECT_EQ(seen.profile_directories, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(seen.site_file, "/etc/nettune/site.toml");
  EXPECT_FALSE(seen.site_given);
  EXPECT_TRUE(parsed({"x", "--site", "y"}).site_given);
}

TEST(CliCommand, WhatIsRunHasItsOwnLine) {
  const MadeUp seen =
      parsed({"x", "--json", "--size", "3", "--", "python", "--json", "--", "--fast", "", "-h"});
  EXPECT_EQ(seen.rest, (std::vector<std::string>{"python", "--json", "--", "--fast", "", "-h"}));
  EXPECT_EQ(seen.sizes, (std::vector<std::string>{"3"}));
  EXPECT_TRUE(seen.json);
  EXPECT_FALSE(seen.fast);
  EXPECT_TRUE(parsed({"x", "--"}).rest.empty());
}

TEST(CliCommand, TheEnvironmentRedirectsNothing) {
  ASSERT_EQ(::setenv("NETTUNE_STATE_DIR", "/tmp/elsewhere", 1), 0);
  ASSERT_EQ(::setenv("STATE_DIR", "/tmp/elsewhere", 1), 0);
  const MadeUp seen = parsed({"x"});
  EXPECT_EQ(seen.state_directory, "/var/lib/nettune");
  EXPECT_EQ(seen.site_file, "/etc/nettune/site.toml");
  ::unsetenv("NETTUNE_STATE_DIR");
  ::unsetenv("STATE_DIR");
}

TEST(CliCommand, AnOptionKnowsTheCandidatesOfItsValue) {
  const Command command = made_up();
  node::Context context{node::Locations()};
  const auto at = [&](const std::vector<std::string>& words) {
    return candidates(command, context, words);
  };
  EXPECT_EQ(at({""}), (std::vector<std::string>{"box"}));
  EXPECT_EQ(at({"box", "--size", ""}), (std::vector<std::string>{"1", "2"}));
  EXPECT_TRUE(at({"box", "--fast", ""}).empty());
  EXPECT_TRUE(at({"box", "--", "--size", ""}).empty());
  const auto options = at({"box", "--"});
  EXPECT_NE(std::find(options.begin(), options.end(), "--size"), options.end());
  EXPECT_NE(std::find(options.begin(), options.end(), "--state-dir"), options.end());
}

}  // namespace
}  // namespace nettune::cli
