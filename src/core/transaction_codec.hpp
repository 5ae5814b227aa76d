// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "core/state.hpp"

namespace nettune::inline core {

/// Payloads of journal records: one fact per line, fields separated by tabs, control characters
/// escaped. A line of an unknown kind is an error: a newer nettune wrote it, and we do not guess.
std::string encode_intent(const Transaction& transaction);
std::string encode_late(const std::vector<Record>& records);
/// COMMIT: the read-back values that differ from the planned ones, the records that were left out
/// (they have no value), the debts, and the values that the kernel refused, of whichever
/// transaction.
std::string encode_values(const std::vector<Record>& records,
                          const std::map<Address, Value>& values, const Debts& debts = {},
                          const std::map<Address, Refusal>& refused = {});
/// APPLIED: the same, with the time (CLOCK_BOOTTIME).
std::string encode_applied(const std::vector<Record>& records,
                           const std::map<Address, Value>& values, std::int64_t boottime_ms,
                           const Debts& debts = {}, const std::map<Address, Refusal>& refused = {});
/// UNPLACED: the staged records that could not be placed after COMMIT, and why.
std::string encode_unplaced(const std::map<Address, std::string>& unplaced);
/// ABORTED: the reason and the debts.
std::string encode_reason(std::string_view reason, const Debts& debts = {});

/// Which version wrote it, and what to do where this one does not understand it.
std::string writer_text(const Transaction& transaction);

/// Errc::unsupported: it is intact, and another version wrote it.
///
/// Decodes a whole journal or generation file. A torn last record after INTENT is not an error. No
/// good INTENT, damage in the middle, and inconsistent records are errors.
Result<Transaction> decode_transaction(std::string_view bytes);
/// What can still be read in the damaged bytes of such a file: who did what, the records, and the
/// managed settings. Each part may be damaged itself: it is only shown to people.
Transaction decode_readable(std::string_view bytes);

}  // namespace nettune::inline core
