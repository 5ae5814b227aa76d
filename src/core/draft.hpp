// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "core/engine.hpp"
#include "core/plan.hpp"
#include "core/state.hpp"

namespace nettune {

/// The transaction that a plan becomes: what INTENT will say of it, and what is added while it
/// runs. Reads witnesses; writes nothing.
class Draft {
 public:
  /// All four outlive this.
  Draft(const Plan& plan, const Desired& desired, const Providers& providers,
        const Identity& identity);

  /// Everything that INTENT says. `active_boot` is the boot that the active generation was made in.
  void describe(const ApplyOptions& options, std::uint64_t number, const std::string& active_boot);
  /// A setting that exists only since another was written, with what will move along with it.
  void add_late(const PlanItem& item, const Value& before);

  bool has(const Address& address) const { return record_at_.contains(address); }
  Record& record_of(const Address& address) { return transaction.records[record_at_.at(address)]; }

  Transaction transaction;
  /// What stands behind the digests of witnesses, by digest: an undo may have to put it back.
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
  /// What the plan itself writes: it has a record of its own, now or later. Everything else that
  /// moves along with a write is a witness, also what is right, ours, or left to somebody else: an
  /// undo has to know what it was.
  std::set<Address> planned_;
  std::map<Address, std::string> devices_;  ///< of all that is wanted or ours
  std::set<Address> touched_;               ///< what moves along with something that is written
  std::map<Address, std::size_t> record_at_;
};

}  // namespace nettune
