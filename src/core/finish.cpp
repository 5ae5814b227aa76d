// SPDX-License-Identifier: Apache-2.0
#include "core/finish.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "core/transaction_codec.hpp"

namespace nettune {

namespace {

constexpr std::string_view kUnfinishedBlob = ".new";

/// The staged writes of a transaction, one list per unit, in the order of writes.
std::vector<std::vector<Write>> staged_units(const Transaction& transaction) {
  std::vector<std::string> names;
  std::vector<std::vector<Write>> units;
  for (const Record& record : transaction.records) {
    if (!record.staged || !(record.cause.text.empty() || record.settle)) continue;
    const auto found = std::find(names.begin(), names.end(), record.unit);
    const auto at = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) {
      names.push_back(record.unit);
      units.emplace_back();
    }
    units[at].push_back({record.address, record.before, record.after});
  }
  return units;
}

void set_error(Report& report, Error error) {
  report.outcome = Outcome::incomplete;
  if (!report.error) report.error = std::move(error);
}

/// Only the present state counts; somebody may have been faster. An entry that should be gone but
/// is not (a shared directory, another line of the same name) was never ours alone.
void read_back_placed(const std::vector<Write>& unit, Provider& provider, Report& report,
                      const Result<>& placed) {
  const std::string why = placed ? "its content is not what was placed" : placed.error().text;
  std::vector<Address> addresses;
  addresses.reserve(unit.size());
  for (const Write& write : unit) addresses.push_back(write.address);
  const std::vector<Reading> now = provider.read(addresses);
  for (std::size_t i = 0; i < unit.size(); ++i) {
    if (now[i].has_value() && now[i].value() == unit[i].after) continue;
    if (!now[i].has_value())
      report.notes.push_back(cat(
          unit[i].address.text,
          placed ? " was placed but could not be read back: " : " was not placed: ", now[i].why));
    else if (unit[i].after)
      report.left.push_back({unit[i].address, unit[i].before, unit[i].after, now[i].value(), why});
    else
      report.notes.push_back(cat(unit[i].address.text, " still exists: others use it too"));
  }
}

/// Calls place(), and again from the stored contents if its temporary is gone.
Result<> place_unit(const std::vector<Write>& unit, Provider& provider, const Contents& contents,
                    const std::string& transaction) {
  auto placed = provider.place(unit, transaction);
  if (placed || placed.error().code != Errc::not_found) return placed;
  TRY(provider.write(unit, contents, transaction));
  return provider.place(unit, transaction);
}

}  // namespace

Result<> sync_directories(Disk& disk, const std::set<std::string>& directories) {
  for (const std::string& directory : directories) {
    TRY_ASSIGN(const auto there, disk.info(directory));
    if (there) TRY(disk.sync_directory(directory));
  }
  return {};
}

Result<> prepare_state(Disk& disk, const StatePaths& paths) {
  TRY_ASSIGN(const auto there, disk.info(paths.directory));
  if (!there) {
    TRY(disk.make_directory(paths.directory, 0700));
    TRY(disk.sync_directory(parent_path(paths.directory)));
  }
  // These become durable together with the journal, before anything depends on them.
  TRY(disk.make_directory(paths.generations(), 0700));
  TRY(disk.make_directory(paths.blobs(), 0700));
  TRY_ASSIGN(const auto names, disk.list(paths.blobs()));
  for (const std::string& name : names)
    if (name.ends_with(kUnfinishedBlob)) TRY(disk.remove(cat(paths.blobs(), "/", name)));
  return {};
}

Result<> store_blobs(Disk& disk, const StatePaths& paths,
                     const std::map<std::string, std::string>& contents) {
  bool any = false;
  for (const auto& [digest, content] : contents) {
    const std::string path = paths.blob(digest);
    const auto there = disk.read(path, content.size());
    if (there && *there && **there == content) continue;
    const std::string unfinished = cat(path, kUnfinishedBlob);
    TRY_ASSIGN(const auto file, disk.create(unfinished, 0600, 0, 0));
    TRY(file->append(content));
    TRY(file->sync());
    if (auto placed = disk.rename(unfinished, path); !placed) {
      Error error = std::move(placed).error();
      error.text += cat("; remove what is in its place: ", path);
      return fail(std::move(error));
    }
    any = true;
  }
  if (any) TRY(disk.sync_directory(paths.blobs()));
  return {};
}

void finish_commit(Disk& disk, const Transaction& transaction, const Providers& providers,
                   const Contents& contents, Journal& journal, Report& report, bool abandon) {
  std::set<std::string> directories;
  const auto units = staged_units(transaction);
  for (auto unit = units.rbegin(); unit != units.rend(); ++unit) {
    Provider* const provider = providers.find(unit->front().address.kind());
    if (!provider) {
      set_error(report, Error{Errc::unsupported,
                              cat("this nettune does not know ", unit->front().address.text),
                              0,
                              {},
                              0});
      return;
    }
    for (const Write& write : *unit) directories.insert(provider->directory(write.address));
    const auto placed = place_unit(*unit, *provider, contents, transaction.id);
    if (!placed && placed.error().code != Errc::conflict && !abandon) {
      set_error(report, placed.error());
      return;
    }
    read_back_placed(*unit, *provider, report, placed);
  }
  Result<> finished = sync_directories(disk, directories);
  if (finished) finished = journal.finish(true);
  if (!finished) set_error(report, std::move(finished).error());
}

void finish_abort(const std::string& reason, Journal& journal, Report& report) {
  if (auto appended = journal.append("ABORTED", encode_reason(reason, report.debts)); !appended) {
    set_error(report, std::move(appended).error().error);
    return;
  }
  if (auto finished = journal.finish(false); !finished)
    set_error(report, std::move(finished).error());
}

}  // namespace nettune
