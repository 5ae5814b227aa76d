// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.hpp"

namespace nettune::conf {

/// A configuration file as found.
struct FoundFile {
  std::string path;  ///< the path that was asked for
  std::string real;  ///< its real path, links followed
  std::string text;
  std::uint32_t mode = 0;  ///< permission bits
};

/// Reads other people's configuration below a root directory.
class Files {
 public:
  Files(Disk& disk, std::string root) : disk_(disk), root_(std::move(root)) {}

  /// Nothing if there is no such file, if it cannot be read or is above 1 MiB, and for a link to
  /// /dev/null. Links are followed below the root.
  std::optional<FoundFile> read(const std::string& path) const;

  /// The effective files of drop-in directories, as in systemd (sysctl.d(5)): of files with one
  /// name the one in the earliest directory counts, all are sorted by name, a link to /dev/null
  /// masks.
  std::vector<FoundFile> drop_ins(std::span<const std::string_view> directories,
                                  std::string_view suffix = ".conf") const;

  /// Names in one directory that end in `suffix`, sorted.
  std::vector<std::string> names(const std::string& directory, std::string_view suffix) const;

  /// True if there is anything but a link to /dev/null, links followed.
  bool exists(const std::string& path) const { return resolved(path).has_value(); }
  /// The path behind all links of the last component; "" if there is nothing or /dev/null.
  std::string real_path(const std::string& path) const;
  /// True for a link to /dev/null.
  bool is_masked(const std::string& path) const;

 private:
  struct Resolved {
    std::string path;
    std::uint32_t mode = 0;
  };
  std::optional<Resolved> resolved(std::string path) const;

  Disk& disk_;
  std::string root_;
};

}  // namespace nettune::conf
