// SPDX-License-Identifier: Apache-2.0
#include "core/transaction_codec.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "core/frames.hpp"

namespace nettune::inline core {
namespace {

Transaction sample() {
  Transaction transaction;
  transaction.id = "0123456789abcdef";
  transaction.number = 12;
  transaction.action = "apply";
  transaction.identity = {"machine", "boot", "6.1.0", "alice (sudo)", 1700000000, 42};
  transaction.profile = "tcp-fallback";
  transaction.vars = {{"rtt", "5"}};
  transaction.confirm_deadline_s = 99;
  transaction.temporary = true;
  transaction.image = true;
  transaction.sources = {{"/usr/share/x.toml", "ab", 12, 34}};
  Setting setting;
  setting.address.text = "live:a";
  setting.relation = Relation::at_least;
  setting.want = "tab\there, newline\nthere, back\\slash";
  setting.optional = true;
  setting.origin = {"x.toml", 7};
  setting.device = "pci 0000:01:00.0 port 0";
  transaction.settings = {setting};
  transaction.variables = {{"NCCL_IB_HCA", "=mlx5_0", true, false, {"x.toml", 9}},
                           {"NCCL_IB_TC", "tab\there", false, true, {"x.toml", 10}}};
  transaction.admissions = {
      {"fabric-tcp4", "accept tcp 1 from 10.0.0.0/8 in a\tb", {"x.toml", 11}}};
  Record record;
  record.address.text = "live:a";
  record.before = "";
  record.after = setting.want;
  record.undo = Undo::residue;
  record.lifetime = Lifetime::firmware;
  record.unit = "live:a";
  transaction.records = {record};
  record.address.text = "live:gone";
  record.before = std::nullopt;
  record.cause.text = "live:a";
  transaction.records.push_back(record);
  Owned found;
  found.address.text = "live:found";
  found.device = "pci 0000:01:00.0 port 0";
  found.baseline = "was\there";
  found.lifetime = Lifetime::disk;
  transaction.found = {{found.address, found}};
  transaction.late = {Address{"live:late"}};
  return transaction;
}

TEST(CoreTransactionCodec, DebtsAreInEachRecordThatMayBeTheLast) {
  const Transaction before = sample();
  Debts debts;
  for (const char* const key : {"mtu", "ring", "flag"}) {
    Debt debt;
    debt.owed = {Address{cat("live:card.", key)},
                 "card\t1",
                 "1",
                 std::nullopt,
                 "3",
                 Lifetime::firmware,
                 Address{"live:cause"}};
    debt.reason = debts.size() < 2 ? "it is\naway" : "it refuses";
    debt.to_set = debts.size() == 1;
    debts.push_back(debt);
  }
  const std::string intent = encode_frame("INTENT", 0, before.id, encode_intent(before));
  const auto last = [&](const char* type, const std::string& payload) {
    return intent + encode_frame(type, 1, before.id, payload);
  };
  for (const std::string& bytes : {last("COMMIT", encode_values(before.records, {}, debts)),
                                   last("APPLIED", encode_applied(before.records, {}, 5, debts)),
                                   last("ABORTED", encode_reason("because\nof that", debts))}) {
    const auto decoded = decode_transaction(bytes);
    ASSERT_TRUE(decoded) << decoded.error().text;
    EXPECT_EQ(decoded->debts, debts);
  }
  const std::string aborted = last("ABORTED", encode_reason("because\nof that", debts));
  EXPECT_EQ(decode_transaction(aborted)->reason, "because\nof that");
  EXPECT_EQ(decode_transaction(aborted)->debts, debts);
  EXPECT_EQ(decode_transaction(last("COMMIT", encode_values(before.records, {}, debts)))->debts,
            debts);
  // As it was written before there were debts.
  const auto old = decode_transaction(last("ABORTED", "because\n"));
  ASSERT_TRUE(old);
  EXPECT_EQ(old->reason, "because");
  EXPECT_TRUE(old->debts.empty());
}

TEST(CoreTransactionCodec, KeepsEverything) {
  const Transaction before = sample();
  const std::string bytes =
      encode_frame("INTENT", 0, before.id, encode_intent(before)) +
      encode_frame("COMMIT", 1, before.id,
                   encode_values(before.records, {{Address{"live:a"}, Value("x\ty")}}));
  const auto decoded = decode_transaction(bytes);
  ASSERT_TRUE(decoded) << decoded.error().text;
  const Transaction& after = *decoded;
  ASSERT_EQ(after.admissions.size(), 1U);
  EXPECT_EQ(after.admissions[0].name, "fabric-tcp4");
  EXPECT_EQ(after.admissions[0].opening, before.admissions[0].opening);
  EXPECT_EQ(after.admissions[0].origin.line, 11);
  EXPECT_EQ(encode_intent(after).substr(0, encode_intent(before).size()), encode_intent(before));
  EXPECT_TRUE(after.committed);
  EXPECT_EQ(after.records[0].before, Value(""));
  EXPECT_EQ(after.records[1].before, Value());
  EXPECT_EQ(after.settings[0].want, before.settings[0].want);
  EXPECT_EQ(after.owned.at(Address{"live:a"}).committed, "x\ty");
  EXPECT_EQ(after.owned.at(Address{"live:a"}).baseline, "");
}

TEST(CoreTransactionCodec, OlderReadersForgetARefusal) {
  Transaction before = sample();
  before.settings.push_back(before.settings.front());
  before.settings.back().address = Address{"live:refused"};
  before.settings.back().want = "bbr3";
  before.settings.back().device = "name eth0";
  Refusal refusal{"name eth0", Value("bbr3"), "no\tsuch\nvalue", true};
  const std::map<Address, Refusal> refused = {{Address{"live:refused"}, refusal}};
  const std::map<Address, Value> values = {{Address{"live:a"}, before.records[0].after}};
  const std::string payload = encode_values(before.records, values, {}, refused);
  // A value and at once that there is none: a reader of either line alone ends without it.
  EXPECT_NE(payload.find("value\tlive:refused\t=1 no\\tsuch\\nvalue\nwithout\tlive:refused\n"),
            std::string::npos)
      << payload;
  const std::string intent = encode_frame("INTENT", 0, before.id, encode_intent(before));
  for (const std::string& bytes :
       {intent + encode_frame("COMMIT", 1, before.id, payload),
        intent + encode_frame("APPLIED", 1, before.id,
                              encode_applied(before.records, values, 5, {}, refused))}) {
    const auto decoded = decode_transaction(bytes);
    ASSERT_TRUE(decoded) << decoded.error().text;
    ASSERT_TRUE(decoded->refused.contains(Address{"live:refused"}));
    const Refusal& read = decoded->refused.at(Address{"live:refused"});
    EXPECT_EQ(read.device, "name eth0");
    EXPECT_EQ(read.want, "bbr3");
    EXPECT_EQ(read.why, refusal.why);
    EXPECT_TRUE(read.was_listed);
    EXPECT_FALSE(decoded->owned.contains(Address{"live:refused"}));
    EXPECT_FALSE(decoded->applied_values.contains(Address{"live:refused"}));
  }
  // One that an older nettune left out has no reason, and is tried again.
  const auto old =
      decode_transaction(intent + encode_frame("COMMIT", 1, before.id, "without\tlive:refused\n"));
  ASSERT_TRUE(old) << old.error().text;
  EXPECT_TRUE(old->refused.empty());
}

TEST(CoreTransactionCodec, SaysOfTheValuesOnlyWhatIsNotAsPlanned) {
  Transaction before = sample();
  before.records[1].after = "moved";
  const std::string intent = encode_frame("INTENT", 0, before.id, encode_intent(before));
  const std::map<Address, Value> as_planned = {{Address{"live:a"}, before.records[0].after},
                                               {Address{"live:gone"}, Value("moved")}};
  EXPECT_EQ(encode_values(before.records, as_planned), "");
  const std::map<Address, Value> cases[] = {
      as_planned,
      {{Address{"live:a"}, Value("other")}},
      {{Address{"live:a"}, Value()}, {Address{"live:gone"}, Value("")}},
      {}};
  for (const auto& values : cases) {
    const auto decoded = decode_transaction(
        intent + encode_frame("APPLIED", 1, before.id, encode_applied(before.records, values, 9)));
    ASSERT_TRUE(decoded) << decoded.error().text;
    EXPECT_EQ(decoded->applied_values, values);
    EXPECT_EQ(decoded->applied_ms, 9);
  }
}

TEST(CoreTransactionCodec, TheFirstTerminalRecordWins) {
  const Transaction before = sample();
  const auto decoded = decode_transaction(
      encode_frame("INTENT", 0, before.id, encode_intent(before)) +
      encode_frame("ABORTED", 1, before.id, "why\n") + encode_frame("COMMIT", 2, before.id, ""));
  ASSERT_TRUE(decoded);
  EXPECT_TRUE(decoded->aborted);
  EXPECT_FALSE(decoded->committed);
  EXPECT_EQ(decoded->reason, "why");
}

TEST(CoreTransactionCodec, RefusesWhatItDoesNotUnderstand) {
  for (const std::string payload : {"format\t3\n", "surprise\t1\n", "record\tx\n", "number\tx\n",
                                    "setting\ta\t9\t=1\t0\t0\t0\tf\t1\t\n"}) {
    const auto decoded = decode_transaction(encode_frame("INTENT", 0, "id", payload));
    ASSERT_FALSE(decoded) << payload;
    EXPECT_EQ(decoded.error().code, Errc::unsupported);
    EXPECT_TRUE(decoded.error().text.ends_with("; a newer nettune may have written it"))
        << decoded.error().text;
    const auto signed_one =
        decode_transaction(encode_frame("INTENT", 0, "id", "writer\t9.8.7\n" + payload));
    ASSERT_FALSE(signed_one) << payload;
    EXPECT_NE(signed_one.error().text.find("; nettune 9.8.7 wrote it, and this is "),
              std::string::npos)
        << signed_one.error().text;
  }
  const Transaction before = sample();
  const auto decoded =
      decode_transaction(encode_frame("INTENT", 0, before.id, encode_intent(before)) +
                         encode_frame("SURPRISE", 1, before.id, ""));
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, Errc::unsupported);
  EXPECT_NE(decoded.error().text.find("; nettune " NETTUNE_VERSION " wrote it"), std::string::npos)
      << decoded.error().text;
}

}  // namespace
}  // namespace nettune::inline core
