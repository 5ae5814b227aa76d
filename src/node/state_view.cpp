// SPDX-License-Identifier: Apache-2.0
#include "node/state_view.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <linux/magic.h>
#include <map>
#include <sys/vfs.h>

#include "base/digest.hpp"
#include "base/image_root.hpp"
#include "base/text.hpp"
#include "core/contents_view.hpp"
#include "core/finished.hpp"
#include "core/journal.hpp"
#include "node/display_text.hpp"
#include "node/identity.hpp"
#include "node/lock.hpp"
#include "node/request.hpp"

namespace nettune::node {

namespace {

bool is_permission(const Error& error) { return error.sys == EACCES || error.sys == EPERM; }

/// The journal, and who holds the lock. An open journal without a writer is unfinished only if it
/// is unchanged afterwards: otherwise its writer ended between the two reads.
Result<> read_journal(StateView& view, Disk& disk, State& state) {
  TRY_ASSIGN(view.journal, state.journal());
  while (view.journal.kind != JournalStatus::Kind::none) {
    view.at_work = lock_holder(disk, view.directory);
    if (view.at_work) return {};
    TRY_ASSIGN(JournalStatus after, state.journal());
    const bool same = after.kind == view.journal.kind &&
                      after.transaction.id == view.journal.transaction.id &&
                      after.transaction.size == view.journal.transaction.size;
    view.journal = std::move(after);
    if (same) return {};
  }
  return {};
}

Result<> fill(StateView& view, Disk& disk, State& state, const std::string& machine_id) {
  TRY_ASSIGN(view.hold, state.hold());
  if (view.hold && is_over(*view.hold, std::time(nullptr))) view.hold.reset();
  TRY(read_journal(view, disk, state));
  if (view.journal.kind == JournalStatus::Kind::awaiting_confirm) {
    TRY_ASSIGN(const std::string boot, boot_id(disk));
    const Transaction& waiting = view.journal.transaction;
    const bool same_boot = waiting.identity.boot_id == boot;
    view.confirm_left_s =
        same_boot ? std::max<std::int64_t>(waiting.confirm_deadline_s - boottime_s(), 0) : 0;
  }
  const StatePaths paths{view.directory};
  TRY_ASSIGN(const auto finished, finished_files(disk, paths));
  TRY_ASSIGN(Applied applied, applied_among(disk, paths, finished, state.knows()));
  const Transaction& known = applied.newest ? *applied.newest : view.journal.transaction;
  if (from_another_machine(known, machine_id)) {
    view.foreign = known.identity.machine_id;
    return {};
  }
  view.has_records = !finished.empty();
  view.damaged = std::move(applied.unreadable);
  (view.damaged.empty() ? view.active : view.newest) = std::move(applied.newest);
  TRY_ASSIGN(const std::string boot, boot_id(disk));
  TRY_ASSIGN(KnownDebts owed, debts_among(disk, finished, boot,
                                          view.active ? &*view.active : nullptr, state.knows()));
  view.debts = std::move(owed.debts);
  view.debts_unreadable = std::move(owed.unreadable);
  return {};
}

/// The line that runs a command on this state directory, and in this image.
std::string command_on(const StateView& view, std::string_view command) {
  std::vector<std::string> typed;
  if (!view.directory.empty() && view.directory != Locations().state_directory)
    typed.insert(typed.end(), {"--state-dir", view.directory});
  if (std::string root = outside_path("/"); root != "/")
    typed.insert(typed.end(), {"--root", std::move(root)});
  return sudo_line(command, typed);
}

/// One sentence on the debts of one device for one reason.
std::vector<std::string> debt_notes(const StateView& view, const Debts& debts) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> notes;
  for (std::size_t first = 0; first < debts.size();) {
    const Debt& debt = debts[first];
    std::vector<std::string> values;
    std::size_t count = 0;
    std::size_t end = first;
    while (end < debts.size() && debts[end].owed.device == debt.owed.device &&
           debts[end].reason == debt.reason && debts[end].to_set == debt.to_set) {
      if (values.size() < kNamed)
        values.push_back(
            cat(printable(debts[end].owed.address.text), " to ", value_text(debts[end].value())));
      ++count;
      ++end;
    }
    notes.push_back(
        cat(join(values, ", "), count > kNamed ? cat(" and ", count - kNamed, " more") : "",
            count == 1 ? " is" : " are", " still to be ", debt.to_set ? "set" : "restored",
            debt.owed.device.empty() ? "" : cat(" on ", printable(debt.owed.device)), ": ",
            printable(debt.reason)));
    first = end;
  }
  if (notes.empty()) return notes;
  const bool of_devices =
      std::ranges::any_of(debts, [](const Debt& debt) { return !debt.owed.device.empty(); });
  if (!of_devices) {
    const std::string recover = command_on(view, "recover");
    notes.push_back(cat(recover, " tries again, as does every apply; ", recover,
                        " --abandon forgets all debts, until another change finds them again"));
    return notes;
  }
  const bool ends_with_the_boot = still_owed(debts, false).empty();
  notes.push_back(
      cat(command_on(view, "recover"),
          " tries again, as do every apply and the device's return; if a device is gone for good, ",
          ends_with_the_boot ? "the next boot clears that; until then " : "",
          command_on(view, "recover"),
          " --abandon forgets all debts, until another change finds them again"));
  return notes;
}

/// Says that the applied state is unknown; "" if it is known.
std::string damage_note(const StateView& view) {
  if (view.damaged.empty()) return {};
  std::vector<std::string> reasons;
  for (const Unreadable& one : view.damaged) reasons.push_back(printable(one.why));
  if (view.damaged.front().other_version)
    return cat("what is applied is unknown, and nothing is changed: ", join(reasons, "; "));
  return cat(
      "the applied state and the debts of devices are unknown: ", join(reasons, "; "), ". ",
      view.newest
          ? cat("The newest readable generation is ", view.newest->number, " (",
                view.newest->profile.empty() ? "the baseline" : printable(view.newest->profile),
                ")")
          : std::string("No generation is readable"),
      "; ", command_on(view, "recover"), " shows what is left of ",
      view.damaged.size() == 1 ? "that file" : "those files", ", and how to go on without it");
}

std::string journal_note(const StateView& view) {
  if (view.at_work) return cat("another nettune is running: ", *view.at_work);
  switch (view.journal.kind) {
    case JournalStatus::Kind::awaiting_confirm: {
      const std::string what = cat("the ", view.journal.transaction.action, " of ",
                                   view.journal.transaction.profile.empty()
                                       ? "the baseline"
                                       : printable(view.journal.transaction.profile));
      if (view.journal.transaction.temporary && view.confirm_left_s.value_or(0) > 0)
        return cat(what, " is reverted automatically in ", *view.confirm_left_s,
                   " s; to end it now: ", command_on(view, "rollback"));
      if (view.journal.transaction.temporary)
        return cat(what, " was for a limited time, which has expired; ",
                   command_on(view, "recover"), " reverts it");
      if (view.confirm_left_s == 0)
        return cat(what, " was not confirmed in time; ", command_on(view, "recover"),
                   " reverts it");
      return cat(what, " is waiting for confirmation: ", view.confirm_left_s.value_or(0),
                 " s left; from a new login: ", command_on(view, "confirm"),
                 ", or to revert it now: ", command_on(view, "rollback"));
    }
    case JournalStatus::Kind::corrupt:
      if (view.journal.other_version)
        return cat("an interrupted run is unfinished, and nothing is changed: ",
                   printable(view.journal.text));
      return cat("the journal is damaged (", view.journal.text,
                 "), so the changes of an interrupted run are unknown; ",
                 command_on(view, "recover"), " shows what is left of it");
    case JournalStatus::Kind::none:
      return {};
    default:
      return cat("an interrupted ",
                 view.journal.transaction.action.empty() ? "run" : view.journal.transaction.action,
                 " is unfinished; run: ", command_on(view, "recover"));
  }
}

}  // namespace

