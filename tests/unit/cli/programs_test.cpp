// SPDX-License-Identifier: Apache-2.0
#include "cli/programs.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/wait.h>

namespace nettune::cli {
namespace {

struct Said {
  int exit = -1;
  std::string text;
};

Said shell(const std::string& command) {
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  Said said;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
    said.text.append(buffer.data(), got);
  const int status = ::pclose(pipe);
  said.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return said;
}

TEST(CliPrograms, EachIsBuiltAndSaysWhoItIs) {
  std::ifstream file(std::string(NETTUNE_SOURCE_DIR) + "/docs/man/nettune.8");
  std::ostringstream manual;
  manual << file.rdbuf();
  const std::string overview = shell(NETTUNE_BINARY " --help").text;
  for (const ProgramSpec& program : programs()) {
    const std::string name(program.name);
    EXPECT_LE(program.summary.size(), 60U) << name;
    EXPECT_NE(overview.find(std::string(program.summary)), std::string::npos) << name;
    EXPECT_NE(manual.str().find("Cm " + name), std::string::npos) << name;
    const Said help = shell(NETTUNE_BINARY " " + name + " --help");
    EXPECT_EQ(help.exit, 0) << help.text;
    EXPECT_TRUE(help.text.starts_with("nettune " + name + ": " + std::string(program.summary)))
        << help.text;
    std::istringstream lines(help.text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
    const Said wrong = shell(NETTUNE_BINARY " --json " + name + " --nosuch");
    EXPECT_EQ(wrong.exit, 2) << wrong.text;
    EXPECT_NE(wrong.text.find("\"exit\": 2"), std::string::npos) << wrong.text;
    EXPECT_NE(wrong.text.find("see nettune " + name + " --help"), std::string::npos) << wrong.text;
    // What a shell completes are the options of its help, and each is in the manual.
    std::istringstream options(shell(NETTUNE_BINARY " complete " + name + " --").text);
    int count = 0;
    for (std::string option; std::getline(options, option); ++count) {
      EXPECT_NE(help.text.find(option), std::string::npos) << name << " " << option;
      EXPECT_NE(manual.str().find("Fl -" + option.substr(2)), std::string::npos) << name << option;
    }
    EXPECT_GE(count, 7) << name;
  }
}

/// A copy of nettune in a directory of its own: where it looks, and what it says of what is not
/// there.
TEST(CliPrograms, TheyAreWhereNettuneIsAndNowhereElse) {
  char name[] = "/tmp/nettune-programs-XXXXXX";
  const std::filesystem::path room = ::mkdtemp(name);
  std::filesystem::create_directories(room / "sbin");
  std::filesystem::create_directories(room / "libexec/nettune");
  std::filesystem::create_directories(room / "other");
  std::filesystem::create_directories(room / "merged/bin");
  std::filesystem::create_directories(room / "merged/libexec/nettune");
  std::filesystem::create_symlink("bin", room / "merged/sbin");
  for (const char* const directory : {"sbin", "other", "merged/sbin"})
    std::filesystem::copy_file(NETTUNE_BINARY, room / directory / "nettune");
  const auto put = [&](const std::filesystem::path& directory) {
    std::ofstream(room / directory / "nettune-nccl") << "#!/bin/sh\necho \"$0|$*|\"\n";
    std::filesystem::permissions(room / directory / "nettune-nccl",
                                 std::filesystem::perms::owner_all);
  };
  const std::string path = "PATH=" + (room / "path").string() + ":$PATH ";
  std::filesystem::create_directories(room / "path");
  put("path");
  for (const auto& [directory, found] :
       {std::pair("sbin", "libexec/nettune"), std::pair("other", "other"),
        std::pair("merged/sbin", "merged/libexec/nettune")}) {
    const std::string nettune = path + (room / directory / "nettune").string();
    const std::string at = (room / found / "nettune-nccl").string();
    const Said missing = shell(nettune + " nccl lint --json x");
    EXPECT_EQ(missing.exit, 1) << missing.text;
    EXPECT_NE(missing.text.find("nettune nccl is the program " + at +
                                ", which is missing; reinstall the package nettune"),
              std::string::npos)
        << missing.text;
    EXPECT_NE(missing.text.find("\"exit\": 1"), std::string::npos) << missing.text;
    put(found);
    const Said there = shell(nettune + " -v nccl lint 'a b' -- ''");
    EXPECT_EQ(there.text, at + "|-v lint a b -- |\n");
    EXPECT_EQ(there.exit, 0);
  }
  std::filesystem::remove_all(room);
}

}  // namespace
}  // namespace nettune::cli
