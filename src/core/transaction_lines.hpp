// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/journal_lines.hpp"
#include "core/state.hpp"

/// The parts of a transaction, each as one line of a journal record.
namespace nettune::inline core {

void write_record(LineWriter& out, const Record& record);
Record read_record(LineReader& fields);
void write_setting(LineWriter& out, const Setting& setting);
Setting read_setting(LineReader& fields);
void write_variable(LineWriter& out, const JobVariable& variable);
JobVariable read_variable(LineReader& fields);
void write_admission(LineWriter& out, const Admission& admission);
Admission read_admission(LineReader& fields);
void write_owned(LineWriter& out, const Owned& owned);
Owned read_owned(LineReader& fields);
/// Of Transaction::found.
void write_found(LineWriter& out, const Address& address, const Owned& found);
Owned read_found(LineReader& fields);
/// Consecutive debts often have the same reason: it is written once.
void write_debts(LineWriter& out, const Debts& debts);
void read_debt(Debts& debts, LineReader& fields);

}  // namespace nettune::inline core