std::vector<std::string> unrecorded_notes(const StateView& view) {
  std::map<std::string, std::vector<std::string>> by_profile;
  for (const Marked& marked : view.unrecorded)
    by_profile[marked.profile].push_back(printable(marked.address.text));
  std::vector<std::string> notes;
  for (const auto& [profile, addresses] : by_profile)
    notes.push_back(
        cat(profile.empty() ? "nettune's mark" : cat("nettune's mark for ", printable(profile)),
            " is on ", join(addresses, ", "), ", but no record has ",
            addresses.size() == 1 ? "it" : "them"));
  if (notes.empty()) return notes;
  std::string flags;
  for (const Marked& marked : view.unrecorded)
    flags += cat(" --unrecorded ", shell_word(marked.address.text));
  notes.push_back(cat(
      "a lost ", outside_path(view.directory),
      ", an image or a backup leaves such marks; live values bear none, so what else was set is "
      "unknown. What is exactly as its profile would write it now can be removed: ",
      command_on(view, "rollback"), flags, "; or taken over, with the same options: ",
      command_on(view, "apply"), " PROFILE --unrecorded ADDRESS"));
  return notes;
}

std::vector<std::string> StateView::notes() const {
  std::vector<std::string> notes;
  if (!unreadable.empty())
    notes.push_back(cat("the earlier changes of nettune are unknown: ", unreadable));
  if (foreign)
    notes.push_back(cat(outside_path(directory), " was made on another machine (machine-id ",
                        *foreign,
                        ") and is ignored here; the next apply sets it "
                        "aside"));
  if (auto note = journal_note(*this); !note.empty()) notes.push_back(std::move(note));
  if (auto note = damage_note(*this); !note.empty()) notes.push_back(std::move(note));
  for (std::string& note : debt_notes(*this, without_side_effects(debts)))
    notes.push_back(std::move(note));
  if (!debts_unreadable.empty() && damaged.empty())
    notes.push_back(cat("the debts of devices are not fully known (", debts_unreadable,
                        "); move that file away to use the previous list, or apply a change, which "
                        "writes a new list"));
  for (std::string& note : unrecorded_notes(*this)) notes.push_back(std::move(note));
  if (!signs.empty())
    notes.push_back(cat("this node should be managed (", printable(join(signs, ", ")), "), but ",
                        outside_path(directory),
                        " has no record of it: restore that directory from a backup, or apply the "
                        "profile (again): ",
                        command_on(*this, "apply"), " PROFILE"));
  if (active && active->image)
    notes.push_back(cat("this was prepared in an image; the rest of ", printable(active->profile),
                        " is not applied yet: it follows at the first boot (nettune-apply.service, "
                        "or sudo nettune reapply)"));
  for (const std::string& why : lost_contents)
    notes.push_back(
        cat("the stored content of a file is lost, so it cannot be written again: ", why));
  if (!volatile_reason.empty())
    notes.push_back(cat(outside_path(directory), " is on ", volatile_reason,
                        ": nettune's state, and with it every undo, is lost at reboot"));
  return notes;
}

