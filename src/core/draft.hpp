// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "core/engine.hpp"
#include "core/plan.hpp"
#include "core/state.hpp"

namespace nettune::inline core {

/// The transaction that a plan becomes: the contents of INTENT, and what is added while it runs.
/// Reads side effects; writes nothing.
class Draft {
 public:
  /// All four must outlive the draft.
  Draft(const Plan& plan, const Desired& desired, const Providers& providers,
        const Identity& identity);

  /// Fills in all of INTENT. `active_boot` is the boot in which the active generation was made.
  void describe(const ApplyOptions& options, std::uint64_t number, const std::string& active_boot);
  /// Adds a setting that exists only since another write, with its side effects.
  void add_late(const PlanItem& item, const Value& before);

  bool has(const Address& address) const { return record_at_.contains(address); }
  Record& record_of(const Address& address) { return transaction.records[record_at_.at(address)]; }

  Transaction transaction;
  /// Contents behind the digests of side effects, by digest: an undo may need them.
  std::map<std::string, std::string> contents;

 private:
  void carry_over(const std::string& active_boot);
  void remember_found(const std::string& active_boot);
  void describe_records();
  Record& add_record(const PlanItem& item, Value before, Value after);
  Record& add(Record record);
  void add_witnesses(const PlanItem& item);

  const Plan& plan_;
  const Desired& desired_;
  const Providers& providers_;
  std::set<Address> wanted_;
  /// The settings that the plan itself writes, now or later; each has its own record. Everything
  /// else that a write changes is a side effect, even if it is right, managed, or left to somebody
  /// else: an undo must know its old value.
  std::set<Address> planned_;
  std::map<Address, std::string> devices_;  ///< of all wanted or managed settings
  std::set<Address> touched_;               ///< settings that a write also changes
  std::map<Address, std::size_t> record_at_;
};

}  // namespace nettune::inline core
