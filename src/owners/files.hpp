// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.hpp"

namespace nettune::owners {

/// A configuration file as found.
struct FoundFile {
  std::string path;  ///< where it was looked for
  std::string real;  ///< where it stands, links followed
  std::string text;
};

/// Reads other people's configuration below a root directory.
class Files {
 public:
  Files(Disk& disk, std::string root) : disk_(disk), root_(std::move(root)) {}

  /// Nothing when there is no such file, when it cannot be read or is above 1 MiB, and for a link
  /// to /dev/null. Follows links; they lead to below the root.
  std::optional<FoundFile> read(const std::string& path) const;

  /// The files of drop-in directories as systemd takes them (sysctl.d(5)): of files with one name
  /// the one in the earliest directory counts, all are sorted by name, a link to /dev/null masks.
  std::vector<FoundFile> drop_ins(std::span<const std::string_view> directories) const;

  /// Names ending in ".conf" in one directory, sorted.
  std::vector<std::string> conf_names(const std::string& directory) const;

 private:
  std::optional<std::string> resolved(std::string path) const;

  Disk& disk_;
  std::string root_;
};

}  // namespace nettune::owners
