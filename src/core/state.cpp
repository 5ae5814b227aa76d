// SPDX-License-Identifier: Apache-2.0
#include "core/state.hpp"

#include <algorithm>
#include <cerrno>

#include "base/digest.hpp"
#include "base/image_root.hpp"
#include "base/text.hpp"
#include "core/finished.hpp"
#include "core/journal.hpp"
#include "core/transaction_codec.hpp"

namespace nettune::inline core {

namespace {

constexpr std::uint64_t kLargestJournal = 64ULL << 20;
constexpr std::uint64_t kLargestBlob = 4ULL << 20;
/// A directory must not be a link; a file must be a regular file.
Result<> check_root_only(const std::string& inside, const FileInfo& info, FileInfo::Kind kind) {
  const std::string path = outside_path(inside);
  if (info.kind != kind && kind == FileInfo::Kind::directory)
    return fail(
        Errc::denied,
        cat(path, " is not a directory, and nettune does not follow links here; move it away"));
  if (info.kind != kind)
    return fail(
        Errc::corrupt,
        cat(path, " is not a regular file, and nettune does not follow links here; move it away"));
  if (info.uid != 0 || (info.mode & 022U) != 0)
    return fail(Errc::denied, cat(path,
                                  " can be written by users other than root, so it is not trusted; "
                                  "inspect it, then: chown root ",
                                  shell_word(path), " && chmod go-w ", shell_word(path)));
  return {};
}

}  // namespace

Desired desired_of(const Transaction& generation) {
  Desired desired;
  desired.profile = generation.profile;
  desired.vars = generation.vars;
  desired.settings = generation.settings;
  desired.members = generation.members;
  desired.variables = generation.variables;
  desired.admissions = generation.admissions;
  desired.sources = generation.sources;
  desired.names = generation.names;
  return desired;
}

std::map<Address, Refusal> refused_in_boot(
    const Transaction& active, const std::string& boot_id,
    const std::function<std::optional<Address>(const Address&, const std::string&)>& locate) {
  std::map<Address, Refusal> refused;
  if (boot_id != active.identity.boot_id) return refused;
  for (const auto& [address, refusal] : active.refused)
    if (auto today = locate(address, refusal.device)) refused.emplace(std::move(*today), refusal);
  return refused;
}

bool nothing_to_record(const std::optional<Transaction>& active, const Plan& plan,
                       const Desired& desired, bool image) {
  if (!active)
    return !image && desired.settings.empty() && desired.admissions.empty() &&
           plan.debts_after() == add_debts(plan.debts, plan.debts_gone);
  const auto same = [](const Setting& left, const Setting& right) {
    return left.address == right.address && left.relation == right.relation &&
           left.want == right.want && left.optional == right.optional &&
           left.nearest == right.nearest && left.device == right.device;
  };
  const auto same_variable = [](const JobVariable& left, const JobVariable& right) {
    return left.name == right.name && left.value == right.value &&
           left.of_this_node == right.of_this_node &&
           left.same_on_all_nodes == right.same_on_all_nodes;
  };
  const auto same_admission = [](const Admission& left, const Admission& right) {
    return left.name == right.name && left.opening == right.opening;
  };
  const std::vector<Setting> wanted = plan.wanted();
  return !plan.takes_over && plan.debts_after() == add_debts(plan.debts, plan.debts_gone) &&
         active->image == image && active->profile == plan.profile &&
         active->vars == desired.vars && active->names == desired.names &&
         std::equal(active->settings.begin(), active->settings.end(), wanted.begin(), wanted.end(),
                    same) &&
         std::equal(active->variables.begin(), active->variables.end(), desired.variables.begin(),
                    desired.variables.end(), same_variable) &&
         std::equal(active->admissions.begin(), active->admissions.end(),
                    desired.admissions.begin(), desired.admissions.end(), same_admission);
}

std::string transaction_id(const Identity& identity, std::uint64_t number) {
  return sha256_hex(cat(identity.machine_id, identity.boot_id, " ", identity.time_s, " ",
                        identity.boottime_s, " ", number))
      .substr(0, 16);
}

bool from_another_machine(const Transaction& transaction, const std::string& machine_id) {
  const std::string& stored = transaction.identity.machine_id;
  return !stored.empty() && !machine_id.empty() && stored != machine_id;
}

State::State(Disk& disk, std::string directory, KnowsKind known)
    : disk_(disk), directory_(std::move(directory)), knows_(known) {}

Result<> State::check_trust() {
  const StatePaths paths{directory_};
  for (const std::string& path : {paths.directory, paths.generations(), paths.blobs()}) {
    TRY_ASSIGN(const auto info, disk_.info(path));
    if (info) TRY(check_root_only(path, *info, FileInfo::Kind::directory));
  }
  return {};
}

namespace {

/// The content of a journal or generation file; nothing if there is none.
Result<std::optional<Disk::Loaded>> load_trusted(Disk& disk, const std::string& path) {
  TRY_ASSIGN(auto loaded, disk.load(path, kLargestJournal));
  if (loaded) TRY(check_root_only(path, loaded->info, FileInfo::Kind::regular));
  return loaded;
}

Failure damaged_file(const std::string& path, std::string_view why) {
  return fail(Errc::corrupt,
              cat(outside_path(path), ": ", why,
                  "; the file is left as it is; restore it from a backup or move it away"));
}

/// A transaction whose every setting is of a kind that this program knows.
Result<Transaction> decode_known(std::string_view bytes, KnowsKind knows) {
  TRY_ASSIGN(Transaction transaction, decode_transaction(bytes));
  if (knows == nullptr) return transaction;
  std::string_view last;
  const auto check = [&](const Address& address) -> Result<> {
    if (address.kind() == last) return {};
    last = address.kind();
    if (knows(last)) return {};
    return fail(Errc::unsupported, cat("it has ", printable(address.text),
                                       ", of a kind of settings that this nettune does not know",
                                       writer_text(transaction)));
  };
  for (const Setting& setting : transaction.settings) TRY(check(setting.address));
  for (const Record& record : transaction.records) TRY(check(record.address));
  for (const auto& [address, owned] : transaction.owned) TRY(check(address));
  return transaction;
}

/// The content of a finished transaction's file; nothing if there is none.
Result<std::optional<Transaction>> decode_file(Disk& disk, const std::string& path,
                                               KnowsKind knows) {
  TRY_ASSIGN(const auto loaded, load_trusted(disk, path));
  if (!loaded) return std::optional<Transaction>();
  auto decoded = decode_known(loaded->content, knows);
  if (!decoded && decoded.error().code == Errc::unsupported)
    return fail(Errc::unsupported, cat(outside_path(path), ": ", decoded.error().text));
  if (!decoded) return damaged_file(path, decoded.error().text);
  return std::optional<Transaction>(std::move(*decoded));
}

/// A finished transaction; nothing if there is no such file. Errc::denied: it may not be read or is
/// not trusted. Errc::corrupt: it cannot be decoded, or does not match its name. Errc::unsupported:
/// another version wrote it.
Result<std::optional<Transaction>> read_finished(Disk& disk, const FinishedFile& file,
                                                 KnowsKind knows) {
  if (file.end == FinishedFile::End::given_up)
    return fail(Errc::corrupt,
                cat(outside_path(file.path), " was given up as damaged (recover --abandon)"));
  auto found = decode_file(disk, file.path, knows);
  if (!found && found.error().code == Errc::denied) return found;
  if (!found && found.error().code == Errc::unsupported) return found;
  if (!found) return fail(Errc::corrupt, std::move(found).error().text);
  if (!*found) return found;
  const Transaction& transaction = **found;
  if (transaction.number != file.number)
    return fail(Errc::corrupt, cat(outside_path(file.path), " contains generation ",
                                   transaction.number, "; it was copied or renamed: move it away"));
  const bool is_aborted = file.end == FinishedFile::End::aborted;
  if (is_aborted ? !transaction.aborted : !transaction.committed)
    return damaged_file(file.path, cat("its last record (", is_aborted ? "ABORTED" : "COMMIT",
                                       ") is damaged or cut off"));
  return found;
}

/// Without root the state directory is closed; its contents are unknown.
bool is_closed(const Error& error) { return error.sys == EACCES || error.sys == EPERM; }

}  // namespace

Result<JournalStatus> State::journal() {
  const std::string path = StatePaths{directory_}.journal();
  JournalStatus status;
  const auto loaded = load_trusted(disk_, path);
  if (!loaded && loaded.error().code == Errc::denied) return fail(loaded.error());
  if (!loaded) {
    status.kind = JournalStatus::Kind::corrupt;
    status.text = loaded.error().text;
    return status;
  }
  if (!*loaded) return status;
  const std::string_view bytes = (*loaded)->content;
  auto decoded = decode_known(bytes, knows_);
  if (!decoded) {
    status.kind = JournalStatus::Kind::corrupt;
    status.other_version = decoded.error().code == Errc::unsupported;
    status.text = cat(outside_path(path), ": ", decoded.error().text);
    status.readable = decode_readable(bytes);
    return status;
  }
  status.transaction = std::move(*decoded);
  const Transaction& transaction = status.transaction;
  const std::string_view tail = bytes.substr(transaction.size);
  if (tail.find_first_not_of('\0') != std::string_view::npos) {
    status.text = cat("its record at byte ", transaction.size, " is incomplete or damaged");
    status.readable = decode_readable(tail);
  }
  if (transaction.committed)
    status.kind = JournalStatus::Kind::committed;
  else if (transaction.applied && !transaction.aborted)
    status.kind = JournalStatus::Kind::awaiting_confirm;
  else
    status.kind = JournalStatus::Kind::open;
  return status;
}

Result<std::vector<std::uint64_t>> State::numbers() {
  TRY_ASSIGN(const auto files, finished_files(disk_, StatePaths{directory_}));
  std::vector<std::uint64_t> found;
  for (const FinishedFile& file : files)
    if (file.end == FinishedFile::End::committed) found.push_back(file.number);
  return found;
}

Result<std::vector<std::uint64_t>> State::history_numbers() {
  TRY_ASSIGN(const auto files, finished_files(disk_, StatePaths{directory_}));
  std::vector<std::uint64_t> found;
  for (const FinishedFile& file : files) found.push_back(file.number);
  return found;
}

Result<Transaction> State::generation(std::uint64_t number) {
  const StatePaths paths{directory_};
  TRY_ASSIGN(auto found,
             read_finished(disk_, {number, FinishedFile::End::committed, paths.generation(number)},
                           knows_));
  if (found) return std::move(*found);
  TRY_ASSIGN(const auto known, numbers());
  std::vector<std::string> texts;
  for (const std::uint64_t one : known) texts.push_back(cat(one));
  return fail(Errc::not_found,
              cat("there is no generation ", number, "; ",
                  texts.empty() ? "nothing has been applied yet"
                                : cat("there are: ", join(texts, ", "), " (nettune history)")));
}

Result<std::optional<Transaction>> State::active() {
  TRY_ASSIGN(Applied found, applied());
  if (!found.unreadable.empty())
    return fail(Errc::corrupt, std::move(found.unreadable.front().why));
  return std::move(found.newest);
}

Result<Applied> State::applied() {
  const StatePaths paths{directory_};
  TRY_ASSIGN(auto files, finished_files(disk_, paths));
  return applied_among(disk_, paths, std::move(files), knows_);
}

Result<Applied> applied_among(Disk& disk, const StatePaths& paths, std::vector<FinishedFile> files,
                              KnowsKind knows) {
  // Another nettune removed the file meanwhile, so there are newer ones.
  constexpr int kMostTries = 3;
  for (int tries = 1;; ++tries) {
    Applied applied;
    bool is_gone = false;
    for (auto file = files.rbegin(); file != files.rend() && !is_gone; ++file) {
      if (file->end != FinishedFile::End::committed) continue;
      auto found = read_finished(disk, *file, knows);
      if (found && *found) {
        applied.newest = std::move(*found);
        break;
      }
      const bool other_version = !found && found.error().code == Errc::unsupported;
      if (!found && found.error().code != Errc::corrupt && !other_version)
        return fail(std::move(found).error());
      is_gone = found && tries < kMostTries;
      applied.unreadable.push_back(
          {file->number, found ? cat(file->path, " is gone") : std::move(found).error().text,
           other_version});
    }
    if (!is_gone) return applied;
    TRY_ASSIGN(files, finished_files(disk, paths));
  }
}

Result<std::string> State::stamp() {
  // In this order, a journal that becomes a generation in between is still seen.
  TRY_ASSIGN(const auto journal, disk_.info(StatePaths{directory_}.journal()));
  TRY_ASSIGN(const auto finished, history_numbers());
  return cat(finished.empty() ? 0 : finished.back(), " ",
             journal ? cat(journal->size, " ", journal->mtime_ns) : std::string("-"));
}

Result<std::vector<Transaction>> State::history() {
  TRY_ASSIGN(const auto files, finished_files(disk_, StatePaths{directory_}));
  std::vector<Transaction> found;
  for (const FinishedFile& file : files) {
    auto one = read_finished(disk_, file, knows_);
    if (!one && is_closed(one.error())) return fail(std::move(one).error());
    if (!one) {
      Transaction damaged;
      damaged.number = file.number;
      damaged.damaged = true;
      damaged.reason = std::move(one).error().text;
      found.push_back(std::move(damaged));
    } else if (*one) {
      found.push_back(std::move(**one));
    }
  }
  return found;
}

Result<KnownDebts> State::debts(const std::string& boot_id, const Transaction* active) {
  TRY_ASSIGN(const auto files, finished_files(disk_, StatePaths{directory_}));
  return debts_among(disk_, files, boot_id, active, knows_);
}

Result<KnownDebts> debts_among(Disk& disk, const std::vector<FinishedFile>& files,
                               const std::string& boot_id, const Transaction* active,
                               KnowsKind knows) {
  KnownDebts known;
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    // Whoever gave it up used the previous list.
    if (file->end == FinishedFile::End::given_up) continue;
    if (active != nullptr && active->number == file->number) {
      known.debts = still_owed(active->debts, active->identity.boot_id == boot_id);
      return known;
    }
    auto found = read_finished(disk, *file, knows);
    if (!found && is_closed(found.error())) return fail(std::move(found).error());
    if (!found && known.unreadable.empty()) known.unreadable = found.error().text;
    if (!found || !*found) continue;
    known.debts = still_owed(std::move((*found)->debts), (*found)->identity.boot_id == boot_id);
    return known;
  }
  return known;
}

