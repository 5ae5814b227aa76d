// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/option_groups.hpp"

#include <gtest/gtest.h>
#include <initializer_list>

namespace nettune::cli::commands {
namespace {

/// A change whose options are all that a change can have.
struct AnyChange : ChangeOptions {
  Options options() {
    return joined({window_options(*this),
                   {{"--for", "TIME", "For a while", &for_text}},
                   permission_options(*this),
                   {root_option(*this)}});
  }
  Result<> take() { return take_change(*this); }
  Result<node::Exit> run(node::Context&, Output&) const { return node::Exit::done; }
};

Result<ChangeOptions> read(std::initializer_list<const char*> words) {
  Command command = make_command<AnyChange>();
  command.name = "change";
  const std::vector<const char*> line(words);
  TRY(read_command_line(command, line));
  return static_cast<const AnyChange&>(*command.global);
}

ChangeOptions parsed(std::initializer_list<const char*> words) {
  const auto seen = read(words);
  EXPECT_TRUE(seen.has_value()) << (seen ? "" : seen.error().text);
  return seen.value_or(ChangeOptions());
}

std::string refusal(std::initializer_list<const char*> words) {
  const auto seen = read(words);
  return seen ? "(accepted)" : seen.error().text;
}

TEST(CliCommandsOptionGroups, TimesHaveUnitsAndBounds) {
  EXPECT_EQ(parsed({}).confirm_s, 0);
  EXPECT_EQ(parsed({"--confirm", "90"}).confirm_s, 90);
  EXPECT_EQ(parsed({"--confirm", "90s"}).confirm_s, 90);
  EXPECT_EQ(parsed({"--confirm", "2m"}).confirm_s, 120);
  EXPECT_EQ(parsed({"--confirm", "24h"}).confirm_s, 86400);
  for (const char* const wrong : {"0", "-5", "25h", "s", "1.5m", "2d", "99999999999999999999", ""})
    EXPECT_NE(refusal({"--confirm", wrong}).find("--confirm"), std::string::npos) << wrong;
}

TEST(CliCommandsOptionGroups, ManagementIsChangedOnlyWithAWindow) {
  EXPECT_NE(refusal({"--allow-management"}).find("--confirm"), std::string::npos);
  EXPECT_TRUE(parsed({"--allow-management", "--confirm", "60"}).allow_management);
}

TEST(CliCommandsOptionGroups, ProbesAreReadForTheirForm) {
  const ChangeOptions seen =
      parsed({"--probe", "path:10.0.0.2%eth1", "--probe", "gateway", "--probe", "tcp:[fd00::1]:22",
              "--probe", "command:/usr/bin/test -e /x"});
  ASSERT_EQ(seen.probes.size(), 4U);
  EXPECT_EQ(seen.confirm_s, 60);
  EXPECT_EQ(seen.probes[0].peer.address, "10.0.0.2");
  EXPECT_EQ(seen.probes[0].peer.interface, "eth1");
  EXPECT_EQ(seen.probes[2].peer.address, "fd00::1");
  EXPECT_EQ(seen.probes[2].port, 22);
  EXPECT_EQ(seen.probes[3].words, (std::vector<std::string>{"/usr/bin/test", "-e", "/x"}));
  EXPECT_EQ(parsed({"--probe", "gateway", "--confirm", "5"}).confirm_s, 5);
  for (const char* const wrong :
       {"ping", "path:", "path:-n", "path:a b", "path:a/b", "path:a%",
        "path:a%interfacenametoolong", "tcp:host", "tcp:host:0", "tcp:host:65536", "tcp::22",
        "command:", "command:test", "Gateway"})
    EXPECT_NE(refusal({"--probe", wrong}).find(wrong), std::string::npos) << wrong;
}

TEST(CliCommandsOptionGroups, AChangeForAWhileIsNotConfirmed) {
  const ChangeOptions seen = parsed({"--for", "10m", "--allow-management"});
  EXPECT_TRUE(seen.temporary);
  EXPECT_EQ(seen.confirm_s, 600);
  EXPECT_NE(refusal({"--for", "10m", "--confirm", "5"}).find("--for"), std::string::npos);
  EXPECT_NE(refusal({"--for", "10m", "--probe", "gateway"}).find("--for"), std::string::npos);
  EXPECT_NE(refusal({"--for", "0"}).find("--for takes"), std::string::npos);
}

TEST(CliCommandsOptionGroups, NothingWaitsInAnImage) {
  EXPECT_EQ(parsed({"--root", "/image"}).root, "/image");
  for (const auto& more : {std::initializer_list<const char*>{"--root", "/i", "--confirm", "5"},
                           {"--root", "/i", "--probe", "gateway"},
                           {"--root", "/i", "--for", "5"},
                           {"--root", "/i", "--site", "/x"},
                           {"--root", "/i", "--profiles", "/x"},
                           {"--root", "/i", "--only", "eth0"}})
    EXPECT_NE(refusal(more), "(accepted)");
}

}  // namespace
}  // namespace nettune::cli::commands
