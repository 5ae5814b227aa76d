// SPDX-License-Identifier: Apache-2.0
#include "core/transaction_codec.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "core/committed.hpp"
#include "core/frames.hpp"
#include "core/journal_lines.hpp"
#include "core/transaction_lines.hpp"

namespace nettune::inline core {

namespace {

/// Behind the token of the devices, so that a nettune without names of devices takes both for a
/// token, which matches none, and looks at the devices.
constexpr std::string_view kNames = " names sha256:";

void read_devices(Transaction& transaction, const std::string& text) {
  const auto end = text.find(kNames);
  transaction.device_token = text.substr(0, end);
  if (end != std::string::npos) transaction.names = text.substr(end + kNames.size());
}

/// Reads one line of an INTENT record; false if it is not understood.
bool read_intent_line(Transaction& transaction, LineReader& fields) {
  const std::string_view key = fields.word();
  Identity& identity = transaction.identity;
  // The most frequent kinds come first.
  if (key == "setting") {
    transaction.settings.push_back(read_setting(fields));
  } else if (key == "record") {
    transaction.records.push_back(read_record(fields));
  } else if (key == "owned") {
    Owned owned = read_owned(fields);
    Address address = owned.address;
    transaction.owned.insert_or_assign(std::move(address), std::move(owned));
  } else if (key == "member") {
    Member member;
    member.set = fields.text();
    member.name = fields.text();
    member.device = fields.text();
    transaction.members.push_back(std::move(member));
  } else if (key == "variable") {
    transaction.variables.push_back(read_variable(fields));
  } else if (key == "admit") {
    transaction.admissions.push_back(read_admission(fields));
  } else if (key == "source") {
    Source source;
    source.path = fields.text();
    source.digest = fields.text();
    source.size = static_cast<std::uint64_t>(fields.number());
    source.mtime_ns = fields.number();
    transaction.sources.push_back(std::move(source));
  } else if (key == "var") {
    std::string name = fields.text();
    transaction.vars[std::move(name)] = fields.text();
  } else if (key == "writer") {
    transaction.writer = fields.text();
  } else if (key == "format") {
    return fields.number() == 2 && fields.complete();
  } else if (key == "id") {
    transaction.id = fields.text();
  } else if (key == "number") {
    transaction.number = static_cast<std::uint64_t>(fields.number());
  } else if (key == "action") {
    transaction.action = fields.text();
  } else if (key == "machine") {
    identity.machine_id = fields.text();
  } else if (key == "boot") {
    identity.boot_id = fields.text();
  } else if (key == "kernel") {
    identity.kernel = fields.text();
  } else if (key == "who") {
    identity.who = fields.text();
  } else if (key == "time") {
    identity.time_s = fields.number();
  } else if (key == "boottime") {
    identity.boottime_s = fields.number();
  } else if (key == "profile") {
    transaction.profile = fields.text();
  } else if (key == "confirm") {
    transaction.confirm_deadline_s = fields.number();
    transaction.temporary = fields.flag();
  } else if (key == "image") {
    transaction.image = fields.flag();
  } else if (key == "found") {
    Owned found = read_found(fields);
    Address address = found.address;
    transaction.found.insert_or_assign(std::move(address), std::move(found));
  } else if (key == "late") {
    transaction.late.push_back(Address{fields.text()});
  } else if (key == "devices") {
    read_devices(transaction, fields.text());
  } else {
    return false;
  }
  return fields.complete();
}

Result<> for_each_line(std::string_view payload, auto&& take) {
  for (int number = 1; !payload.empty(); ++number) {
    const auto end = payload.find('\n');
    const std::string_view line = payload.substr(0, end);
    payload.remove_prefix(end == std::string_view::npos ? payload.size() : end + 1);
    if (line.empty()) continue;
    LineReader fields(line);
    if (!take(fields))
      return fail(Errc::unsupported, cat("line ", number, " is not understood: \"",
                                         printable(line.substr(0, 60)), "\""));
  }
  return {};
}

struct ValuesRead {
  std::map<Address, Value> values;
  std::map<Address, Refusal> refused;
  Debts debts;
  std::int64_t boottime_ms = 0;  ///< from APPLIED
};

Result<ValuesRead> read_values(std::string_view payload, const Transaction& transaction) {
  ValuesRead read;
  for (const Record& record : transaction.records)
    read.values.insert_or_assign(record.address, record.after);
  std::map<Address, Value> given;
  TRY(for_each_line(payload, [&](LineReader& fields) {
    const std::string_view key = fields.word();
    if (key == "boottime_ms") {
      read.boottime_ms = fields.number();
      return fields.complete();
    }
    if (key == "debt") {
      read_debt(read.debts, fields);
      return fields.complete();
    }
    if (key != "value" && key != "without") return false;
    Address address{fields.text()};
    if (key == "value") {
      Value value = fields.value();
      given.insert_or_assign(address, value);
      read.values.insert_or_assign(std::move(address), std::move(value));
      return fields.complete();
    }
    read.values.erase(address);
    if (const auto text = given.find(address); text != given.end())
      parse_refusal(text->second.value_or(""), read.refused[address]);
    return fields.complete();
  }));
  // Its setting has the rest of a refusal.
  if (read.refused.empty()) return read;
  for (const Setting& setting : transaction.settings) {
    const auto found = read.refused.find(setting.address);
    if (found == read.refused.end()) continue;
    found->second.device = setting.device;
    found->second.want = setting.want;
  }
  return read;
}

Result<> take_frame(Transaction& transaction, const Frame& frame) {
  if (frame.type == "INTENT")
    return for_each_line(frame.payload,
                         [&](LineReader& fields) { return read_intent_line(transaction, fields); });
  if (frame.type == "LATE")
    return for_each_line(frame.payload, [&](LineReader& fields) {
      if (fields.text() != "record") return false;
      transaction.records.push_back(read_record(fields));
      return fields.complete();
    });
  if (frame.type == "UNPLACED" && transaction.committed) {
    transaction.unplaced.clear();  // the last one wins: somebody tried again
    return for_each_line(frame.payload, [&](LineReader& fields) {
      if (fields.word() != "unplaced") return false;
      Address address{fields.text()};
      transaction.unplaced[std::move(address)] = fields.text();
      return fields.complete();
    });
  }
  if (transaction.committed || transaction.aborted) return {};  // the first terminal record wins
  if (frame.type == "APPLIED") {
    transaction.applied = true;
    TRY_ASSIGN(ValuesRead read, read_values(frame.payload, transaction));
    transaction.debts = std::move(read.debts);
    transaction.refused = std::move(read.refused);
    transaction.applied_values = std::move(read.values);
    transaction.applied_ms = read.boottime_ms;
    return {};
  }
  if (frame.type == "COMMIT") {
    transaction.committed = true;
    TRY_ASSIGN(ValuesRead read, read_values(frame.payload, transaction));
    transaction.debts = std::move(read.debts);
    transaction.refused = std::move(read.refused);
    commit_values(transaction, read.values);
    return {};
  }
  if (frame.type == "ABORTED") {
    const auto end = frame.payload.find('\n');
    transaction.reason = unescape_field(trim(frame.payload.substr(0, end)));
    transaction.aborted = true;
    transaction.debts.clear();
    if (end == std::string_view::npos) return {};
    return for_each_line(frame.payload.substr(end), [&](LineReader& fields) {
      if (fields.word() != "debt") return false;
      read_debt(transaction.debts, fields);
      return fields.complete();
    });
  }
  return fail(Errc::unsupported, cat("a record of unknown type \"", printable(frame.type), "\""));
}

}  // namespace

std::string writer_text(const Transaction& transaction) {
  if (transaction.writer.empty()) return "; a newer nettune may have written it";
  return cat("; nettune ", printable(transaction.writer), " wrote it, and this is ",
             NETTUNE_VERSION, ": install that version, or see docs/emergency.md");
}

std::string encode_intent(const Transaction& transaction) {
  const Identity& identity = transaction.identity;
  LineWriter out;
  // It comes first: whoever does not understand the rest can say who does.
  out.line("writer", NETTUNE_VERSION);
  out.line("format", 2);
  out.line("id", transaction.id);
  out.line("number", transaction.number);
  out.line("action", transaction.action);
  out.line("machine", identity.machine_id);
  out.line("boot", identity.boot_id);
  out.line("kernel", identity.kernel);
  out.line("who", identity.who);
  out.line("time", identity.time_s);
  out.line("boottime", identity.boottime_s);
  out.line("profile", transaction.profile);
  out.line("confirm", transaction.confirm_deadline_s, int{transaction.temporary});
  if (transaction.image) out.line("image", 1);
  out.line("devices", transaction.names.empty()
                          ? transaction.device_token
                          : cat(transaction.device_token, kNames, transaction.names));
  for (const auto& [name, value] : transaction.vars) out.line("var", name, value);
  for (const Source& source : transaction.sources)
    out.line("source", source.path, source.digest, source.size, source.mtime_ns);
  for (const Setting& setting : transaction.settings) write_setting(out, setting);
  for (const Admission& admission : transaction.admissions) write_admission(out, admission);
  for (const Member& member : transaction.members)
    out.line("member", member.set, member.name, member.device);
  for (const JobVariable& variable : transaction.variables) write_variable(out, variable);
  for (const Record& record : transaction.records) write_record(out, record);
  for (const auto& [address, found] : transaction.found) write_found(out, address, found);
  for (const Address& address : transaction.late) out.line("late", address.text);
  for (const auto& [address, owned] : transaction.owned) write_owned(out, owned);
  return out.take();
}

std::string encode_late(const std::vector<Record>& records) {
  LineWriter out;
  for (const Record& record : records) write_record(out, record);
  return out.take();
}

std::string encode_values(const std::vector<Record>& records,
                          const std::map<Address, Value>& values, const Debts& debts,
                          const std::map<Address, Refusal>& refused) {
  LineWriter out;
  // A value that is taken out again: readers that know no refusals forget it. It comes first, since
  // what was refused once may have moved with another write.
  for (const auto& [address, refusal] : refused) {
    out.line("value", address.text, value_field(refusal_text(refusal)));
    out.line("without", address.text);
  }
  for (const Record& record : records) {
    const auto value = values.find(record.address);
    const bool is_refused = refused.contains(record.address);
    if (value == values.end() && !is_refused)
      out.line("without", record.address.text);
    else if (value != values.end() && (is_refused || value->second != record.after))
      out.line("value", record.address.text, value_field(value->second));
  }
  write_debts(out, debts);
  return out.take();
}

std::string encode_applied(const std::vector<Record>& records,
                           const std::map<Address, Value>& values, std::int64_t boottime_ms,
                           const Debts& debts, const std::map<Address, Refusal>& refused) {
  LineWriter out;
  out.line("boottime_ms", boottime_ms);
  return out.take() + encode_values(records, values, debts, refused);
}

std::string encode_unplaced(const std::map<Address, std::string>& unplaced) {
  LineWriter out;
  for (const auto& [address, why] : unplaced) out.line("unplaced", address.text, why);
  return out.take();
}

std::string encode_reason(std::string_view reason, const Debts& debts) {
  std::string out;
  escape_field(out, reason);
  LineWriter lines;
  write_debts(lines, debts);
  return cat(out, "\n", lines.take());
}

Result<Transaction> decode_transaction(std::string_view bytes) {
  const Frames frames = decode_frames(bytes);
  if (frames.corrupt) return fail(Errc::corrupt, *frames.corrupt);
  if (bytes.empty()) return fail(Errc::corrupt, "it is empty");
  if (frames.frames.empty())
    return fail(Errc::corrupt, "its first record is damaged or cut off, and no intact one follows");
  if (frames.frames.front().type != "INTENT")
    return fail(Errc::corrupt, cat("it begins with ", printable(frames.frames.front().type),
                                   " instead of INTENT"));
  Transaction transaction;
  for (const Frame& frame : frames.frames) {
    auto taken = take_frame(transaction, frame);
    if (!taken) return fail(taken.error().code, cat(taken.error().text, writer_text(transaction)));
  }
  leave_unplaced(transaction);
  transaction.size = frames.size;
  transaction.next_sequence = frames.frames.size();
  return transaction;
}

Transaction decode_readable(std::string_view bytes) {
  Transaction readable;
  for (const std::string_view line : split(bytes, '\n')) {
    Transaction one;
    LineReader fields(line);
    if (!read_intent_line(one, fields)) continue;
    if (one.number != 0) readable.number = one.number;
    if (!one.action.empty()) readable.action = one.action;
    if (!one.profile.empty()) readable.profile = one.profile;
    if (!one.identity.who.empty()) readable.identity.who = one.identity.who;
    if (one.identity.time_s != 0) readable.identity.time_s = one.identity.time_s;
    std::ranges::move(one.records, std::back_inserter(readable.records));
    readable.owned.merge(one.owned);
  }
  return readable;
}

}  // namespace nettune::inline core
