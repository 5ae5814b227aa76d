// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/suggested_lines.hpp"

#include <gtest/gtest.h>

namespace nettune::cli::commands {
namespace {

TEST(CliCommandsSuggestedLines, TheLineAppliesWhatWasPlanned) {
  node::Locations locations;
  node::ChangeRequest request;
  EXPECT_EQ(apply_line(locations, request, "p", false), "sudo nettune apply p");
  locations.profile_directories = {"/a b"};
  locations.site_given = true;
  locations.site_file = "/s.toml";
  locations.set = {{"mtu", "9000"}};
  request.confirm_s = 120;
  request.without = {"nt0"};
  request.only_settings = {"sysctl:a"};
  request.allow_management = true;
  EXPECT_EQ(apply_line(locations, request, "p", false),
            "sudo nettune apply p --profiles '/a b' --site /s.toml --set mtu=9000 --confirm 120 "
            "--without nt0 --only sysctl:a --allow-management");
  request.temporary = true;
  EXPECT_EQ(apply_line(locations, request, "./x.plan", true),
            "sudo nettune apply ./x.plan --profiles '/a b' --site /s.toml --for 120 --without nt0 "
            "--only sysctl:a --allow-management")
      << "a saved plan has its --set values";
}

TEST(CliCommandsSuggestedLines, TheActiveGenerationIsAppliedAndPlannedAsItWas) {
  node::Locations locations;
  Transaction active;
  active.profile = "p";
  active.vars = {{"mtu", "9000"}};
  active.sources = {{"/etc/nettune/profiles/base.toml", "", 0, 0}, {"/srv/lab/p.toml", "", 0, 0}};
  EXPECT_EQ(reapply_line(locations, active), "sudo nettune reapply");
  EXPECT_EQ(plan_line(locations, active), "nettune plan p --profiles /srv/lab --set mtu=9000");
  locations.profile_directories = {"/a b"};
  locations.site_given = true;
  locations.site_file = "/s.toml";
  locations.state_directory = "/srv/state";
  EXPECT_EQ(reapply_line(locations, active),
            "sudo nettune reapply --site /s.toml --state-dir /srv/state");
  EXPECT_EQ(plan_line(locations, active),
            "nettune plan p --profiles '/a b' --set mtu=9000 --site /s.toml --state-dir "
            "/srv/state");
  active.image = true;
  EXPECT_EQ(reapply_line(locations, active),
            "sudo nettune reapply --profiles '/a b' --site /s.toml --state-dir /srv/state");
  EXPECT_EQ(same_node_line(locations, "rollback"),
            "sudo nettune rollback --site /s.toml --state-dir /srv/state");
}

TEST(CliCommandsSuggestedLines, ADryRunIsDoneWithTheSameLine) {
  EXPECT_EQ(without_dry_run("rollback", {"--to", "2", "--dry-run", "-v"}),
            "sudo nettune rollback --to 2");
}

}  // namespace
}  // namespace nettune::cli::commands
