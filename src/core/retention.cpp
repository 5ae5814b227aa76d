// SPDX-License-Identifier: Apache-2.0
// What is removed from the state directory, and when: docs/design.md, section 7.
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "core/journal.hpp"
#include "core/state.hpp"
#include "core/undo_path.hpp"

namespace nettune::inline core {

namespace {

constexpr std::uint64_t kLargestFile = 64ULL << 20;
constexpr std::size_t kDigestSize = 64;
constexpr std::string_view kSetAside = "set-aside-";
constexpr std::string_view kDamagedJournal = "journal.damaged-";

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

bool is_digest(std::string_view text) {
  return text.size() == kDigestSize && std::ranges::all_of(text, is_hex);
}

/// Adds every content digest in `bytes`; damage elsewhere in them does not matter.
void add_digests(std::string_view bytes, std::set<std::string>& digests) {
  constexpr std::string_view kPrefix = "sha256:";
  for (auto at = bytes.find(kPrefix); at != std::string_view::npos; at = bytes.find(kPrefix, at)) {
    at += kPrefix.size();
    const std::string_view digest = bytes.substr(at, kDigestSize);
    if (is_digest(digest)) digests.emplace(digest);
  }
}

/// The file contents that the state directory still refers to.
Result<std::set<std::string>> named_contents(Disk& disk, const StatePaths& paths) {
  std::vector<std::string> files;
  const auto add_directory = [&](const std::string& directory) -> Result<> {
    TRY_ASSIGN(const auto names, disk.list(directory));
    for (const std::string& name : names) files.push_back(cat(directory, "/", name));
    return {};
  };
  TRY(add_directory(paths.generations()));
  TRY_ASSIGN(const auto names, disk.list(paths.directory));
  for (const std::string& name : names) {
    const std::string path = cat(paths.directory, "/", name);
    if (name.starts_with(kDamagedJournal)) files.push_back(path);
    if (!name.starts_with(kSetAside)) continue;
    files.push_back(path + "/journal");
    TRY(add_directory(path + "/generations"));
  }
  std::set<std::string> named;
  for (const std::string& file : files) {
    TRY_ASSIGN(const auto content, disk.read(file, kLargestFile));
    if (content) add_digests(*content, named);
  }
  return named;
}

Result<> remove_unnamed_blobs(Disk& disk, const StatePaths& paths,
                              const std::set<std::string>& named) {
  TRY_ASSIGN(const auto blobs, disk.list(paths.blobs()));
  bool any = false;
  for (const std::string& blob : blobs) {
    if (!is_digest(blob) || named.contains(blob)) continue;
    TRY(disk.remove(paths.blob(blob)));
    any = true;
  }
  return any ? disk.sync_directory(paths.blobs()) : Result<>();
}

/// The part of `history` to keep: what an undo needs, and the latest.
std::set<std::uint64_t> kept_numbers(const std::vector<Transaction>& history, std::size_t keep) {
  std::set<std::uint64_t> kept;
  const std::size_t latest = std::min(std::max<std::size_t>(keep, 1), history.size());
  for (std::size_t i = history.size() - latest; i < history.size(); ++i)
    kept.insert(history[i].number);
  // Debts are in the last readable transaction; the applied state is in the last committed one.
  const auto is_active = [](const Transaction& one) { return one.committed && !one.aborted; };
  const auto is_readable = [](const Transaction& one) { return !one.damaged; };
  const auto active = std::find_if(history.rbegin(), history.rend(), is_active);
  if (active != history.rend()) kept.insert(active->number);
  const auto readable = std::find_if(history.rbegin(), history.rend(), is_readable);
  if (readable != history.rend()) kept.insert(readable->number);
  const UndoPath path = undo_path(history);
  const std::size_t steps = std::min(std::max<std::size_t>(keep, 2), path.steps.size());
  kept.insert(path.steps.end() - static_cast<std::ptrdiff_t>(steps), path.steps.end());
  if (steps == path.steps.size() && path.foot) kept.insert(*path.foot);
  return kept;
}

}  // namespace

Result<> State::prune(std::size_t keep) {
  const StatePaths paths{directory_};
  TRY_ASSIGN(const auto files, finished_files(disk_, paths));
  if (files.size() <= keep) return {};
  // A running transaction may refer to more than the files here do.
  TRY_ASSIGN(const auto journal, disk_.info(paths.journal()));
  if (journal) return {};
  // Nothing is removed while the applied state is unknown.
  if (!active()) return {};
  TRY_ASSIGN(const auto past, history());
  const std::set<std::uint64_t> kept = kept_numbers(past, keep);
  std::set<std::uint64_t> in_place;
  bool any = false;
  Result<> removed;
  for (const FinishedFile& file : files) {
    if (kept.contains(file.number)) {
      if (file.end != FinishedFile::End::given_up) in_place.insert(file.number);
      continue;
    }
    auto gone = disk_.remove(file.path);
    any = any || gone;
    if (!gone && removed) removed = std::move(gone);
  }
  if (!any) return removed;
  TRY(disk_.sync_directory(paths.generations()));
  const auto damaged = std::ranges::find_if(
      past, [&](const Transaction& one) { return one.damaged && in_place.contains(one.number); });
  if (damaged != past.end())
    return fail(Errc::corrupt,
                cat("file contents were not removed: it is unknown which of them are used by ",
                    damaged->reason));
  TRY_ASSIGN(const auto named, named_contents(disk_, paths));
  TRY(remove_unnamed_blobs(disk_, paths, named));
  return removed;
}

}  // namespace nettune::inline core
