// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace nettune::kernel {

/// The files below /proc/sys, opened relative to one directory that stays open. Paths are relative
/// ("net/core/rmem_max"); no call follows a symbolic link in the last component.
class SysctlTree {
 public:
  explicit SysctlTree(std::string root) : root_(std::move(root)) {}

  struct Raw {
    int error = 0;  ///< errno of the failure; 0 if `text` is the content
    std::string text;
  };
  /// Costs open, read, close; a second read only for contents of 4096 bytes or more.
  Raw read(const std::string& path);
  /// One write(2) of `line` and a newline. Never creates. The error names key, value and reason.
  Result<> write(const std::string& path, std::string_view key, std::string_view line);

  bool exists(const std::string& path);
  /// True for a file, not for a directory.
  bool is_key(const std::string& path);
  /// Names in a directory, sorted; empty if there is none.
  std::vector<std::string> list(const std::string& path);

  /// The permission bits; 0 if they cannot be read.
  unsigned mode_of(const std::string& path);
  /// Why this process cannot write an existing key; "" if it can.
  std::string write_barrier(const std::string& path);
  /// Why opening or reading a key failed with `error`.
  std::string read_barrier(const std::string& path, int error);

 private:
  int directory();

  std::string root_;
  UniqueFd directory_;
};

}  // namespace nettune::kernel
