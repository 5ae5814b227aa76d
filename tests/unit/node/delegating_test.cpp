// SPDX-License-Identifier: Apache-2.0
#include "node/delegating.hpp"

#include <gtest/gtest.h>

namespace nettune::node {
namespace {

/// Answers every question otherwise than Provider does of its own.
class Unusual final : public Provider {
 public:
  std::string_view kind() const override { return "unusual"; }
  Result<Value> canonical(const Address&, const Value&) const override {
    return Value("canonical");
  }
  std::vector<Reading> read(std::span<const Address> addresses) override {
    return std::vector<Reading>(addresses.size(), Reading{Presence::present, "read", {}, {}});
  }
  std::string unit(const Address&) const override { return "unit"; }
  std::vector<Address> needs(const Address&) const override { return {Address{"unusual:first"}}; }
  std::vector<Address> given_back_after(const Address&) const override {
    return {Address{"unusual:last"}};
  }
  Effects effects(const Address&, const Value&, const Value&) override {
    Effects effects;
    effects.note = "effects";
    return effects;
  }
  void combine(std::span<const Write>, std::span<Effects* const> effects) override {
    effects[0]->note = "combined";
  }
  std::string_view stays() const override { return "it stays"; }
  bool is_still(const Value&, const Value&) const override { return true; }
  Lifetime lifetime(const Address&) const override { return Lifetime::disk; }
  bool lists(const Address&, const std::string&) override { return true; }
  bool staged() const override { return true; }
  Result<> write(std::span<const Write>, const Contents&, const std::string&) override {
    wrote = true;
    return {};
  }
  Result<> place(std::span<const Write>, const std::string&) override {
    wrote = true;
    return {};
  }
  Result<> discard(std::span<const Write>, const std::string&) override {
    wrote = true;
    return {};
  }
  std::string directory(const Address&) const override { return "/unusual"; }

  bool wrote = false;
};

class NoContents final : public Contents {
 public:
  Result<std::string> get(const std::string&) const override { return std::string(); }
};

TEST(NodeDelegating, HandsEveryQuestionOnAndWritesNothing) {
  Unusual inner;
  DelegatingProvider outer(inner);
  const Address address{"unusual:thing"};
  EXPECT_EQ(outer.kind(), "unusual");
  EXPECT_EQ(*outer.canonical(address, "x"), "canonical");
  EXPECT_EQ(outer.read(std::vector{address}).at(0).text, "read");
  EXPECT_EQ(outer.unit(address), "unit");
  EXPECT_EQ(outer.needs(address).at(0).text, "unusual:first");
  EXPECT_EQ(outer.given_back_after(address).at(0).text, "unusual:last");
  EXPECT_EQ(outer.effects(address, {}, {}).note, "effects");
  EXPECT_EQ(outer.stays(), "it stays");
  EXPECT_TRUE(outer.is_still("a", "b"));
  EXPECT_EQ(outer.lifetime(address), Lifetime::disk);
  EXPECT_TRUE(outer.lists(address, "x"));
  EXPECT_TRUE(outer.staged());
  EXPECT_EQ(outer.directory(address), "/unusual");
  const std::vector<Write> unit{{address, {}, "x"}};
  Effects effects;
  outer.combine(unit, std::vector<Effects*>{&effects});
  EXPECT_EQ(effects.note, "combined");
  EXPECT_FALSE(outer.write(unit, NoContents(), "t"));
  EXPECT_TRUE(outer.place(unit, "t"));
  EXPECT_TRUE(outer.discard(unit, "t"));
  EXPECT_FALSE(inner.wrote);
}

}  // namespace
}  // namespace nettune::node
