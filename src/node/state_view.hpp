// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/state.hpp"
#include "node/exit_codes.hpp"

namespace nettune::cli {

/// What the state directory says, as far as it may be read. Made by looking only.
struct StateView {
  std::string directory;
  bool exists = false;
  std::string unreadable;              ///< why it could not be read: without root it is closed
  std::string volatile_reason;         ///< the directory is on tmpfs and forgets at reboot
  std::optional<std::string> foreign;  ///< the machine that it was made on, if not this one
  JournalStatus journal;
  /// Nothing also when foreign, and while a newer one cannot be read.
  std::optional<Transaction> active;
  std::vector<Unreadable> damaged;    ///< as Applied::unreadable: what is applied is not known
  std::optional<Transaction> newest;  ///< of those that can be read, while there are `damaged` ones
  std::optional<Hold> hold;
  Debts debts;                         ///< what is owed to devices that were away or refused
  std::string debts_unreadable;        ///< why the latest list of debts is not known
  std::optional<std::string> at_work;  ///< who holds the lock, when a transaction is open
  /// Until what waits to be confirmed is taken back; 0 when that time is over. Nothing: none waits.
  std::optional<std::int64_t> confirm_left_s;

  /// Sentences for people: what is unfinished, foreign, forgotten at reboot.
  std::vector<std::string> notes() const;
  /// unfinished or busy for an open journal, unfinished also where nobody knows what is applied,
  /// drift for a debt, unknown for a list of debts that cannot be read, else done.
  Exit exit() const;
  /// A transaction is open: nothing else can begin.
  bool is_open() const;
};

/// What is to be done where the active generation cannot be read.
enum class OnDamage {
  fail,  ///< Errc::corrupt: nothing can be said without it
  tell   ///< StateView::damaged
};

/// Looks. Leaves `volatile_reason` empty. Takes no lock, writes nothing. Missing permission is in
/// the view, not an error; a state that others could have written, or that cannot be decoded, is an
/// error.
Result<StateView> look_at_state(Disk& disk, State& state, const std::string& machine_id,
                                OnDamage on_damage = OnDamage::fail);

/// Equal where two nodes have the same settings applied.
std::string settings_digest(const Transaction& active);

/// Errc::corrupt where nobody knows what is applied; names the way out.
Result<> refuse_damaged(const StateView& state);

/// Errc::busy while another nettune is at work: values are old and new ones then.
Result<> refuse_half_changed(const StateView& state);

/// "tmpfs" where `directory`, or what it would be created in, does not outlive a reboot; else "".
std::string volatile_file_system(const std::string& directory);

}  // namespace nettune::cli
