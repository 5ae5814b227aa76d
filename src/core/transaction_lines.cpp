// SPDX-License-Identifier: Apache-2.0
#include "core/transaction_lines.hpp"

namespace nettune::inline core {

namespace {

template <class Enum>
int number_of(Enum value) {
  return static_cast<int>(value);
}

}  // namespace

void write_record(LineWriter& out, const Record& record) {
  out.line("record", record.address.text, record.device, value_field(record.before),
           value_field(record.after), number_of(record.undo), number_of(record.lifetime),
           record.cause.text, int{record.late}, int{record.settle}, int{record.nearest},
           int{record.staged}, record.unit == record.address.text ? "" : record.unit);
}

Record read_record(LineReader& fields) {
  Record record;
  record.address.text = fields.text();
  record.device = fields.text();
  record.before = fields.value();
  record.after = fields.value();
  record.undo = fields.choice(Undo::none);
  record.lifetime = fields.choice(Lifetime::disk);
  record.cause.text = fields.text();
  record.late = fields.flag();
  record.settle = fields.flag();
  record.nearest = fields.flag();
  record.staged = fields.flag();
  record.unit = fields.text();
  if (record.unit.empty()) record.unit = record.address.text;
  return record;
}

void write_setting(LineWriter& out, const Setting& setting) {
  out.line("setting", setting.address.text, number_of(setting.relation), value_field(setting.want),
           int{setting.optional}, int{setting.nearest}, int{setting.same_on_all_nodes},
           setting.origin.file, setting.origin.line, setting.device);
}

Setting read_setting(LineReader& fields) {
  Setting setting;
  setting.address.text = fields.text();
  setting.relation = fields.choice(Relation::at_most);
  setting.want = fields.value();
  setting.optional = fields.flag();
  setting.nearest = fields.flag();
  setting.same_on_all_nodes = fields.flag();
  setting.origin.file = fields.text();
  setting.origin.line = static_cast<int>(fields.number());
  setting.device = fields.text();
  return setting;
}

void write_variable(LineWriter& out, const JobVariable& variable) {
  out.line("variable", variable.name, variable.value, int{variable.of_this_node},
           int{variable.same_on_all_nodes}, variable.origin.file, variable.origin.line);
}

JobVariable read_variable(LineReader& fields) {
  JobVariable variable;
  variable.name = fields.text();
  variable.value = fields.text();
  variable.of_this_node = fields.flag();
  variable.same_on_all_nodes = fields.flag();
  variable.origin.file = fields.text();
  variable.origin.line = static_cast<int>(fields.number());
  return variable;
}

void write_admission(LineWriter& out, const Admission& admission) {
  out.line("admit", admission.name, admission.opening, admission.origin.file,
           admission.origin.line);
}

Admission read_admission(LineReader& fields) {
  Admission admission;
  admission.name = fields.text();
  admission.opening = fields.text();
  admission.origin.file = fields.text();
  admission.origin.line = static_cast<int>(fields.number());
  return admission;
}

void write_owned(LineWriter& out, const Owned& owned) {
  out.line("owned", owned.address.text, owned.device, value_field(owned.baseline),
           value_field(owned.committed), value_field(owned.wanted), number_of(owned.lifetime),
           owned.cause.text);
}

Owned read_owned(LineReader& fields) {
  Owned owned;
  owned.address.text = fields.text();
  owned.device = fields.text();
  owned.baseline = fields.value();
  owned.committed = fields.value();
  owned.wanted = fields.value();
  owned.lifetime = fields.choice(Lifetime::disk);
  owned.cause.text = fields.text();
  return owned;
}

void write_found(LineWriter& out, const Address& address, const Owned& found) {
  out.line("found", address.text, found.device, value_field(found.baseline),
           number_of(found.lifetime));
}

Owned read_found(LineReader& fields) {
  Owned found;
  found.address.text = fields.text();
  found.device = fields.text();
  found.baseline = fields.value();
  found.lifetime = fields.choice(Lifetime::disk);
  return found;
}

void write_debts(LineWriter& out, const Debts& debts) {
  const std::string* last = nullptr;
  for (const Debt& debt : debts) {
    const Owned& owed = debt.owed;
    const bool again = last != nullptr && *last == debt.reason;
    out.line("debt", owed.address.text, owed.device, value_field(owed.baseline),
             value_field(owed.committed), value_field(owed.wanted), number_of(owed.lifetime),
             owed.cause.text, int{debt.to_set}, again ? std::string() : debt.reason);
    last = &debt.reason;
  }
}

void read_debt(Debts& debts, LineReader& fields) {
  Debt debt;
  debt.owed = read_owned(fields);
  debt.to_set = fields.flag();
  debt.reason = fields.text();
  if (debt.reason.empty() && !debts.empty()) debt.reason = debts.back().reason;
  debts.push_back(std::move(debt));
}

}  // namespace nettune::inline core