Exit StateView::exit() const {
  // recover cannot finish another machine's journal here.
  if (foreign) return unrecorded.empty() && signs.empty() ? Exit::done : Exit::drift;
  const bool differs = !debts.empty() || !unrecorded.empty() || !signs.empty();
  Exit exit = differs ? Exit::drift : !debts_unreadable.empty() ? Exit::unknown : Exit::done;
  if (at_work || confirm_left_s.value_or(0) > 0)
    exit = Exit::busy;
  else if (is_open())
    exit = Exit::unfinished;
  return damaged.empty() ? exit : worse(exit, Exit::unfinished);
}

bool StateView::is_lost() const {
  return !has_records && damaged.empty() && !is_open() && (!signs.empty() || !unrecorded.empty());
}

bool StateView::is_open() const { return !foreign && journal.kind != JournalStatus::Kind::none; }

Result<StateView> look_at_state(Disk& disk, State& state, const std::string& machine_id,
                                OnDamage on_damage) {
  StateView view;
  view.directory = state.directory();
  const auto info = disk.info(view.directory);
  if (!info && is_permission(info.error())) {
    view.unreadable = info.error().text;
    return view;
  }
  TRY(info);
  if (!*info) return view;
  view.exists = true;
  auto filled = state.check_trust();
  if (filled) filled = fill(view, disk, state, machine_id);
  if (!filled) {
    if (!is_permission(filled.error())) return fail(std::move(filled).error());
    view.unreadable = filled.error().text;
  }
  if (on_damage == OnDamage::fail) TRY(refuse_damaged(view));
  return view;
}

