// SPDX-License-Identifier: Apache-2.0
#include "base/version.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "base/digest.hpp"

namespace nettune {
namespace {

namespace fs = std::filesystem;

/// As `sha256sum *.toml | sed 's/  / /' | sha256sum | cut -c 1-12` says it.
std::string digest_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::ranges::sort(files);
  std::string all;
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    all += sha256_hex(text) + " " + file.filename().string() + "\n";
  }
  return sha256_hex(all).substr(0, 12);
}

TEST(BaseVersion, NamesTheDataThatItWasBuiltWith) {
  const fs::path tree = NETTUNE_SOURCE_DIR;
  EXPECT_EQ(build_info().at("version"), NETTUNE_VERSION);
  EXPECT_EQ(build_info().at("catalog"), digest_of(tree / "catalog"));
  EXPECT_EQ(build_info().at("rules"), digest_of(tree / "checks"));
}

TEST(BaseVersion, NamesTheCommitOrSaysThatItIsUnknown) {
  const std::string& commit = build_info().at("commit");
  EXPECT_TRUE(std::regex_match(commit, std::regex("[0-9a-f]{12}(-dirty)?|unknown"))) << commit;
}

}  // namespace
}  // namespace nettune
