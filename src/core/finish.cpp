// SPDX-License-Identifier: Apache-2.0
#include "core/finish.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/text.hpp"
#include "core/committed.hpp"
#include "core/transaction_codec.hpp"

namespace nettune::inline core {

namespace {

constexpr std::string_view kUnfinishedBlob = ".new";

/// The staged writes of a transaction, one list per unit, in the order of writes.
std::vector<std::vector<Write>> staged_units(const Transaction& transaction) {
  std::map<std::string_view, std::size_t> unit_at;
  std::vector<std::vector<Write>> units;
  for (const Record& record : transaction.records) {
    if (!record.staged || !(record.cause.text.empty() || record.settle)) continue;
    const auto [found, is_new] = unit_at.emplace(record.unit, units.size());
    if (is_new) units.emplace_back();
    units[found->second].push_back({record.address, record.before, record.after});
  }
  return units;
}

void set_error(Report& report, Error error) {
  report.outcome = Outcome::incomplete;
  if (!report.error) report.error = std::move(error);
}

using Unplaced = std::map<Address, std::string>;

/// Trying again does not help as long as nobody removes what is in the way: a mount point, a flag,
/// a directory that is gone.
bool is_in_the_way(const Error& error) {
  return error.code == Errc::denied || (error.code == Errc::not_found && error.sys != 0);
}

/// The file keeps its old content, and its temporary goes. Where the directory cannot be written
/// any more, the temporary may come back with a power cut: what keeps the file out keeps it, too.
void give_up_placing(Disk& disk, const std::vector<Write>& unit, Provider& provider,
                     std::string why, const std::string& transaction, Unplaced& unplaced) {
  std::set<std::string> directories;
  for (const Write& write : unit) directories.insert(provider.directory(write.address));
  auto discarded = provider.discard(unit, transaction);
  if (discarded) discarded = sync_directories(disk, directories);
  if (!discarded) why += cat("; ", discarded.error().text);
  for (const Write& write : unit) unplaced[write.address] = why;
}

/// The unplaced setting that `address` holds up, as a file in a directory; "" for none.
std::string held_up_by(const Unplaced& unplaced, const Address& address,
                       const Providers& providers) {
  for (const auto& [other, why] : unplaced) {
    const auto needs = providers.find(other.kind())->needs(other);
    if (std::ranges::find(needs, address) != needs.end()) return other.text;
  }
  return {};
}

/// Only the present state counts; somebody may have been faster. An entry that should be gone but
/// is not (a shared directory, another line of the same name) was never ours alone.
void read_back_placed(const std::vector<Write>& unit, const Providers& providers, Report& report,
                      const Result<>& placed, Unplaced& unplaced) {
  Provider& provider = *providers.find(unit.front().address.kind());
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
    else if (const std::string other = held_up_by(unplaced, unit[i].address, providers);
             !unit[i].after && !other.empty())
      unplaced[unit[i].address] = cat(other, " is still in it");
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
  Unplaced unplaced;
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
    const auto placed = place_unit(*unit, *provider, contents, transaction.id);
    if (!placed && is_in_the_way(placed.error()) && !abandon) {
      give_up_placing(disk, *unit, *provider, placed.error().text, transaction.id, unplaced);
      continue;
    }
    if (!placed && placed.error().code != Errc::conflict && !abandon) {
      set_error(report, placed.error());
      return;
    }
    for (const Write& write : *unit) directories.insert(provider->directory(write.address));
    read_back_placed(*unit, providers, report, placed, unplaced);
  }
  Result<> finished = sync_directories(disk, directories);
  if (finished && unplaced != transaction.unplaced)
    if (auto appended = journal.append("UNPLACED", encode_unplaced(unplaced)); !appended)
      finished = fail(std::move(appended).error().error);
  if (finished) finished = journal.finish(true);
  std::erase_if(report.written, [&](const Step& step) { return unplaced.contains(step.address); });
  std::erase_if(report.debts,
                [&](const Debt& debt) { return transaction.unplaced.contains(debt.owed.address); });
  report.debts = add_debts(std::move(report.debts), debts_of_unplaced(transaction, unplaced));
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

}  // namespace nettune::inline core
