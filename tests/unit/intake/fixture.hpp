// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "node/planning.hpp"

namespace nettune::intake {

/// A directory of the test's own, and a context for a recorded node: nothing of this machine
/// enters.
class IntakeTest : public ::testing::Test {
 protected:
  std::filesystem::path root;

  IntakeTest() {
    std::string pattern = ::testing::TempDir() + "nettune-intake-XXXXXX";
    root = ::mkdtemp(pattern.data());
  }
  ~IntakeTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }

  std::string put(const std::string& name, const std::string& text) {
    const std::filesystem::path path = root / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

  static std::filesystem::path golden() {
    return std::filesystem::path(NETTUNE_SOURCE_DIR) / "tests/golden";
  }
  node::Context on(const std::string& recorded) {
    node::Locations locations;
    locations.facts_file = (golden() / recorded / "facts.json").string();
    locations.values_file = (golden() / recorded / "state.json").string();
    // Profiles where nobody else can write, whatever the umask of the checkout was.
    if (!std::filesystem::exists(root / "profiles"))
      for (const auto& entry : std::filesystem::directory_iterator(
               std::filesystem::path(NETTUNE_SOURCE_DIR) / "profiles"))
        std::filesystem::permissions(
            put("profiles/" + entry.path().filename().string(), read(entry.path())),
            std::filesystem::perms(0644));
    locations.profile_directories = {(root / "profiles").string()};
    locations.site_file = put("site.toml", "");
    std::filesystem::permissions(root / "site.toml", std::filesystem::perms(0644));
    std::filesystem::permissions(root / "profiles", std::filesystem::perms(0755));
    return node::Context(locations);
  }
  static std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// The addresses that a plan of the profile would write, but for boot files; or the error.
  static std::vector<std::string> planned(node::Context& context, const std::string& name,
                                          const std::string& text) {
    const auto planned = node::plan_text(context, {"/t", name, text}, node::StateView());
    if (!planned)
      return {"line " + std::to_string(planned.error().line) + ": " + planned.error().text};
    std::vector<std::string> found = planned->resolved.misfits;
    for (const PlanItem& item : planned->plan.items)
      if (item.to_write() && item.setting.address.kind() != "file" &&
          item.setting.address.kind() != "dir")
        found.push_back(item.setting.address.text);
    return found;
  }
};

}  // namespace nettune::intake
