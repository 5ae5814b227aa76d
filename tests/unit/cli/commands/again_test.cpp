// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/again.hpp"

#include <gtest/gtest.h>

#include "cli/print_text.hpp"

namespace nettune::cli::commands {
namespace {

TEST(CliCommandsAgain, TheLineAppliesWhatWasPlannedAndNothingOfPrinting) {
  commands::Arguments arguments;
  arguments.typed = {"p", "-v", "--no-color"};
  arguments.verbose = 1;
  EXPECT_EQ(commands::apply_again(arguments, "p", false), "sudo nettune apply p");
  arguments.profile_directories = {"/a b"};
  arguments.site_given = true;
  arguments.site_file = "/s.toml";
  arguments.set = {{"mtu", "9000"}};
  arguments.confirm_s = 120;
  arguments.without = {"nt0"};
  arguments.only_settings = {"sysctl:a"};
  arguments.allow_management = true;
  EXPECT_EQ(commands::apply_again(arguments, "p", false),
            "sudo nettune apply p --profiles '/a b' --site /s.toml --set mtu=9000 --confirm 120 "
            "--without nt0 --only sysctl:a --allow-management");
  arguments.temporary = true;
  EXPECT_EQ(commands::apply_again(arguments, "./x.plan", true),
            "sudo nettune apply ./x.plan --profiles '/a b' --site /s.toml --for 120 --without nt0 "
            "--only sysctl:a --allow-management")
      << "a saved plan has its --set values";
}

TEST(CliCommandsAgain, TheActiveGenerationIsAppliedAndPlannedAsItWas) {
  commands::Arguments arguments;
  Transaction active;
  active.profile = "p";
  active.vars = {{"mtu", "9000"}};
  active.sources = {{"/etc/nettune/profiles/base.toml", "", 0, 0}, {"/srv/lab/p.toml", "", 0, 0}};
  EXPECT_EQ(commands::reapply_again(arguments, active), "sudo nettune reapply");
  EXPECT_EQ(commands::plan_again(arguments, active),
            "nettune plan p --profiles /srv/lab --set mtu=9000");
  arguments.profile_directories = {"/a b"};
  arguments.site_given = true;
  arguments.site_file = "/s.toml";
  arguments.state_directory = "/srv/state";
  EXPECT_EQ(commands::reapply_again(arguments, active),
            "sudo nettune reapply --site /s.toml --state-dir /srv/state");
  EXPECT_EQ(commands::plan_again(arguments, active),
            "nettune plan p --profiles '/a b' --set mtu=9000 --site /s.toml --state-dir "
            "/srv/state");
  active.image = true;
  EXPECT_EQ(commands::reapply_again(arguments, active),
            "sudo nettune reapply --profiles '/a b' --site /s.toml --state-dir /srv/state");
  EXPECT_EQ(commands::same_node(arguments, "rollback"),
            "sudo nettune rollback --site /s.toml --state-dir /srv/state");
}

TEST(CliCommandsAgain, ADryRunIsDoneWithTheSameLine) {
  commands::Arguments arguments;
  arguments.command = commands::Command::rollback;
  arguments.typed = {"--to", "2", "--dry-run", "-v"};
  EXPECT_EQ(commands::without_dry_run(arguments), "sudo nettune rollback --to 2");
}

}  // namespace
}  // namespace nettune::cli::commands
