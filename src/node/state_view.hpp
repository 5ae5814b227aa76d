// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/state.hpp"
#include "node/exit_codes.hpp"

namespace nettune::node {

/// Something that bears nettune's mark, which is no proof: an image or a backup carries it too.
struct Marked {
  Address address;
  std::string profile;  ///< named in the mark; "" for a mark that names none
};

/// The contents of the state directory, as far as they may be read. Only reads.
struct StateView {
  std::string directory;
  bool exists = false;
  std::string unreadable;              ///< why it could not be read: closed without root
  std::string volatile_reason;         ///< the directory is on tmpfs and is lost at reboot
  std::optional<std::string> foreign;  ///< the machine of origin, if not this one
  JournalStatus journal;
  /// Nothing if foreign, or while a newer one cannot be read.
  std::optional<Transaction> active;
  std::vector<Unreadable> damaged;    ///< as Applied::unreadable: the applied state is unknown
  std::optional<Transaction> newest;  ///< newest readable one, while there are `damaged` ones
  std::optional<Hold> hold;
  Debts debts;                   ///< owed to devices that were away or refused
  std::string debts_unreadable;  ///< why the latest list of debts is unknown
  /// Who holds the lock: while a transaction is open, for status always.
  std::optional<std::string> at_work;
  /// Why stored contents of files cannot be read; filled by find_lost_contents().
  std::vector<std::string> lost_contents;
  std::vector<Marked> unrecorded = {};  ///< as find_unrecorded() leaves it
  bool has_records = false;             ///< a transaction ended here, on this machine
  std::vector<std::string> signs = {};  ///< as find_signs() leaves it: "/etc/nettune/site.toml"
  /// Seconds until the unconfirmed change is reverted; 0 if the window has expired. Nothing: no
  /// change waits.
  std::optional<std::int64_t> confirm_left_s;

  /// Sentences for people: unfinished, foreign, lost at reboot.
  std::vector<std::string> notes() const;
  /// The exit code: unfinished or busy for an open journal, unfinished also if the applied state is
  /// unknown, drift for a debt, for what is unrecorded and for a lost state, unknown for an
  /// unreadable list of debts, else done.
  Exit exit() const;
  /// Nothing is recorded, although this node should be managed: the state is lost, or never was.
  bool is_lost() const;
  /// A transaction is open, so no other can begin.
  bool is_open() const;
};

/// What to do if the active generation cannot be read.
enum class OnDamage {
  fail,  ///< Errc::corrupt: the command needs it
  tell   ///< StateView::damaged
};

/// Reads the state. Leaves `volatile_reason` empty. Takes no lock, writes nothing. Missing
/// permission is part of the view, not an error. A state that others could have written, or that
/// cannot be decoded, is an error.
Result<StateView> look_at_state(Disk& disk, State& state, const std::string& machine_id,
                                OnDamage on_damage = OnDamage::fail);

/// True if a generation has neither settings nor required traffic, and nothing to restore.
bool holds_nothing(const Transaction& active);

/// What the lost generation managed is unknown once it was given up as damaged: then every older
/// generation that can be read counts. Adds what they managed to the active one, with the first
/// values, as far as these are not void since a reboot.
Result<> add_older_baselines(Disk& disk, State& state, StateView& view);

/// Names the stored contents of files that the active generation needs, to apply it again or to
/// undo it, and that cannot be read. Those of a setting that is not in `drifted` are only looked up
/// by their name: a check costs little. Without `drifted` all are read.
void find_lost_contents(Disk& disk, State& state, StateView& view,
                        const std::set<Address>* drifted = nullptr);

/// Equal if two nodes have the same settings applied.
std::string settings_digest(const Transaction& active);

/// Sentences on what bears nettune's mark without a record; none if there is nothing.
std::vector<std::string> unrecorded_notes(const StateView& state);

/// Errc::corrupt if the applied state is unknown; the error names the remedy.
Result<> refuse_damaged(const StateView& state);

/// Errc::busy while another nettune runs: then values are a mixture of old and new.
Result<> refuse_half_changed(const StateView& state);

/// "tmpfs" if `directory`, or its nearest existing parent, is lost at reboot; else "".
std::string volatile_file_system(const std::string& directory);

}  // namespace nettune::node
