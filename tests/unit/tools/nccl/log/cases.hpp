// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace nettune::tools::nccl::log {

/// A log of tests/nccl_cases, and what is to be said of it. tests/nccl_cases/README.md has the
/// form.
struct Written {
  std::string file;  ///< with its path
  int line = 0;      ///< where its name is
  std::string name;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string log;

  /// What the first field of this name says; "" where there is none.
  std::string field(const std::string& key) const {
    for (const auto& [known, value] : fields)
      if (known == key) return value;
    return {};
  }
  std::string subject() const { return std::filesystem::path(file).stem(); }
};

/// "\r" and "\x1b" as the bytes that they mean.
inline std::string unescaped(const std::string& text) {
  std::string all;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_byte = text.compare(i, 2, "\\x") == 0 && i + 3 < text.size();
    if (is_byte) {
      all += static_cast<char>(std::stoi(text.substr(i + 2, 2), nullptr, 16));
      i += 3;
    } else if (text.compare(i, 2, "\\r") == 0) {
      all += '\r';
      ++i;
    } else {
      all += text[i];
    }
  }
  return all;
}

inline void read_cases(const std::string& path, std::vector<Written>& all) {
  std::ifstream stream(path);
  bool is_log = false;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.starts_with("=== ")) {
      all.push_back({path, number, line.substr(4), {}, {}});
      is_log = false;
    } else if (is_log) {
      all.back().log += line + "\n";
    } else if (line == "---") {
      is_log = true;
    } else if (!all.empty() && all.back().file == path) {
      const auto at = line.find(": ");
      if (at == line.npos)
        ADD_FAILURE_AT(path.c_str(), number) << "neither \"key: value\" nor \"---\"";
      else
        all.back().fields.emplace_back(line.substr(0, at), line.substr(at + 2));
    }
  }
}

/// Every case, in the order of the files' names.
inline const std::vector<Written>& written_cases() {
  static const std::vector<Written> all = [] {
    std::vector<std::string> paths;
    for (const auto& entry :
         std::filesystem::directory_iterator(NETTUNE_SOURCE_DIR "/tests/nccl_cases"))
      if (entry.path().extension() == ".cases") paths.push_back(entry.path());
    std::ranges::sort(paths);
    std::vector<Written> read;
    for (const std::string& path : paths) read_cases(path, read);
    for (Written& one : read) {
      while (one.log.ends_with("\n\n")) one.log.pop_back();
      if (one.field("cut") == "yes" && !one.log.empty()) one.log.pop_back();
      if (one.field("escapes") == "yes") one.log = unescaped(one.log);
    }
    return read;
  }();
  return all;
}

}  // namespace nettune::tools::nccl::log
