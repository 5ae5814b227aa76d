// SPDX-License-Identifier: Apache-2.0
#include "profile/source.hpp"

#include "unit/support/profile_fixture.hpp"

namespace nettune::profile {
namespace {

class ProfileSource : public test::ProfileTest {};

TEST_F(ProfileSource, NamesThatCouldLeaveTheDirectoryAreRefused) {
  for (const std::string name : {"", "..", "../x", "a/b", "a..b", "/etc/passwd", "-x", ".x", "X",
                                 "a b", "a\n", "a\x01", "\xc3\xa4"}) {
    const auto result = resolve(disk, sources, name, facts);
    ASSERT_FALSE(result) << name;
    EXPECT_EQ(result.error().code, Errc::invalid);
    EXPECT_NE(result.error().text.find("profile name"), std::string::npos);
    EXPECT_FALSE(result.error().text.find('\n') != std::string::npos);
  }
  EXPECT_FALSE(check_name(std::string(65, 'a')));
  EXPECT_TRUE(check_name("rocev2-100g_v1.2"));
}

TEST_F(ProfileSource, AnUnknownProfileNamesTheNearestAndTheDirectories) {
  profile("tcp-fallback", "");
  bad_profile("tcp-falback", "", 0, {"\"tcp-falback\"", "tcp-fallback", "/p, /q", "nettune list"},
              Errc::not_found);
}

TEST_F(ProfileSource, WhatOthersCanWriteIsRefused) {
  profile("x", "");
  disk.entries["/p/x.toml"].info.mode = 0666;
  bad_profile("x", "/p/x.toml", 0,
              {"/p/x.toml", "writable by users other than root", "0666", "chmod go-w"},
              Errc::denied);
  disk.entries["/p/x.toml"].info.mode = 0664;
  bad_profile("x", "/p/x.toml", 0, {"writable by users other than root", "0664"}, Errc::denied);
  disk.entries["/p/x.toml"].info.mode = 0644;
  disk.entries["/p/x.toml"].info.uid = 1000;
  bad_profile("x", "/p/x.toml", 0, {"uid 1000", "chown"}, Errc::denied);
  sources.trusted_uid = 1000;
  EXPECT_TRUE(resolved());
  disk.entries["/p"].info.mode = 0777;
  bad_profile("x", "/p", 0, {"/p is writable by users other than root", "0777"}, Errc::denied);
}

TEST_F(ProfileSource, EveryDirectoryAboveIsChecked) {
  sources.directories = {"/srv/site/profiles"};
  disk.file("/srv/site/profiles/x.toml", "schema = 1\nname = \"x\"\nsummary = \"a test\"\n");
  ASSERT_TRUE(resolved());
  for (const std::string above : {"/", "/srv", "/srv/site", "/srv/site/profiles"}) {
    FileInfo& info = disk.entries[above].info;
    const FileInfo before = info;
    info.mode = 0775;
    bad_profile("x", above, 0,
                {above + " is writable by users other than root", "0775", "chmod go-w"},
                Errc::denied);
    // As /tmp: what is below belongs to root, and stays there.
    info.mode = 01777;
    EXPECT_EQ(resolved().has_value(), above != "/srv/site/profiles") << above;
    info = before;
    info.uid = 1000;
    bad_profile("x", above, 0, {above + " belongs to uid 1000", "chown root"}, Errc::denied);
    sources.trusted_uid = 1000;
    EXPECT_TRUE(resolved()) << above;
    sources.trusted_uid = 0;
    info = before;
    info.kind = FileInfo::Kind::symlink;
    bad_profile("x", above, 0, {above, "not a directory"}, Errc::denied);
    info = before;
  }
}

TEST_F(ProfileSource, LinksAreNotFollowed) {
  profile("x", "");
  disk.entries["/p/x.toml"].info.kind = FileInfo::Kind::symlink;
  bad_profile("x", "/p/x.toml", 0, {"symbolic link"}, Errc::denied);
  disk.entries["/p/x.toml"].info.kind = FileInfo::Kind::regular;
  disk.entries["/p"].info.kind = FileInfo::Kind::symlink;
  bad_profile("x", "/p", 0, {"not a directory"}, Errc::denied);
}

TEST_F(ProfileSource, TheSiteFileIsCheckedLikeAProfile) {
  profile("x", "");
  site("[vars]\na = 1\n[protekt]\n");
  bad_profile("x", "/etc/nettune/site.toml", 3, {"protekt", "\"protect\""});
  site("[protect]\ndevices = [\"eth0\", \"bond0\"]\n");
  EXPECT_EQ(*protected_devices(disk, sources), (std::vector<std::string>{"eth0", "bond0"}));
  disk.entries["/etc/nettune/site.toml"].info.mode = 0646;
  EXPECT_FALSE(protected_devices(disk, sources));
  disk.entries.erase("/etc/nettune/site.toml");
  EXPECT_TRUE(protected_devices(disk, sources)->empty());
}

TEST_F(ProfileSource, TheFirstDirectoryShadowsTheOthers) {
  disk.file("/q/x.toml", "schema = 1\nname = \"x\"\nsummary = \"shipped\"\n");
  profile("x", "[sysctl]\n\"a.b\" = 1\n");
  EXPECT_EQ(test::value(good_profile("x"), "sysctl:a.b"), "1");
  const auto all = list(disk, sources);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].file, "/p/x.toml");
  EXPECT_EQ(all[0].shadows, "/q/x.toml");
  EXPECT_EQ(all[0].summary, "a test");
}

