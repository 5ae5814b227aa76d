// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/provider.hpp"
#include "core/state.hpp"

namespace nettune {

enum class Outcome {
  unchanged,    ///< nothing had to be written
  committed,    ///< done, read back, remembered
  waiting,      ///< applied; undone at the deadline unless confirmed
  refused,      ///< a guard, a permission or the plan itself said no; nothing was changed
  failed,       ///< could not start; nothing was changed
  rolled_back,  ///< a write failed; everything is as it was, but for debts
  incomplete,   ///< neither: needs recover
  abandoned,    ///< a damaged journal was set aside; what it had changed is not known
};

/// What became of one value, for the report.
struct Step {
  Address address;
  Value before;
  Value wanted;
  Value now;
  std::string text;  ///< what came back, when it is not what was wanted
};

struct Report {
  Outcome outcome = Outcome::failed;
  std::uint64_t generation = 0;  ///< 0: none was made
  std::vector<Step> written;
  std::vector<Step> restored;
  std::vector<Step> not_restored;
  std::vector<Step> left;      ///< changed by somebody else since, and therefore not given back
  Debts debts;                 ///< what is owed now to devices that were away or refused
  std::optional<Error> error;  ///< the first failure
  std::vector<std::string> notes;
  std::string reason = {};  ///< recover: why what was unfinished was undone
};

struct ApplyOptions {
  std::string action = "apply";
  /// CLOCK_BOOTTIME; undone then unless confirmed. 0: no window.
  std::int64_t confirm_deadline_s = 0;
  bool temporary = false;  ///< it is to end at the deadline, and is not confirmed
  bool image = false;      ///< as Transaction::image
  /// What CLOCK_BOOTTIME says now, for APPLIED.
  std::function<std::int64_t()> boottime_ms = [] { return std::int64_t{0}; };
  std::string device_token;
  /// Asked before every unit; true undoes what was done so far (SIGINT, SIGTERM).
  std::function<bool()> cancelled = [] { return false; };
};

struct RecoverOptions {
  /// Where a device-bound address is now; nothing when the device is gone.
  std::function<std::optional<Address>(const Address&, const std::string& device)> locate =
      [](const Address& address, const std::string&) { return std::optional<Address>(address); };
  bool abandon = false;        ///< archive what cannot be undone, with a list; forget debts
  bool expire_window = false;  ///< take back what waits to be confirmed, whatever its deadline
};

struct StatePaths;

/// Runs transactions: the commit protocol of docs/design.md, section 7. The caller holds the lock.
/// Never prints. Every write to the system goes through a provider, every write to the state
/// directory through the disk.
class Engine {
 public:
  /// `keep`: how many transactions are kept; an error: what the site says of it cannot be read, and
  /// so nothing is removed.
  Engine(Disk& disk, State& state, const Providers& providers, Identity identity,
         Result<std::size_t> keep = kKeptTransactions);

  /// Carries out a plan made a moment ago by make_plan() from the same input. The caller has seen
  /// to it that no journal is open. `desired` becomes the settings of the new generation.
  Report apply(const Plan& plan, const Desired& desired, const ApplyOptions& options);

  /// Keeps what waits in its confirm window.
  Report confirm();

  /// Brings an unfinished transaction to its old or its new state. unchanged when there was none.
  Report recover(const RecoverOptions& options);

  /// Forgets every debt, durably: the devices keep what they have.
  Report forget_debts();

  /// Where the active generation cannot be read: says what still can be read of it. With `abandon`
  /// it is given up, and the newest one that can be read is active. unchanged where nothing is
  /// damaged.
  Report recover_active(bool abandon);

  /// What `--to number` (0: the baseline) would have to hold, as the desired state for make_plan().
  Result<Desired> target(std::uint64_t number);

 private:
  Report bring_to_end(const RecoverOptions& options);
  /// What is too old goes, once a transaction has ended. What fails there is a note.
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

}  // namespace nettune
