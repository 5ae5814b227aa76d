// SPDX-License-Identifier: Apache-2.0
#include "core/state.hpp"

#include <algorithm>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "core/journal.hpp"
#include "core/transaction_codec.hpp"

namespace nettune {

namespace {

constexpr std::uint64_t kLargestJournal = 64ULL << 20;
constexpr std::uint64_t kLargestBlob = 4ULL << 20;
constexpr std::string_view kAborted = ".aborted";

/// The number in the name of a finished transaction; nothing for other names.
std::optional<std::uint64_t> number_of(std::string_view name) {
  if (name.ends_with(kAborted)) name.remove_suffix(kAborted.size());
  const auto number = parse_int(name);
  if (!number || *number <= 0 || cat(*number) != name) return {};
  return static_cast<std::uint64_t>(*number);
}

Result<> check_root_only(const std::string& path, const FileInfo& info, FileInfo::Kind kind) {
  if (info.kind != kind)
    return fail(Errc::denied, cat(path,
                                  kind == FileInfo::Kind::directory ? " is not a directory"
                                                                    : " is not a regular file",
                                  "; move it away, nettune does not follow links here"));
  if (info.uid != 0 || (info.mode & 022U) != 0)
    return fail(Errc::denied, cat(path,
                                  " can be written by others than root, so it is not trusted; "
                                  "look at it, then: chown root ",
                                  shell_word(path), " && chmod go-w ", shell_word(path)));
  return {};
}

Failure in_file(const std::string& path, Error error) {
  if (error.code == Errc::corrupt)
    error.text += "; the file is kept as it is, restore it from a backup or move it away";
  return fail_in(path, std::move(error));
}

}  // namespace

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
  return plan.debts_after() == add_debts(plan.debts, plan.debts_gone) && active->image == image &&
         active->profile == plan.profile && active->vars == desired.vars &&
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

State::State(Disk& disk, std::string directory) : disk_(disk), directory_(std::move(directory)) {}

Result<> State::check_trust() {
  const StatePaths paths{directory_};
  for (const std::string& path : {paths.directory, paths.generations(), paths.blobs()}) {
    TRY_ASSIGN(const auto info, disk_.info(path));
    if (info) TRY(check_root_only(path, *info, FileInfo::Kind::directory));
  }
  return {};
}

namespace {

/// The file of a journal or generation; nothing when there is none.
Result<std::optional<Disk::Loaded>> load_trusted(Disk& disk, const std::string& path) {
  TRY_ASSIGN(auto loaded, disk.load(path, kLargestJournal));
  if (loaded) TRY(check_root_only(path, loaded->info, FileInfo::Kind::regular));
  return loaded;
}

/// A generation; nothing when there is no such file.
Result<std::optional<Transaction>> read_generation(Disk& disk, const std::string& path) {
  TRY_ASSIGN(const auto loaded, load_trusted(disk, path));
  if (!loaded) return std::optional<Transaction>();
  auto decoded = decode_transaction(loaded->content);
  if (!decoded) return in_file(path, std::move(decoded).error());
  return std::optional<Transaction>(std::move(*decoded));
}

/// A look at a generation, which is never written again; a journal is.
Result<std::optional<Transaction>> look_at_generation(Disk& disk, const std::string& path) {
  TRY_ASSIGN(auto view, disk.view(path, kLargestJournal));
  if (!view) return std::optional<Transaction>();
  TRY(check_root_only(path, view->info, FileInfo::Kind::regular));
  auto decoded = decode_look(view->content, std::move(view->owner));
  if (!decoded) return in_file(path, std::move(decoded).error());
  return std::optional<Transaction>(std::move(*decoded));
}

}  // namespace

Result<JournalStatus> State::journal() {
  const std::string path = StatePaths{directory_}.journal();
  JournalStatus status;
  TRY_ASSIGN(const auto loaded, load_trusted(disk_, path));
  if (!loaded) return status;
  const std::string_view bytes = loaded->content;
  auto decoded = decode_transaction(bytes);
  if (!decoded) {
    status.kind = JournalStatus::Kind::corrupt;
    status.text = cat(path, ": ", decoded.error().text);
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
  TRY_ASSIGN(const auto names, disk_.list(StatePaths{directory_}.generations()));
  std::vector<std::uint64_t> found;
  for (const std::string& name : names)
    if (const auto number = number_of(name); number && !name.ends_with(kAborted))
      found.push_back(*number);
  std::sort(found.begin(), found.end());
  return found;
}

Result<std::vector<std::uint64_t>> State::history_numbers() {
  TRY_ASSIGN(const auto names, disk_.list(StatePaths{directory_}.generations()));
  std::vector<std::uint64_t> found;
  for (const std::string& name : names)
    if (const auto number = number_of(name)) found.push_back(*number);
  std::sort(found.begin(), found.end());
  return found;
}

Result<Transaction> State::generation(std::uint64_t number, Part part) {
  const std::string path = StatePaths{directory_}.generation(number);
  TRY_ASSIGN(auto found,
             part == Part::whole ? read_generation(disk_, path) : look_at_generation(disk_, path));
  if (!found) {
    TRY_ASSIGN(const auto known, numbers());
    std::vector<std::string> texts;
    for (const std::uint64_t one : known) texts.push_back(cat(one));
    return fail(Errc::not_found,
                cat("there is no generation ", number, "; ",
                    texts.empty() ? "nothing has been applied yet"
                                  : cat("there are: ", join(texts, ", "), " (nettune history)")));
  }
  if (found->number != number)
    return fail(Errc::corrupt, cat(path, " holds generation ", found->number,
                                   "; it was copied or renamed: move it away"));
  if (!found->committed)
    return fail(Errc::corrupt,
                cat(path, " holds no committed transaction; restore it from a backup"));
  return std::move(*found);
}

Result<std::optional<Transaction>> State::active(Part part) {
  TRY_ASSIGN(const auto known, numbers());
  if (known.empty()) return std::optional<Transaction>();
  TRY_ASSIGN(auto found, generation(known.back(), part));
  return std::optional<Transaction>(std::move(found));
}

Result<std::string> State::stamp() {
  // In this order: a journal that becomes a generation in between is seen as one.
  TRY_ASSIGN(const auto journal, disk_.info(StatePaths{directory_}.journal()));
  TRY_ASSIGN(const auto finished, history_numbers());
  return cat(finished.empty() ? 0 : finished.back(), " ",
             journal ? cat(journal->size, " ", journal->mtime_ns) : std::string("-"));
}

Result<std::vector<Transaction>> State::history() {
  const StatePaths paths{directory_};
  TRY_ASSIGN(const auto names, disk_.list(paths.generations()));
  std::vector<Transaction> found;
  for (const std::string& name : names) {
    const auto number = number_of(name);
    if (!number) continue;
    auto one = read_generation(disk_, cat(paths.generations(), "/", name));
    if (!one && one.error().code != Errc::corrupt) return fail(std::move(one).error());
    if (!one) {
      Transaction damaged;
      damaged.number = *number;
      damaged.damaged = true;
      damaged.reason = std::move(one).error().text;
      found.push_back(std::move(damaged));
    } else if (*one) {
      found.push_back(std::move(**one));
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Transaction& a, const Transaction& b) { return a.number < b.number; });
  return found;
}

Result<KnownDebts> State::debts(const std::string& boot_id, const Transaction* active) {
  TRY_ASSIGN(const auto finished, history_numbers());
  const StatePaths paths{directory_};
  KnownDebts known;
  for (auto number = finished.rbegin(); number != finished.rend(); ++number) {
    if (active != nullptr && active->number == *number) {
      known.debts = still_owed(active->debts, active->identity.boot_id == boot_id);
      return known;
    }
    for (const std::string& path : {paths.generation(*number), paths.aborted(*number)}) {
      auto found = look_at_generation(disk_, path);
      if (!found && found.error().code != Errc::corrupt) return fail(std::move(found).error());
      if (!found && known.unreadable.empty()) known.unreadable = std::move(found).error().text;
      if (!found || !*found) continue;
      known.debts = still_owed(std::move((*found)->debts), (*found)->identity.boot_id == boot_id);
      return known;
    }
  }
  return known;
}

Result<std::string> State::blob(const std::string& sha256_hex) {
  const std::string path = StatePaths{directory_}.blob(sha256_hex);
  TRY_ASSIGN(auto content, disk_.read(path, kLargestBlob));
  constexpr std::string_view kWayOut =
      "; restore it from a backup, or put that file in place by hand, or remove that file: what is "
      "not as nettune set it is left as it is";
  if (!content) return fail(Errc::not_found, cat(path, " is not there", kWayOut));
  if (nettune::sha256_hex(*content) != sha256_hex)
    return fail(Errc::corrupt,
                cat(path, " was changed: its sha256 is not its name any more", kWayOut));
  return std::move(*content);
}

Result<std::optional<Hold>> State::hold() {
  TRY_ASSIGN(const auto text, disk_.read(StatePaths{directory_}.hold(), 65536));
  if (!text) return std::optional<Hold>();
  const auto lines = split(*text, '\n');
  Hold hold;
  if (!lines.empty()) hold.since_s = parse_int(lines[0]).value_or(0);
  if (lines.size() > 1) hold.who = lines[1];
  if (lines.size() > 2) hold.why = lines[2];
  return std::optional<Hold>(std::move(hold));
}

Result<> State::set_hold(const Hold& hold) {
  TRY(release_hold());
  return write_new_file(
      disk_, StatePaths{directory_}.hold(),
      cat(hold.since_s, "\n", printable(hold.who), "\n", printable(hold.why), "\n"), 0600, 0, 0);
}

Result<> State::release_hold() {
  const std::string path = StatePaths{directory_}.hold();
  TRY_ASSIGN(const auto there, disk_.info(path));
  if (!there) return {};
  TRY(disk_.remove(path));
  return disk_.sync_directory(directory_);
}

Result<> State::forget_reapplied(std::size_t keep) {
  TRY_ASSIGN(const auto known, numbers());
  if (known.size() <= keep) return {};
  std::vector<std::uint64_t> reapplied;
  bool first_boot = false;
  for (const std::uint64_t number : known) {
    // A damaged one is history's to tell.
    const auto found = generation(number, Part::look);
    if (!found) continue;
    if (found->action == kReapply && !first_boot) reapplied.push_back(number);
    first_boot = found->image;
  }
  for (std::size_t i = 0; i + keep < reapplied.size(); ++i)
    TRY(disk_.remove(StatePaths{directory_}.generation(reapplied[i])));
  return {};
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

}  // namespace nettune
