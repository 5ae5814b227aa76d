// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "facts/facts.hpp"
#include "profile/profile.hpp"

namespace nettune::test {

/// A disk that holds a few files in memory; the profile code only reads.
class FakeDisk : public Disk {
 public:
  struct Entry {
    FileInfo info;
    std::string content;
  };
  std::map<std::string, Entry> entries;

  void directory(const std::string& path) {
    if (!entries.contains(parent_path(path)) && path != "/") directory(parent_path(path));
    entries[path].info = {FileInfo::Kind::directory, 0755, 0, 0, 0, 0};
  }
  Entry& file(const std::string& path, const std::string& content) {
    if (!entries.contains(parent_path(path))) directory(parent_path(path));
    Entry& entry = entries[path];
    entry.info = {FileInfo::Kind::regular, 0644, 0, 0, content.size(), 42};
    entry.content = content;
    return entry;
  }

  Result<std::optional<FileInfo>> info(const std::string& path) override {
    const auto found = entries.find(path);
    if (found == entries.end()) return std::nullopt;
    return std::optional(found->second.info);
  }
  Result<std::optional<std::string>> read(const std::string& path, std::uint64_t) override {
    const auto found = entries.find(path);
    if (found == entries.end()) return std::nullopt;
    return std::optional(found->second.content);
  }
  Result<std::vector<std::string>> list(const std::string& path) override {
    std::vector<std::string> names;
    for (const auto& [name, entry] : entries) {
      if (name != path && parent_path(name) == path) names.push_back(name.substr(path.size() + 1));
    }
    return names;
  }
  Result<std::unique_ptr<DiskFile>> create(const std::string&, std::uint32_t, std::uint32_t,
                                           std::uint32_t) override {
    return fail(Errc::denied, "read only");
  }
  Result<std::unique_ptr<DiskFile>> extend(const std::string&, std::uint64_t) override {
    return fail(Errc::denied, "read only");
  }
  Result<> rename(const std::string&, const std::string&) override {
    return fail(Errc::denied, "read only");
  }
  Result<> remove(const std::string&) override { return fail(Errc::denied, "read only"); }
  Result<> make_directory(const std::string&, std::uint32_t) override {
    return fail(Errc::denied, "read only");
  }
  Result<> remove_directory(const std::string&) override { return fail(Errc::denied, "read only"); }
  Result<> sync_directory(const std::string&) override { return fail(Errc::denied, "read only"); }
};

/// Profiles in /p and /q (the former shadows), a node of `facts`, and what comes out.
class ProfileTest : public ::testing::Test {
 protected:
  FakeDisk disk;
  profile::Sources sources{{"/p", "/q"}, "/etc/nettune/site.toml", {}, 0};
  facts::Facts facts;

  ProfileTest() {
    disk.directory("/p");
    disk.directory("/q");
  }

  /// A profile with a proper header in lines 1 to 3; the body starts in line 4.
  void profile(const std::string& name, const std::string& body) {
    disk.file("/p/" + name + ".toml",
              "schema = 1\nname = \"" + name + "\"\nsummary = \"a test\"\n" + body);
  }
  void site(const std::string& text) { disk.file("/etc/nettune/site.toml", text); }

  Result<profile::Resolved> resolved(const std::string& name = "x") {
    return profile::resolve(disk, sources, name, facts);
  }
  /// The resolved body; fails the test with the error's text when it does not resolve.
  profile::Resolved good(const std::string& body) {
    profile("x", body);
    return good_profile("x");
  }
  profile::Resolved good_profile(const std::string& name) {
    auto result = resolved(name);
    if (result) return *result;
    ADD_FAILURE() << result.error().file << ':' << result.error().line << ": "
                  << result.error().text;
    return {};
  }

  /// Expects that the body is refused at this line of x.toml with all of these words.
  void bad(const std::string& body, int line, const std::vector<std::string>& parts) {
    profile("x", body);
    bad_profile("x", "/p/x.toml", line, parts);
  }
  void bad_profile(const std::string& name, const std::string& file, int line,
                   const std::vector<std::string>& parts, Errc code = Errc::invalid) {
    const auto result = resolved(name);
    ASSERT_FALSE(result) << "was accepted";
    const Error& error = result.error();
    EXPECT_EQ(error.file, file) << error.text;
    EXPECT_EQ(error.line, line) << error.text;
    EXPECT_EQ(error.code, code) << error.text;
    for (const std::string& part : parts) {
      EXPECT_NE(error.text.find(part), std::string::npos)
          << "\"" << part << "\" is not in: " << error.text;
    }
    EXPECT_EQ(error.text.find('\n'), std::string::npos) << error.text;
  }

  facts::NetDevice& device(const std::string& name) {
    facts::NetDevice device;
    device.name = name;
    device.identity = "pci of " + name;
    device.physical = true;
    device.link_layer = "Ethernet";
    device.driver = "e1000e";
    device.addresses = {"10.0.0.1/24"};
    facts.net.push_back(device);
    return facts.net.back();
  }
};

inline const Setting* find(const profile::Resolved& resolved, const std::string& address) {
  for (const Setting& setting : resolved.desired.settings) {
    if (setting.address.text == address) return &setting;
  }
  return nullptr;
}

/// ">= 5", "5", or "-" for an address without a setting.
inline std::string value(const profile::Resolved& resolved, const std::string& address) {
  const Setting* const setting = find(resolved, address);
  if (setting == nullptr) return "-";
  return std::string(relation_text(setting->relation)) + setting->want.value_or("(absent)");
}

/// The content of a file setting; "-" when there is none.
inline std::string content(const profile::Resolved& resolved, const std::string& path) {
  const std::string text = value(resolved, "file:" + path);
  if (!text.starts_with("sha256:")) return "-";
  const auto found = resolved.desired.contents.find(text.substr(7, 64));
  return found == resolved.desired.contents.end() ? "(lost)" : found->second;
}

inline bool any_has(const std::vector<std::string>& texts, const std::string& part) {
  for (const std::string& text : texts) {
    if (text.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace nettune::test
