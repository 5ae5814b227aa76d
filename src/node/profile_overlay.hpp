// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/disk.hpp"

namespace nettune::node {

/// A disk with one additional profile that is in no file: it can be planned, and is not written.
class ProfileOverlay : public Disk {
 public:
  /// In `directory`, which is nowhere else ("/doctor") and goes into Sources::directories. `below`
  /// outlives this.
  ProfileOverlay(Disk& below, std::string directory, const std::string& name, std::string text)
      : below_(below),
        directory_(std::move(directory)),
        path_(directory_ + "/" + name + ".toml"),
        text_(std::move(text)) {}

  Result<std::optional<FileInfo>> info(const std::string& path) override {
    if (path == directory_) return FileInfo{FileInfo::Kind::directory, 0755, 0, 0, 0, 0};
    if (path == path_) return FileInfo{FileInfo::Kind::regular, 0644, 0, 0, text_.size(), 0};
    return below_.info(path);
  }
  Result<std::optional<std::string>> read(const std::string& path, std::uint64_t limit) override {
    if (path == path_) return text_;
    return below_.read(path, limit);
  }
  Result<std::vector<std::string>> list(const std::string& path) override {
    return below_.list(path);
  }

  Result<std::unique_ptr<DiskFile>> create(const std::string&, std::uint32_t, std::uint32_t,
                                           std::uint32_t) override {
    return refuse();
  }
  Result<std::unique_ptr<DiskFile>> extend(const std::string&, std::uint64_t) override {
    return refuse();
  }
  Result<> rename(const std::string&, const std::string&) override { return refuse(); }
  Result<> remove(const std::string&) override { return refuse(); }
  Result<> make_directory(const std::string&, std::uint32_t) override { return refuse(); }
  Result<> remove_directory(const std::string&) override { return refuse(); }
  Result<> sync_directory(const std::string&) override { return refuse(); }

 private:
  static Failure refuse() {
    return fail(Errc::denied, "nothing is written to a profile that is in no file");
  }

  Disk& below_;
  std::string directory_;
  std::string path_;
  std::string text_;
};

}  // namespace nettune::node
