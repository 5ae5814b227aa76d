// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace nettune::kernel {

/// The root directory of reads: "/", "/sys", or a test's tree. Paths are relative to it (a leading
/// '/' is ignored). It only reads; links are followed, as sysfs consists of them. Every answer is
/// bounded in size, and no open blocks (a FIFO reads as empty).
class Directory {
 public:
  static Result<Directory> open(const std::string& path);
  /// The root of a node: "/", or that of a recorded one, whose links never lead out of it.
  static Result<Directory> open_node(const std::string& path);
  /// A directory below this one; nothing if it does not exist or cannot be read.
  std::optional<Directory> directory(const std::string& path) const;

  /// The whole content. The error has the errno; EFBIG above `limit` bytes.
  Result<std::string> read(const std::string& path, std::size_t limit) const;
  /// The first line, trimmed, of at most 4 KiB; nothing if there is none or it cannot be read.
  std::optional<std::string> line(const std::string& path) const;
  /// line() as a decimal number.
  std::optional<long long> number(const std::string& path) const;

  /// The target of a symbolic link; nothing if it is not a link.
  std::optional<std::string> link(const std::string& path) const;
  /// The last component of the target: "mlx5_core" of ".../drivers/mlx5_core".
  std::optional<std::string> link_name(const std::string& path) const;

  /// Names in a directory, sorted, without "." and "..", at most 200000 of them. The error has the
  /// errno.
  Result<std::vector<std::string>> entries(const std::string& path) const;
  /// entries(), empty if that fails.
  std::vector<std::string> list(const std::string& path) const;

  /// True if anything is at the path, including a dangling link.
  bool exists(const std::string& path) const;

 private:
  explicit Directory(UniqueFd fd) : fd_(std::move(fd)) {}
  /// The path to use with fd_; nothing where a loop of links is met. Without `follow` its last
  /// component may be a link.
  std::optional<std::string> at(const std::string& path, bool follow) const;
  /// Opens for reading; errno if that fails, ELOOP for a loop of links.
  UniqueFd open_below(const std::string& path, int flags) const;

  UniqueFd fd_;  ///< of this directory; of a recorded tree, of its root
  /// In a recorded tree, the path of this directory.
  std::optional<std::string> in_tree_;
};

}  // namespace nettune::kernel
