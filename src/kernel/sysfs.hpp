// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace nettune::kernel {

/// A directory that reads hang on: "/", "/sys", or a tree that a test made. Paths are relative to
/// it (a leading '/' is ignored). Only reads; links are followed, as sysfs consists of them. Every
/// answer is bounded in size, whatever stands in the tree, and no open waits (a FIFO reads as
/// empty).
class Directory {
 public:
  static Result<Directory> open(const std::string& path);
  /// A directory below this one; nothing when it is not there or may not be read.
  std::optional<Directory> directory(const std::string& path) const;

  /// The whole content. The error carries errno; EFBIG above `limit` bytes.
  Result<std::string> read(const std::string& path, std::size_t limit) const;
  /// The first line, trimmed, of at most 4 KiB; nothing when there is none or it cannot be read.
  std::optional<std::string> line(const std::string& path) const;
  /// line() as a decimal number.
  std::optional<long long> number(const std::string& path) const;

  /// What a symbolic link says; nothing when it is none.
  std::optional<std::string> link(const std::string& path) const;
  /// The last component of what it says: "mlx5_core" of ".../drivers/mlx5_core".
  std::optional<std::string> link_name(const std::string& path) const;

  /// Names in a directory, sorted, without "." and "..", at most 200000 of them. The error carries
  /// errno.
  Result<std::vector<std::string>> entries(const std::string& path) const;
  /// entries(), empty when that fails.
  std::vector<std::string> list(const std::string& path) const;

  /// Something stands at the path, be it a link that leads nowhere.
  bool exists(const std::string& path) const;

 private:
  explicit Directory(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace nettune::kernel
