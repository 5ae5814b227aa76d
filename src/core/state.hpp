// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.hpp"
#include "core/plan.hpp"

namespace nettune::inline core {

/// The machine, boot and person that a record belongs to.
struct Identity {
  std::string machine_id;
  std::string boot_id;
  std::string kernel;
  std::string who;              ///< "root", "alice (sudo)"
  std::int64_t time_s = 0;      ///< CLOCK_REALTIME, for people
  std::int64_t boottime_s = 0;  ///< CLOCK_BOOTTIME, for deadlines
};

/// One value that a transaction changes, itself or as a side effect.
struct Record {
  Address address;
  std::string device;
  Value before;
  Value after;
  Undo undo = Undo::exact;
  Lifetime lifetime = Lifetime::runtime;
  Address cause;        ///< for a side effect: the setting that causes it; else empty
  bool late = false;    ///< readable only after another setting was written
  bool settle = false;  ///< may have changed along already: written only if it is not right
  bool nearest = false;
  bool staged = false;  ///< prepared beside its target, placed after the commit point
  std::string unit;
};

/// A transaction, as recorded in the journal. A committed one is a generation.
struct Transaction {
  std::string id;      ///< 16 hex digits
  std::string writer;  ///< the version of nettune that began it; "" before 0.1.0
  std::uint64_t number = 0;
  std::string action;  ///< "apply", "rollback"
  Identity identity;
  std::string profile;  ///< "" for the baseline
  std::map<std::string, std::string> vars;
  std::vector<Source> sources;
  std::vector<Setting> settings;       ///< all settings that hold while this is active
  std::vector<Member> members;         ///< the devices that the profile was applied to
  std::vector<JobVariable> variables;  ///< variables for jobs
  std::vector<Admission> admissions;   ///< required traffic
  std::vector<Record> records;         ///< in the order of writes
  std::vector<Address> late;           ///< exist only after another write; recorded by LATE
  std::map<Address, Owned> owned;      ///< after this transaction
  /// Settings that were right when first wanted and not written since, so they are not managed. If
  /// one must be written later, this is its baseline, not a value that somebody set meanwhile.
  std::map<Address, Owned> found;
  /// Optional settings whose value the kernel refused: from APPLIED or COMMIT.
  std::map<Address, Refusal> refused;
  std::int64_t confirm_deadline_s = 0;  ///< CLOCK_BOOTTIME; 0: no confirm window
  bool temporary = false;               ///< ends at the deadline; cannot be confirmed
  bool image = false;        ///< made in an image: files only, the rest follows at first boot
  std::string device_token;  ///< of the links then present; "" if no setting names a device
  std::string names;         ///< as Desired::names
  bool applied = false;
  std::map<Address, Value> applied_values;  ///< values read back by APPLIED, for confirm
  Debts debts;  ///< all debts at the end: from APPLIED, COMMIT or ABORTED
  /// Staged records that could not be placed after COMMIT, and why: from UNPLACED. They are in
  /// `debts` too.
  std::map<Address, std::string> unplaced;
  std::int64_t applied_ms = 0;  ///< CLOCK_BOOTTIME of APPLIED
  bool committed = false;
  bool aborted = false;
  bool damaged = false;    ///< unreadable file: only `number` and `reason` are known
  std::string reason;      ///< why it was aborted
  std::uint64_t size = 0;  ///< bytes of valid records in its file
  std::uint64_t next_sequence = 0;
};

/// What a generation wants, as its profile was resolved then.
Desired desired_of(const Transaction& generation);

/// What the kernel refused in this boot, under today's names: `locate` has the present address of a
/// setting on a device, or nothing if the device is gone.
std::map<Address, Refusal> refused_in_boot(
    const Transaction& active, const std::string& boot_id,
    const std::function<std::optional<Address>(const Address&, const std::string& device)>& locate);

/// The action of a transaction that applies the active generation again.
inline constexpr std::string_view kReapply = "reapply";
/// Why a transaction was undone: it was not confirmed in time; it was temporary (apply --for) and
/// expired; or somebody, or a reboot, ended it early.
inline constexpr std::string_view kNotConfirmed = "not confirmed; reverted";
inline constexpr std::string_view kExpired = "expired as requested";
inline constexpr std::string_view kEnded = "ended before its time, as requested";
inline constexpr std::string_view kEndedByReboot = "ended by a reboot";
/// The action of a transaction that only pays debts.
inline constexpr std::string_view kPay = "pay debts";

std::string transaction_id(const Identity& identity, std::uint64_t number);

/// True if `active` already says everything that `plan` says, so recording it would add nothing. A
/// record in an image (`image`) says more than its files: the rest is still to follow.
bool nothing_to_record(const std::optional<Transaction>& active, const Plan& plan,
                       const Desired& desired, bool image);

/// True if `transaction` was recorded on a machine with another machine-id. A machine without an id
/// yet (an image before its first boot) does not count as another one.
bool from_another_machine(const Transaction& transaction, const std::string& machine_id);

/// Whether a kind of settings is one of this program's.
using KnowsKind = bool (*)(std::string_view kind);

/// The present content of the journal.
struct JournalStatus {
  enum class Kind { none, open, awaiting_confirm, committed, corrupt };
  Kind kind = Kind::none;
  Transaction transaction;
  /// The damage and its place: for corrupt, and for a last record that does not count.
  std::string text;
  /// Corrupt, but intact: another nettune wrote what this one does not know.
  bool other_version = false;
  Transaction readable;  ///< the result of decode_readable() for those bytes
};

/// The known debts of devices.
struct KnownDebts {
  Debts debts;
  /// Why the latest list cannot be read; then `debts` is an earlier one. "" if it can.
  std::string unreadable;
};

struct Hold {
  std::string who;
  std::int64_t since_s = 0;  ///< CLOCK_REALTIME
  std::string why;
  std::int64_t until_s = 0;  ///< CLOCK_REALTIME; 0 until it is released
  bool operator==(const Hold&) const = default;
};
/// Its time has passed: it keeps nobody away any more.
inline bool is_over(const Hold& hold, std::int64_t now_s) {
  return hold.until_s > 0 && hold.until_s <= now_s;
}

/// A committed generation that cannot be read.
struct Unreadable {
  std::uint64_t number = 0;
  std::string why;             ///< with the path and the remedy
  bool other_version = false;  ///< as JournalStatus
};

/// What is applied.
struct Applied {
  /// The newest readable committed generation; nothing if there is none.
  std::optional<Transaction> newest;
  /// Unreadable ones above it, newest first. If there are any, the applied state is unknown.
  std::vector<Unreadable> unreadable;
};

/// How many transactions are kept if the site file does not say.
inline constexpr std::size_t kKeptTransactions = 100;

/// The state directory: journal, generations, blobs and hold. Reading never changes it; the
/// functions at the end write, and need the lock.
class State {
 public:
  /// `known`: which kinds of settings this program has; null: all of them. What another one wrote
  /// about others is not read in part: then nothing of it is known, and nothing is changed.
  State(Disk& disk, std::string directory, KnowsKind known = nullptr);