TEST_F(ProfileSource, ListShowsBrokenProfilesWithTheirReason) {
  profile("a", "[sysctl]\n\"a.b\" = true\n");
  profile("b", "");
  disk.file("/p/README", "");
  disk.file("/p/UPPER.toml", "");
  profile("c", "extends = [\"missing\"]\n");
  const auto all = list(disk, sources);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_NE(all[0].error.find("/p/a.toml:5: "), std::string::npos) << all[0].error;
  EXPECT_EQ(all[1].error, "");
  EXPECT_NE(all[2].error.find("missing"), std::string::npos);
}

TEST_F(ProfileSource, TheHeaderMustFit) {
  disk.file("/p/x.toml", "name = \"x\"\nsummary = \"s\"\n");
  bad_profile("x", "/p/x.toml", 1, {"schema = 1"});
  disk.file("/p/x.toml", "schema = 2\nname = \"x\"\nfuture = 1\n");
  bad_profile("x", "/p/x.toml", 1, {"schema is 2", "newer"});
  disk.file("/p/x.toml", "schema = 1\nname = \"y\"\nsummary = \"s\"\n");
  bad_profile("x", "/p/x.toml", 2, {"\"y\"", "x.toml"});
  disk.file("/p/x.toml", "schema = 1\nname = \"x\"\n");
  bad_profile("x", "/p/x.toml", 1, {"\"summary\" is missing"});
  disk.file("/p/x.toml", "schema = 1\nname = \"x\"\nsummary = \"a\\nb\"\n");
  bad_profile("x", "/p/x.toml", 3, {"one line"});
}

TEST_F(ProfileSource, EverySourceIsRememberedWithDigestAndTime) {
  profile("a", "");
  profile("x", "extends = [\"a\"]\n");
  site("");
  const auto result = good_profile("x");
  ASSERT_EQ(result.desired.sources.size(), 3U);
  EXPECT_EQ(result.desired.sources[0].path, "/p/a.toml");
  EXPECT_EQ(result.desired.sources[1].path, "/p/x.toml");
  EXPECT_EQ(result.desired.sources[2].path, "/etc/nettune/site.toml");
  EXPECT_EQ(result.desired.sources[2].digest,
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(result.desired.sources[0].mtime_ns, 42);
  EXPECT_GT(result.desired.sources[0].size, 0U);
}

}  // namespace
}  // namespace nettune::profile
