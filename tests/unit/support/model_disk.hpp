// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/disk.hpp"

namespace nettune::test {

/// Thrown where the machine dies: the process is killed, or the power goes.
struct Crash {};

/// A disk that knows the difference between written and durable. What has not been synced may
/// survive a power cut or not: each creation, rename and removal for itself (a rename between
/// directories may leave both names), and of unsynced bytes none, half, all, or zeros in their
/// place.
class ModelDisk final : public Disk {
 public:
  ModelDisk();

  // --- what can go wrong -----------------------------------------------------------------------
  /// Called with a name before every operation that changes something; may throw Crash, or return
  /// an errno to make the operation fail.
  std::function<int(const std::string& operation)> before_operation = [](const std::string&) {
    return 0;
  };
  /// Names of operations that only pretend: a sync that is not there, a record that is not written.
  std::function<bool(const std::string& operation)> pretend = [](const std::string&) {
    return false;
  };
  /// Set while a crash is under way: an append then leaves half of its bytes.
  bool tear_next_append = false;
  /// Mount points: nothing is renamed to them or removed there (EBUSY). A plan sees them unless
  /// `shows_mounts` is false; then they are as if they came after it.
  std::set<std::string> mounts;
  bool shows_mounts = true;
  /// Bytes that are left on the disk; nothing: plenty.
  std::optional<std::uint64_t> free_bytes;

  /// Forgets what is not durable, in one of the legal ways that `random` picks; `all` and `none`
  /// are the extremes.
  enum class Survive { all, none, random };
  void power_cut(Survive survive, std::mt19937& random);

  // --- for setting a scene and looking at it -----------------------------------------------------
  void put(const std::string& path, const std::string& content, std::uint32_t mode = 0644);
  void put_directory(const std::string& path);
  /// Every path below `root` with kind, mode and content: equal texts are equal trees.
  std::string tree(const std::string& root);
  std::unique_ptr<ModelDisk> clone() const;

  // --- Disk
  // ----------------------------------------------------------------------------------------
  Result<std::optional<FileInfo>> info(const std::string& path) override;
  Result<std::optional<std::string>> read(const std::string& path, std::uint64_t limit) override;
  Result<std::vector<std::string>> list(const std::string& path) override;
  Result<std::unique_ptr<DiskFile>> create(const std::string& path, std::uint32_t mode,
                                           std::uint32_t uid, std::uint32_t gid) override;
  Result<std::unique_ptr<DiskFile>> extend(const std::string& path, std::uint64_t size) override;
  Result<> rename(const std::string& from, const std::string& to) override;
  Result<> remove(const std::string& path) override;
  Result<> make_directory(const std::string& path, std::uint32_t mode) override;
  Result<> remove_directory(const std::string& path) override;
  Result<> sync_directory(const std::string& path) override;
  std::string replace_barrier(const std::string& path) override;

 private:
  friend class ModelFile;
  struct Node {
    bool directory = false;
    std::uint32_t mode = 0;
    std::string content;
    std::string durable_content;
    std::uint64_t reserved = 0;
    std::map<std::string, int> entries;
    std::map<std::string, int> durable_entries;
  };
  /// A change of one name in one directory that is not durable yet. Changes with the same `group`
  /// are one rename: `keeps_source` of it may stay when the target has arrived, never the other
  /// way.
  struct Pending {
    int directory;
    std::string name;
    std::optional<int> node;  ///< nothing: removed
    int group;
  };

  std::optional<int> find(const std::string& path) const;
  std::optional<int> find_parent(const std::string& path, std::string& name) const;
  void change_entry(int directory, const std::string& name, std::optional<int> node, int group);
  /// Names the place in the code that an operation comes from, as far as its path and the last
  /// journal record tell: "sync INTENT", "syncdir staged after COMMIT".
  std::string site(const std::string& operation, const std::string& path) const;
  Result<> enter(const std::string& site, const std::string& path);
  void list_tree(int node, const std::string& path, std::string& out) const;
  static std::string survivor(const Node& node, Survive survive, std::mt19937& random);

  std::vector<Node> nodes_;
  std::vector<Pending> pending_;
  int next_group_ = 1;
  std::string last_record_ = "nothing";
};

}  // namespace nettune::test
