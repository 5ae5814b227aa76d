// SPDX-License-Identifier: Apache-2.0
#include "core/journal.hpp"

#include "base/text.hpp"
#include "core/frames.hpp"
#include "core/transaction_codec.hpp"

namespace nettune {

std::string StatePaths::generation(std::uint64_t number) const {
  return cat(generations(), "/", number);
}

std::string StatePaths::aborted(std::uint64_t number) const {
  return cat(generations(), "/", number, ".aborted");
}

namespace {

/// Room for every record that can still follow: each value once more in LATE, APPLIED and COMMIT,
/// and a reason in ABORTED.
std::uint64_t tail_bytes(const std::string& intent) { return 3 * intent.size() + 16384; }

/// INTENT on its way into a new file; the caller removes the file when this fails. A crash may have
/// left one there.
Result<std::unique_ptr<DiskFile>> write_intent(Disk& disk, const StatePaths& paths,
                                               const std::string& frame) {
  TRY(disk.remove(paths.new_journal()));
  TRY_ASSIGN(auto file, disk.create(paths.new_journal(), 0600, 0, 0));
  TRY(file->append(frame));
  TRY(file->reserve(tail_bytes(frame)));
  TRY(file->sync());
  TRY(disk.rename(paths.new_journal(), paths.journal()));
  TRY(disk.sync_directory(paths.directory));
  return file;
}

}  // namespace

Result<Journal> Journal::begin(Disk& disk, const StatePaths& paths,
                               const Transaction& transaction) {
  const std::string frame = encode_frame("INTENT", 0, transaction.id, encode_intent(transaction));
  auto file = write_intent(disk, paths, frame);
  if (!file) {
    // Nothing else has been written: without this file the transaction has never been. Should it
    // stay behind all the same, recover finds nothing to undo in it.
    static_cast<void>(disk.remove(paths.new_journal()).has_value());
    static_cast<void>(disk.remove(paths.journal()).has_value());
    static_cast<void>(disk.sync_directory(paths.directory).has_value());
    return fail_in("the journal could not be written, so nothing was changed",
                   std::move(file).error());
  }
  Journal journal(disk, paths, transaction);
  journal.file_ = std::move(*file);
  journal.size_ = frame.size();
  journal.sequence_ = 1;
  return journal;
}

Result<Journal> Journal::resume(Disk& disk, const StatePaths& paths,
                                const Transaction& transaction) {
  TRY_ASSIGN(auto file, disk.extend(paths.journal(), transaction.size));
  Journal journal(disk, paths, transaction);
  journal.file_ = std::move(file);
  journal.size_ = transaction.size;
  journal.sequence_ = transaction.next_sequence;
  return journal;
}

tl::expected<void, Journal::AppendFailure> Journal::append(std::string_view type,
                                                           std::string_view payload) {
  const auto failure = [](Error error, bool uncertain) {
    return tl::unexpected<AppendFailure>(AppendFailure{std::move(error), uncertain});
  };
  const std::string frame = encode_frame(type, sequence_, id_, payload);
  if (auto appended = file_->append(frame); !appended) {
    // Cut the piece off that may have been written, so that another record can follow.
    auto again = disk_->extend(paths_.journal(), size_);
    if (!again) return failure(std::move(appended).error(), true);
    file_ = std::move(*again);
    return failure(std::move(appended).error(), false);
  }
  size_ += frame.size();
  ++sequence_;
  if (auto synced = file_->sync(); !synced) return failure(std::move(synced).error(), true);
  return {};
}

Result<> Journal::finish(bool committed) {
  file_.reset();
  TRY(disk_->rename(paths_.journal(),
                    committed ? paths_.generation(number_) : paths_.aborted(number_)));
  TRY(disk_->sync_directory(paths_.generations()));
  return disk_->sync_directory(paths_.directory);
}

}  // namespace nettune
