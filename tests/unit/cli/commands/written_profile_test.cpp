// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/written_profile.hpp"

#include "base/digest.hpp"
#include "profile/source.hpp"
#include "unit/intake/fixture.hpp"
#include "unit/support/profile_fixture.hpp"
#include "unit/support/schema_validator.hpp"

namespace nettune::cli::commands {
namespace {

class CliCommandsWrittenProfile : public intake::IntakeTest {};

TEST_F(CliCommandsWrittenProfile, TheDocumentsAreAsTheSchemasSay) {
  intake::Capture capture;
  capture.profile.name = "p";
  capture.read = 2;
  capture.notes = {"note"};
  capture.settings = {
      {{"sysctl:a.b"}, "1", "/etc/x:1 (sysctl.d)", "2", false, intake::Off::memory, "why"},
      {{"sysctl:a.c"}, "1", {}, {}, true, intake::Off::none, {}}};
  test::expect_valid("capture.schema.json", capture_json(capture, "text"));
  intake::Import import;
  import.profile.name = "p";
  import.lines = {{"/f", 1, "a = 1", intake::Fate::translated, "[sysctl] a"},
                  {"/f", 2, "b = 1", intake::Fate::in_part, "why"},
                  {"/f", 3, "c = 1", intake::Fate::already, "/p:1 sets it"},
                  { "/f",
                    4,
                    "d",
                    intake::Fate::untranslated,
                    "why" }};
  test::expect_valid("import.schema.json", import_json(import, "text"));
  test::expect_valid("new.schema.json", new_json("p", "text"));
}

TEST_F(CliCommandsWrittenProfile, AProfileNeverReplacesItsParentOrOneThatPlans) {
  EXPECT_FALSE(check_not_itself("small", "small"));
  EXPECT_TRUE(check_not_itself("small", "base"));
  EXPECT_TRUE(check_not_itself("", "none"));
  node::Context context = on("vm");
  const std::string there = put("there.toml", "what was there");
  Output output(true);
  const WrittenProfile bad{"there", "schema = 1\nname = \"there\"\nsummary = 1\n", {}, {}};
  EXPECT_EQ(hand_over(context, output, {there, true}, false, bad).value_or(node::Exit::done),
            node::Exit::failed);
  EXPECT_EQ(read(there), "what was there");
}

TEST_F(CliCommandsWrittenProfile, AMistakeIsAtTheLineOfTheFileThatWasImported) {
  node::Context context = on("vm");
  const std::string head = "schema = 1\nname = \"theirs\"\nsummary = \"s\"\n[sysctl]\n";
  WrittenProfile bad{"theirs",
                     head +
                         "# my.conf:7  net.ipv4.tcp_rmem = 9 8 7\n# in part\n"
                         "\"net.ipv4.tcp_rmem\" = [9, 8, 7]\n",
                     {},
                     {},
                     {"my.conf:7"}};
  const auto said = [&](const ProfileOutput& to) {
    Output output(true);
    testing::internal::CaptureStderr();
    EXPECT_EQ(hand_over(context, output, to, false, bad).value_or(node::Exit::done),
              node::Exit::failed);
    output.flush();
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_NE(said({}).find("does not plan: my.conf:7: sysctl:net.ipv4.tcp_rmem"), std::string::npos)
      << said({});
  // What has no line of theirs is named in the profile, where it is.
  bad.sources.clear();
  EXPECT_NE(said({}).find("does not plan: theirs.toml:7: "), std::string::npos) << said({});
  const std::string file = (root / "theirs.toml").string();
  EXPECT_NE(said({file, true}).find("does not plan: " + file + ":7: "), std::string::npos);
  bad.text = "schema = 1\n[";
  EXPECT_EQ(said({}).find("/new profile"), std::string::npos) << said({});
}

TEST_F(CliCommandsWrittenProfile, AnExistingFileIsReplacedOnlyByForce) {
  node::Context context = on("vm");
  const std::string there = put("there.toml", "x");
  const auto refused = name_of_output(context, {there, false}, "", "");
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().text.find("--force"), std::string::npos);
  EXPECT_EQ(name_of_output(context, {there, true}, "", "").value_or(""), "there");
  EXPECT_EQ(name_of_output(context, {(root / "new.toml").string(), false}, "new", "").value_or(""),
            "new");
  EXPECT_FALSE(name_of_output(context, {(root / "new.toml").string(), false}, "other", ""));
  EXPECT_FALSE(name_of_output(context, {(root / "new.txt").string(), false}, "", ""));
  EXPECT_EQ(name_of_output(context, {}, "", "captured").value_or(""), "captured");
  EXPECT_FALSE(name_of_output(context, {}, "No Name", ""));
}

TEST_F(CliCommandsWrittenProfile, ThePackageKnowsItsOwnSiteFile) {
  const std::filesystem::path source = NETTUNE_SOURCE_DIR;
  const std::string example = read(source / "install/site.toml");
  EXPECT_NE(read(source / "debian/nettune.postrm").find(sha256_hex(example)), std::string::npos)
      << "a purge leaves an unchanged site.toml: its digest is " << sha256_hex(example);
  test::FakeDisk disk;
  disk.file("/etc/nettune/site.toml", example);
  EXPECT_TRUE(profile::read_site(disk, {{}, "/etc/nettune/site.toml", {}, 0}).has_value());
  // Also with its examples.
  std::string used = example;
  for (const char* const line :
       {"[vars]", "dscp = ", "[protect]", "devices = ", "[history]", "keep = "}) {
    const std::size_t at = used.find(std::string("# ") + line);
    ASSERT_NE(at, std::string::npos) << line;
    used.erase(at, 2);
  }
  disk.file("/etc/nettune/site.toml", used);
  const auto site = profile::read_site(disk, {{}, "/etc/nettune/site.toml", {}, 0});
  ASSERT_TRUE(site.has_value()) << site.error().text;
  EXPECT_EQ(site->protected_devices, std::vector<std::string>{"eno1"});
}

}  // namespace
}  // namespace nettune::cli::commands
