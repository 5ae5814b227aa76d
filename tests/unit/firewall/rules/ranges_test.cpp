// SPDX-License-Identifier: Apache-2.0
#include "firewall/rules/ranges.hpp"

#include <algorithm>
#include <bitset>
#include <cstdio>
#include <gtest/gtest.h>
#include <linux/netfilter/xt_comment.h>
#include <random>

#include "unit/support/nf_fixture.hpp"

namespace nettune::firewall::rules {
namespace {

using namespace test;
using kernel::NfRule;
using kernel::NfRuleset;

TEST(FirewallRulesRanges, DoAsSetsDo) {
  std::mt19937 random(3);
  using Bits = std::bitset<64>;
  const auto make = [&](Bits& bits) {
    std::vector<Interval> intervals;
    for (unsigned i = 0; i < random() % 6; ++i) {
      const U128 first = random() % 64;
      const U128 last = std::min<U128>(63, first + random() % 9);
      for (U128 one = first; one <= last; ++one) bits.set(static_cast<std::size_t>(one));
      intervals.push_back({first, last});
    }
    return Ranges(std::move(intervals));
  };
  const auto bits_of = [](const Ranges& ranges) {
    Bits bits;
    for (const Interval& interval : ranges.intervals()) {
      for (U128 one = interval.first; one <= interval.last; ++one) {
        bits.set(static_cast<std::size_t>(one));
      }
    }
    return bits;
  };
  for (int round = 0; round < 5'000; ++round) {
    Bits left_bits;
    Bits right_bits;
    const Ranges left = make(left_bits);
    const Ranges right = make(right_bits);
    ASSERT_EQ(bits_of(left), left_bits);
    ASSERT_EQ(bits_of(left.both(right)), left_bits & right_bits);
    ASSERT_EQ(bits_of(left.without(right)), left_bits & ~right_bits);
    ASSERT_EQ(left.overlaps(right), (left_bits & right_bits).any());
    ASSERT_EQ(left.within(right), (left_bits & ~right_bits).none());
    for (std::size_t i = 1; i < left.intervals().size(); ++i) {
      ASSERT_GT(left.intervals()[i].first, left.intervals()[i - 1].last + 1);
    }
  }
}

TEST(FirewallRulesRanges, ReachToTheHighestNumber) {
  const U128 top = ~U128{0};
  const Ranges all(Interval{0, top});
  const Ranges last(Interval{top, top});
  EXPECT_TRUE(last.within(all));
  EXPECT_EQ(all.without(last).intervals()[0].last, top - 1);
  EXPECT_TRUE(all.without(all).empty());
  EXPECT_EQ(Ranges(std::vector<Interval>{{5, top}, {7, 9}, {0, 4}}).intervals().size(), 1U);
}

TEST(FirewallRulesKeyRanges, PairStartsAndEnds) {
  FakeRuleset fake;
  kernel::NfSet& set = fake.set("s", NFT_SET_INTERVAL, 2);
  const auto end = NFT_SET_ELEM_INTERVAL_END;
  // In any order; a neighbour begins where another ends; the last one has no end.
  set.elements = {element(octets({0, 90})), element(octets({0, 20}), end),
                  element(octets({0, 10})), element(octets({0, 0}), end),
                  element(octets({0, 20})), element(octets({0, 30}), end)};
  std::string text;
  for (const KeyRange& range : key_ranges(set)) {
    text += std::to_string(static_cast<unsigned>(number_of(range.first))) + "-" +
            std::to_string(static_cast<unsigned>(number_of(range.last))) + " ";
  }
  EXPECT_EQ(text, "10-19 20-29 90-65535 ");
  set.elements.push_back(element(octets({1, 2, 3})));  // of another length
  EXPECT_EQ(key_ranges(set).size(), 3U);
}

}  // namespace
}  // namespace nettune::firewall::rules
