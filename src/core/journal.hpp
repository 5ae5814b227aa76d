// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.hpp"
#include "core/state.hpp"

namespace nettune::inline core {

/// Paths in a state directory. All names are defined here.
struct StatePaths {
  std::string directory;
  std::string journal() const { return directory + "/journal"; }
  /// The journal's name until INTENT is durable: nothing has been changed before that.
  std::string new_journal() const { return directory + "/intent.new"; }
  std::string generations() const { return directory + "/generations"; }
  std::string generation(std::uint64_t number) const;
  std::string aborted(std::uint64_t number) const;
  /// The suffix of a file that was given up.
  static constexpr std::string_view kDamaged = ".damaged";
  std::string blobs() const { return directory + "/blobs"; }
  std::string blob(const std::string& sha256_hex) const { return blobs() + "/" + sha256_hex; }
  std::string hold() const { return directory + "/hold"; }
};

/// The file of a finished transaction.
struct FinishedFile {
  enum class End { committed, aborted, given_up };
  std::uint64_t number = 0;
  End end = End::committed;
  std::string path;
};

/// Finished files by number, ascending. Other names are ignored.
Result<std::vector<FinishedFile>> finished_files(Disk& disk, const StatePaths& paths);

/// `path`, or with "-2", "-3", ... appended if that exists.
Result<std::string> free_path(Disk& disk, const std::string& path);

/// The running transaction on disk. Every append is synced before it returns.
class Journal {
 public:
  /// Writes INTENT. On success the undo of everything in it survives a power cut. The file gets the
  /// name journal only then, so a journal without a good INTENT is damaged, never torn.
  static Result<Journal> begin(Disk& disk, const StatePaths& paths, const Transaction& transaction);
  /// Continues the journal that recover found. A torn tail is cut off.
  static Result<Journal> resume(Disk& disk, const StatePaths& paths,
                                const Transaction& transaction);

  /// The result of a failed append. `uncertain`: the bytes are in the file and only the sync
  /// failed, so a later reader may or may not see the record.
  struct AppendFailure {
    Error error;
    bool uncertain = false;
  };
  tl::expected<void, AppendFailure> append(std::string_view type, std::string_view payload);

  /// Makes what stands in the file durable.
  Result<> sync() { return file_->sync(); }

  /// Moves the finished journal to its place among the generations, durably.
  Result<> finish(bool committed);

 private:
  Journal(Disk& disk, StatePaths paths, const Transaction& transaction)
      : disk_(&disk), paths_(std::move(paths)), id_(transaction.id), number_(transaction.number) {}

  Disk* disk_;
  StatePaths paths_;
  std::string id_;
  std::uint64_t number_ = 0;
  std::unique_ptr<DiskFile> file_;
  std::uint64_t size_ = 0;
  std::uint64_t sequence_ = 0;
};

}  // namespace nettune::inline core
