// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/provider.hpp"
#include "core/state.hpp"

namespace nettune::inline core {

enum class Outcome {
  unchanged,    ///< nothing to write
  committed,    ///< written, read back and recorded
  waiting,      ///< applied; reverted at the deadline unless confirmed
  refused,      ///< refused by a guard, a permission or the plan; nothing was changed
  failed,       ///< did not start; nothing was changed
  rolled_back,  ///< a write failed; everything is as before, except for debts
  incomplete,   ///< neither the old nor the new state: needs recover
  abandoned,    ///< a damaged journal was set aside; its changes are unknown
};

/// The result for one value, for the report.
struct Step {
  Address address;
  Value before;
  Value wanted;
  Value now;
  std::string text;  ///< the value read back, if it is not the wanted one
};

struct Report {
  Outcome outcome = Outcome::failed;
  std::uint64_t generation = 0;  ///< 0: no generation was made
  std::vector<Step> written;
  std::vector<Step> restored;
  std::vector<Step> not_restored;
  std::vector<Step> left;      ///< changed by somebody else since, so not restored
  Debts debts;                 ///< still owed to devices that were away or refused
  std::optional<Error> error;  ///< the first failure
  std::vector<std::string> notes;
  std::string reason = {};  ///< recover: why the unfinished transaction was undone
};

struct ApplyOptions {
  std::string action = "apply";
  /// CLOCK_BOOTTIME of the automatic revert unless confirmed. 0: no confirm window.
  std::int64_t confirm_deadline_s = 0;
  bool temporary = false;  ///< ends at the deadline and cannot be confirmed
  bool image = false;      ///< as Transaction::image
  /// The present CLOCK_BOOTTIME, for APPLIED.
  std::function<std::int64_t()> boottime_ms = [] { return std::int64_t{0}; };
  std::string device_token;
  /// Called before every unit; true undoes everything done so far (SIGINT, SIGTERM).
  std::function<bool()> cancelled = [] { return false; };
  /// The present address of a setting whose device the plan found under another name; asked before
  /// every unit, and for an undo.
  std::function<std::optional<Address>(const Address&, const std::string& device)> locate =
      [](const Address& address, const std::string&) { return std::optional<Address>(address); };
};

struct RecoverOptions {
  /// The present address of a setting on a device; nothing if the device is gone.
  std::function<std::optional<Address>(const Address&, const std::string& device)> locate =
      [](const Address& address, const std::string&) { return std::optional<Address>(address); };
  bool abandon = false;  ///< archive what cannot be undone, with a list; forget debts
  bool expire_window =
      false;  ///< revert a transaction that is waiting for confirmation, before its deadline too
  std::string why = {};  ///< with expire_window: who or what ended it, for the history
};

struct StatePaths;

/// Runs transactions by the commit protocol of docs/design.md, section 7. The caller holds the
/// lock. Never prints. Every write to the system goes through a provider, every write to the state
/// directory through the disk.
class Engine {
 public:
  /// `keep` is how many transactions are kept. An error means that the site file cannot be read;
  /// then nothing is removed.
  Engine(Disk& disk, State& state, const Providers& providers, Identity identity,
         Result<std::size_t> keep = kKeptTransactions);

  /// Carries out a plan that make_plan() has just made from the same input. The caller has checked
  /// that no journal is open. `desired` becomes the settings of the new generation.
  Report apply(const Plan& plan, const Desired& desired, const ApplyOptions& options);

  /// Keeps the change that waits in its confirm window.
  Report confirm();

  /// Brings an unfinished transaction to its old or new state. Returns unchanged if there is none.
  Report recover(const RecoverOptions& options);

  /// Forgets every debt, durably: the devices keep their present values.
  Report forget_debts();

  /// Reports what can still be read of a damaged active generation. With `abandon` it is given up,
  /// and the newest readable one becomes active. Returns unchanged if nothing is damaged.
  Report recover_active(bool abandon);

  /// The desired state of `--to number` (0: the baseline), for make_plan().
  Result<Desired> target(std::uint64_t number);

 private:
  Report bring_to_end(const RecoverOptions& options);
  /// Removes old transactions after one has ended. A failure there is only a note.
  Report pruned(Report report);
  Report handle_corrupt(const StatePaths& paths, const JournalStatus& status,
                        const RecoverOptions& options);
  Report roll_forward(const StatePaths& paths, const Transaction& transaction,
                      const RecoverOptions& options);
  Report roll_back(const StatePaths& paths, const JournalStatus& status, bool same_boot,
                   const RecoverOptions& options);

  Disk& disk_;
  State& state_;
  const Providers& providers_;
  Identity identity_;
  Result<std::size_t> keep_;
};

}  // namespace nettune::inline core
