// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>

namespace nettune::tools {

/// A directory of its own, in which the built programs run.
class BuiltPrograms : public testing::Test {
 protected:
  BuiltPrograms() {
    char name[] = "/tmp/nettune-programs-XXXXXX";
    room_ = ::mkdtemp(name);
  }
  ~BuiltPrograms() override { std::filesystem::remove_all(room_); }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(room_ + "/" + name).parent_path());
    std::ofstream(room_ + "/" + name) << text;
  }
  /// The exit status; what it prints is in out_.
  int shell(const std::string& command) {
    FILE* const pipe = ::popen(command.c_str(), "r");
    out_.clear();
    std::array<char, 4096> buffer{};
    while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
      out_.append(buffer.data(), got);
    const int status = ::pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string room_;
  std::string out_;
};

}  // namespace nettune::tools
