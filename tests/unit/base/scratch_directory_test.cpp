// SPDX-License-Identifier: Apache-2.0
#include "base/scratch_directory.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace nettune {
namespace {

namespace fs = std::filesystem;

TEST(BaseScratchDirectory, GoesWithWhatIsInIt) {
  std::string name;
  {
    auto made = ScratchDirectory::make_temporary("nettune-scratch-");
    ASSERT_TRUE(made) << made.error().text;
    const ScratchDirectory moved = std::move(*made);
    name = moved.name();
    EXPECT_EQ(fs::status(name).permissions(), fs::perms::owner_all);
    fs::create_directory(name + "/below");
    std::ofstream(name + "/below/file") << "x";
    EXPECT_TRUE(fs::exists(name + "/below/file"));
  }
  EXPECT_FALSE(fs::exists(name));
}

TEST(BaseScratchDirectory, SaysWhereItCannotBe) {
  const auto made = ScratchDirectory::make("/nonexistent/nettune-");
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().text.find("/nonexistent/nettune-"), std::string::npos);
}

}  // namespace
}  // namespace nettune