Result<> refuse_damaged(const StateView& state) {
  if (state.damaged.empty()) return {};
  return fail(Errc::corrupt, damage_note(state));
}

Result<> refuse_half_changed(const StateView& state) {
  if (!state.at_work) return {};
  return fail(Errc::busy, cat("another nettune is running: ", *state.at_work,
                              "; wait until it has finished and try again"));
}

std::string volatile_file_system(const std::string& directory) {
  for (std::string path = directory;; path = parent_path(path)) {
    struct statfs status {};
    if (::statfs(path.c_str(), &status) == 0) {
      if (status.f_type == TMPFS_MAGIC) return "tmpfs";
      if (status.f_type == RAMFS_MAGIC) return "ramfs";
      return {};
    }
    if (path == "/") return {};
  }
}

bool holds_nothing(const Transaction& active) {
  return active.settings.empty() && active.owned.empty() && active.admissions.empty();
}

Result<> add_older_baselines(Disk& disk, State& state, StateView& view) {
  if (!view.active) return {};
  TRY_ASSIGN(const auto files, finished_files(disk, StatePaths{view.directory}));
  const bool is_lost = std::ranges::any_of(files, [&](const FinishedFile& file) {
    return file.end == FinishedFile::End::given_up && file.number > view.active->number;
  });
  if (!is_lost) return {};
  TRY_ASSIGN(const std::string boot, boot_id(disk));
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    if (file->end != FinishedFile::End::committed || file->number >= view.active->number) continue;
    const auto older = state.generation(file->number);
    if (!older) continue;
    const bool same_boot = older->identity.boot_id == boot;
    for (const auto& [address, owned] : older->owned)
      if ((same_boot || owned.lifetime != Lifetime::runtime) && owned.baseline != owned.committed)
        view.active->owned.emplace(address, owned);
  }
  return {};
}

void find_lost_contents(Disk& disk, State& state, StateView& view,
                        const std::set<Address>* drifted) {
  if (!view.active) return;
  const auto lose = [&](const Address& address, std::string_view what, const std::string& why) {
    view.lost_contents.push_back(cat(address.text, " ", what, ": ", why));
  };
  const StatePaths paths{view.directory};
  std::optional<Result<std::vector<std::string>>> names;
  for (const Setting& setting : view.active->settings) {
    const std::string digest = content_digest(setting.want);
    if (digest.empty()) continue;
    if (drifted == nullptr || drifted->contains(setting.address)) {
      if (const auto read = state.blob(digest); !read)
        lose(setting.address, "as applied", read.error().text);
      continue;
    }
    if (!names) names = disk.list(paths.blobs());
    if (!*names)
      lose(setting.address, "as applied", names->error().text);
    else if (!std::ranges::binary_search(**names, digest))
      lose(setting.address, "as applied", cat(paths.blob(digest), " is missing"));
  }
  for (const auto& [address, owned] : view.active->owned)
    if (const std::string digest = content_digest(owned.baseline); !digest.empty())
      if (const auto read = state.blob(digest); !read)
        lose(address, "as it was before nettune", read.error().text);
}

std::string settings_digest(const Transaction& active) {
  std::string all;
  for (const Setting& setting : active.settings)
    all += cat(setting.address.text, "=", setting.want.value_or("(none)"), "\n");
  return sha256_hex(all);
}

}  // namespace nettune::node