  const std::string& directory() const { return directory_; }
  KnowsKind knows() const { return knows_; }

  /// Refuses a directory or file that somebody other than root could have written.
  Result<> check_trust();
  Result<JournalStatus> journal();
  /// Numbers of committed generations, ascending.
  Result<std::vector<std::uint64_t>> numbers();
  /// Numbers of all finished transactions, ascending; aborted and given-up ones included.
  Result<std::vector<std::uint64_t>> history_numbers();
  Result<Transaction> generation(std::uint64_t number);
  /// The highest committed generation; nothing on a node without one. An error if it cannot be
  /// read, even if others can.
  Result<std::optional<Transaction>> active();
  /// The same; if it cannot be read, what can be read instead.
  Result<Applied> applied();
  /// Changes whenever a transaction begins, continues or ends. Reads no file.
  Result<std::string> stamp();
  /// All finished transactions, ascending; aborted and damaged ones included.
  Result<std::vector<Transaction>> history();
  /// The debts listed by the last finished transaction, also an aborted one, without runtime values
  /// of an earlier boot. `active` is the active generation if it was read already, else null.
  Result<KnownDebts> debts(const std::string& boot_id, const Transaction* active = nullptr);
  Result<std::string> blob(const std::string& sha256_hex);

  /// A person debugs: timers and udev leave this node alone until release.
  /// Also one whose time has passed.
  Result<std::optional<Hold>> hold();
  Result<> set_hold(const Hold& hold);
  Result<> release_hold();
  /// Removes transactions that are older than the last `keep` and needed by no undo (design,
  /// section 7), then the file contents that nothing refers to.
  Result<> prune(std::size_t keep);
  /// Gives up an unreadable committed generation: renames it, durably. Returns its new path.
  Result<std::string> give_up(std::uint64_t number);
  /// Moves journal and generations of another machine to their own directory. Returns its path.
  Result<std::string> set_aside(const std::string& label);

 private:
  Disk& disk_;
  std::string directory_;
  KnowsKind knows_;
};

}  // namespace nettune::inline core