Result<std::string> State::blob(const std::string& sha256_hex) {
  const std::string path = StatePaths{directory_}.blob(sha256_hex);
  auto read = disk_.read(path, kLargestBlob);
  constexpr std::string_view kWayOut =
      "; restore it from a backup, put that file in place by hand, or remove it: nettune leaves a "
      "file that it did not write";
  if (!read) return fail(Errc::corrupt, cat(read.error().text, kWayOut), read.error().sys);
  std::optional<std::string> content = std::move(*read);
  if (!content) return fail(Errc::not_found, cat(outside_path(path), " is missing", kWayOut));
  if (nettune::sha256_hex(*content) != sha256_hex)
    return fail(
        Errc::corrupt,
        cat(outside_path(path), " was modified: its sha256 no longer matches its name", kWayOut));
  return std::move(*content);
}

/// A hold that cannot be read still holds: somebody made it.
Result<std::optional<Hold>> State::hold() {
  const auto text = disk_.read(StatePaths{directory_}.hold(), 65536);
  if (!text && is_closed(text.error())) return fail(text.error());
  Hold hold;
  if (!text) {
    hold.why = cat("it cannot be read (", text.error().text, "); move it away to end the hold");
  } else if (!*text) {
    return std::optional<Hold>();
  } else {
    const auto lines = split(**text, '\n');
    if (!lines.empty()) hold.since_s = parse_int(lines[0]).value_or(0);
    if (lines.size() > 1) hold.who = lines[1];
    if (lines.size() > 2) hold.why = lines[2];
    if (lines.size() > 3) hold.until_s = parse_int(lines[3]).value_or(0);
  }
  if (hold.who.empty()) hold.who = "somebody (the file does not say who)";
  return std::optional<Hold>(std::move(hold));
}

