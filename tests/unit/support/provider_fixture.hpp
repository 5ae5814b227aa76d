// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "base/digest.hpp"
#include "core/provider.hpp"

namespace nettune::test {

/// A directory of its own that goes when the test ends.
class Scratch {
 public:
  Scratch() {
    std::string pattern = "/tmp/nettune-test-XXXXXX";
    path_ = ::mkdtemp(pattern.data()) ? pattern : std::string();
  }
  ~Scratch() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  /// Writes a file and the directories above it.
  void put(const std::string& name, const std::string& content, mode_t mode = 0644) const {
    const std::filesystem::path file = path_ + "/" + name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    ::chmod(file.c_str(), mode);
  }
  std::string get(const std::string& name) const {
    std::ifstream file(path_ + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void make(const std::string& name) const {
    std::filesystem::create_directories(path_ + "/" + name);
  }

 private:
  std::string path_;
};

/// File contents by digest, as the engine keeps them.
class TestContents final : public Contents {
 public:
  /// The digest under which it can be got.
  std::string add(const std::string& content) {
    const std::string digest = sha256_hex(content);
    contents_[digest] = content;
    return digest;
  }
  Result<std::string> get(const std::string& sha256_hex) const override {
    const auto found = contents_.find(sha256_hex);
    if (found == contents_.end()) return fail(Errc::not_found, "no such content");
    return found->second;
  }

 private:
  std::map<std::string, std::string> contents_;
};

inline Reading read_one(Provider& provider, const std::string& address) {
  const std::vector<Address> addresses = {Address{address}};
  auto readings = provider.read(addresses);
  return readings.size() == 1 ? readings[0] : Reading{};
}

inline Result<> write_one(Provider& provider, const std::string& address, Value before,
                          Value after) {
  const std::vector<Write> unit = {{Address{address}, std::move(before), std::move(after)}};
  return provider.write(unit, TestContents(), "0123456789abcdef");
}

inline const Witness* find_witness(const Effects& effects, const std::string& address) {
  for (const Witness& witness : effects.touches) {
    if (witness.address.text == address) return &witness;
  }
  return nullptr;
}

}  // namespace nettune::test
