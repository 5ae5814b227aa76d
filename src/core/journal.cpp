// SPDX-License-Identifier: Apache-2.0
#include "core/journal.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "core/frames.hpp"
#include "core/transaction_codec.hpp"

namespace nettune::inline core {

namespace {

constexpr std::string_view kAborted = ".aborted";

}  // namespace

std::string StatePaths::generation(std::uint64_t number) const {
  return cat(generations(), "/", number);
}

std::string StatePaths::aborted(std::uint64_t number) const {
  return cat(generations(), "/", number, kAborted);
}

Result<std::vector<FinishedFile>> finished_files(Disk& disk, const StatePaths& paths) {
  TRY_ASSIGN(const auto names, disk.list(paths.generations()));
  std::vector<FinishedFile> files;
  for (const std::string& name : names) {
    const auto dot = name.find('.');
    const std::string_view end = dot == std::string::npos ? "" : std::string_view(name).substr(dot);
    const auto number = parse_int(name.substr(0, dot));
    // Numbers increase by one. A huge number is a foreign file, and the next number would overflow.
    constexpr std::int64_t kMost = 1'000'000'000'000;
    if (!number || *number <= 0 || *number > kMost || cat(*number, end) != name) continue;
    FinishedFile file{static_cast<std::uint64_t>(*number), FinishedFile::End::committed,
                      cat(paths.generations(), "/", name)};
    if (end == kAborted)
      file.end = FinishedFile::End::aborted;
    else if (end == StatePaths::kDamaged || end.starts_with(cat(StatePaths::kDamaged, "-")))
      file.end = FinishedFile::End::given_up;
    else if (!end.empty())
      continue;
    files.push_back(std::move(file));
  }
  std::ranges::stable_sort(files, {}, &FinishedFile::number);
  return files;
}

Result<std::string> free_path(Disk& disk, const std::string& path) {
  std::string free = path;
  for (int next = 2;; ++next) {
    TRY_ASSIGN(const auto there, disk.info(free));
    if (!there) return free;
    free = cat(path, "-", next);
  }
}

namespace {

/// Room for all later records: each value once more in LATE, APPLIED and COMMIT, and a reason in
/// ABORTED.
std::uint64_t tail_bytes(const std::string& intent) { return 3 * intent.size() + 16384; }

/// Writes INTENT to a new file. The caller removes the file on failure. A crash may have left an
/// old one there.
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
    // Nothing else was written: without this file the transaction never existed. If the file stays,
    // recover finds nothing to undo in it.
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
    // Cuts off a partly written record, so that another one can follow.
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

}  // namespace nettune::inline core