Result<> State::set_hold(const Hold& hold) {
  TRY(release_hold());
  return write_new_file(disk_, StatePaths{directory_}.hold(),
                        cat(hold.since_s, "\n", printable(hold.who), "\n", printable(hold.why),
                            "\n", hold.until_s > 0 ? cat(hold.until_s, "\n") : ""),
                        0600, 0, 0);
}

Result<> State::release_hold() {
  const std::string path = StatePaths{directory_}.hold();
  TRY_ASSIGN(const auto there, disk_.info(path));
  if (!there) return {};
  if (const auto removed = disk_.remove(path); !removed)
    return fail(removed.error().code, cat(removed.error().text, "; move it away"),
                removed.error().sys);
  return disk_.sync_directory(directory_);
}

Result<std::string> State::give_up(std::uint64_t number) {
  const StatePaths paths{directory_};
  TRY_ASSIGN(const std::string path,
             free_path(disk_, cat(paths.generation(number), StatePaths::kDamaged)));
  TRY(disk_.rename(paths.generation(number), path));
  TRY(disk_.sync_directory(paths.generations()));
  return path;
}

Result<std::string> State::set_aside(const std::string& label) {
  const StatePaths paths{directory_};
  const std::string aside = cat(directory_, "/set-aside-", label);
  TRY(disk_.make_directory(aside, 0700));
  for (const std::string& path : {paths.journal(), paths.generations(), paths.hold()}) {
    TRY_ASSIGN(const auto there, disk_.info(path));
    if (there) TRY(disk_.rename(path, aside + path.substr(directory_.size())));
  }
  TRY(disk_.sync_directory(aside));
  TRY(disk_.sync_directory(directory_));
  return aside;
}

}  // namespace nettune::inline core
