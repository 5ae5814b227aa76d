// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.hpp"
#include "core/plan.hpp"

namespace nettune {

/// Which machine, boot and person a record belongs to.
struct Identity {
  std::string machine_id;
  std::string boot_id;
  std::string kernel;
  std::string who;              ///< "root", "alice (sudo)"
  std::int64_t time_s = 0;      ///< CLOCK_REALTIME, for people
  std::int64_t boottime_s = 0;  ///< CLOCK_BOOTTIME, for deadlines
};

/// One value that a transaction changes or may change along.
struct Record {
  Address address;
  std::string device;
  Value before;
  Value after;
  Undo undo = Undo::exact;
  Lifetime lifetime = Lifetime::runtime;
  Address cause;        ///< for a witness: the setting that it changes along with; else empty
  bool late = false;    ///< could be read only after another setting was written
  bool settle = false;  ///< may have moved along already: written only if it is not there yet
  bool nearest = false;
  bool staged = false;  ///< prepared beside its target, placed after the commit point
  std::string unit;
};

/// A transaction as the journal tells it. A committed one is a generation.
struct Transaction {
  std::string id;  ///< 16 hex digits
  std::uint64_t number = 0;
  std::string action;  ///< "apply", "rollback"
  Identity identity;
  std::string profile;  ///< "" for the baseline
  std::map<std::string, std::string> vars;
  std::vector<Source> sources;
  std::vector<Setting> settings;       ///< everything that holds when this is active
  std::vector<Member> members;         ///< the devices that the profile was applied to
  std::vector<JobVariable> variables;  ///< what jobs are given
  std::vector<Admission> admissions;   ///< what has to get in
  std::vector<Record> records;         ///< in the order of writes
  std::vector<Address> late;           ///< exist only after another write: recorded by LATE
  std::map<Address, Owned> owned;      ///< after this transaction
  /// What was right when it was first wanted and was not written since, and so is not ours. Should
  /// it have to be written later, this is its baseline, not what somebody made of it meanwhile.
  std::map<Address, Owned> found;
  std::int64_t confirm_deadline_s = 0;  ///< CLOCK_BOOTTIME; 0: no window
  bool temporary = false;               ///< nobody is to confirm it: it ends at the deadline
  bool image = false;        ///< made in an image: files only, the rest follows at the first boot
  std::string device_token;  ///< of the links that there were; "" where no setting names a device
  bool applied = false;
  std::map<Address, Value> applied_values;  ///< what APPLIED read back, for confirm
  Debts debts;  ///< all that is owed once this has ended so: of APPLIED, COMMIT or ABORTED
  std::int64_t applied_ms = 0;  ///< CLOCK_BOOTTIME of APPLIED
  bool committed = false;
  bool aborted = false;
  bool damaged = false;  ///< its file cannot be read: only `number` is known, and `reason` says why
  std::string reason;    ///< why it was aborted
  std::uint64_t size = 0;  ///< bytes of valid records in its file
  std::uint64_t next_sequence = 0;
};

/// The action of a transaction that makes the node again what was applied.
inline constexpr std::string_view kReapply = "reapply";
/// Why one was undone: it waited for a confirmation that did not come; it was a temporary one
/// (apply --for) and its time was over, or somebody or a reboot ended it before.
inline constexpr std::string_view kNotConfirmed = "not confirmed; taken back";
inline constexpr std::string_view kExpired = "expired as requested";
inline constexpr std::string_view kEnded = "ended before its time, as requested";
inline constexpr std::string_view kEndedByReboot = "ended by a reboot";
/// The action of one that pays debts, and changes nothing else.
inline constexpr std::string_view kPay = "pay debts";

std::string transaction_id(const Identity& identity, std::uint64_t number);

/// True when `active` already says all that `plan` says: recording it again would add nothing. What
/// is recorded in an image (`image`) says more than its files: that the rest is to follow.
bool nothing_to_record(const std::optional<Transaction>& active, const Plan& plan,
                       const Desired& desired, bool image);

/// True when `transaction` was recorded on another machine than the one with this machine-id. A
/// machine without an id yet (an image before its first boot) is not another one.
bool from_another_machine(const Transaction& transaction, const std::string& machine_id);

/// What stands in the journal right now.
struct JournalStatus {
  enum class Kind { none, open, awaiting_confirm, committed, corrupt };
  Kind kind = Kind::none;
  Transaction transaction;
  /// What is wrong, and where: for corrupt, and where a last record does not count.
  std::string text;
  Transaction readable;  ///< what decode_readable() finds in those bytes
};

/// What is owed to devices, as far as it is known.
struct KnownDebts {
  Debts debts;
  /// Why the latest list cannot be read; `debts` is an earlier one then. "" where it can.
  std::string unreadable;
};

struct Hold {
  std::string who;
  std::int64_t since_s = 0;  ///< CLOCK_REALTIME
  std::string why;
};

/// A committed generation that cannot be read.
struct Unreadable {
  std::uint64_t number = 0;
  std::string why;  ///< with its path, and what to do
};

/// What is applied.
struct Applied {
  /// The newest committed generation that can be read; nothing where there is none.
  std::optional<Transaction> newest;
  /// Those above it, newest first. While there are any, nobody knows what is applied.
  std::vector<Unreadable> unreadable;
};

/// How many transactions are kept where the site file says nothing.
inline constexpr std::size_t kKeptTransactions = 100;

/// The state directory: journal, generations, blobs and hold. What only looks never changes
/// anything in it; the functions at the end write, and need the lock.
class State {
 public:
  State(Disk& disk, std::string directory);

  const std::string& directory() const { return directory_; }

  /// Refuses a directory or file that somebody else than root could have written.
  Result<> check_trust();
  Result<JournalStatus> journal();
  /// Numbers of committed generations, ascending.
  Result<std::vector<std::uint64_t>> numbers();
  /// Numbers of all finished transactions, aborted and given up ones too, ascending.
  Result<std::vector<std::uint64_t>> history_numbers();
  Result<Transaction> generation(std::uint64_t number);
  /// The highest committed one; nothing on a node that was never applied. An error where it cannot
  /// be read, whatever else can.
  Result<std::optional<Transaction>> active();
  /// The same, and where it cannot be read, what can.
  Result<Applied> applied();
  /// Another text once a transaction has begun, gone on or ended; reads no file.
  Result<std::string> stamp();
  /// Every transaction that is finished, aborted and damaged ones too, ascending.
  Result<std::vector<Transaction>> history();
  /// What is owed to devices: the list of the transaction that ended last, an aborted one too. What
  /// lived until the reboot since then is not in it.
  /// `active` is the active generation where it has been read already, else null.
  Result<KnownDebts> debts(const std::string& boot_id, const Transaction* active = nullptr);
  Result<std::string> blob(const std::string& sha256_hex);

  /// A person debugs: timers and udev leave this node alone until release.
  Result<std::optional<Hold>> hold();
  Result<> set_hold(const Hold& hold);
  Result<> release_hold();
  /// Removes what is older than the last `keep` finished transactions and no undo needs (design,
  /// section 7), then the file contents that nothing names any more.
  Result<> prune(std::size_t keep);
  /// Gives up a committed generation that cannot be read: renames it, durably. Returns its new
  /// path.
  Result<std::string> give_up(std::uint64_t number);
  /// Moves journal and generations of another machine into a directory of their own; returns its
  /// path.
  Result<std::string> set_aside(const std::string& label);

 private:
  Disk& disk_;
  std::string directory_;
};

}  // namespace nettune
