// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "core/state.hpp"

namespace nettune {

/// Payloads of journal records: one fact a line, fields between tabs, control characters escaped.
/// Lines of an unknown kind are an error: a newer nettune wrote them, and guessing is not ours.
std::string encode_intent(const Transaction& transaction);
std::string encode_late(const std::vector<Record>& records);
/// For COMMIT: what of the values that were read back is not as the records planned it, which
/// records were left out (they have no value), and what is owed then.
std::string encode_values(const std::vector<Record>& records,
                          const std::map<Address, Value>& values, const Debts& debts = {});
/// The same for APPLIED, with the time (CLOCK_BOOTTIME).
std::string encode_applied(const std::vector<Record>& records,
                           const std::map<Address, Value>& values, std::int64_t boottime_ms,
                           const Debts& debts = {});
/// For ABORTED: why, and what is owed then.
std::string encode_reason(std::string_view reason, const Debts& debts = {});

/// A whole journal or generation file. Not an error: a torn last record behind INTENT. An error:
/// no good INTENT, damage in the middle, or records that make no sense.
Result<Transaction> decode_transaction(std::string_view bytes);
/// What can still be read in damaged bytes of such a file: who did what, the records and what is
/// owned. Each of
/// it may be damaged itself: it is for people, and nothing is done by it.
Transaction decode_readable(std::string_view bytes);

/// What is ours once `values` have been read back: the committed map of a transaction.
void commit_values(Transaction& transaction, const std::map<Address, Value>& values);

}  // namespace nettune
