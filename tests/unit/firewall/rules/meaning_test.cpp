// SPDX-License-Identifier: Apache-2.0
#include "firewall/rules/meaning.hpp"

#include <bitset>
#include <cstdio>
#include <gtest/gtest.h>
#include <linux/netfilter/xt_comment.h>
#include <set>

#include "unit/firewall/rules/fixture.hpp"
#include "unit/support/nf_fixture.hpp"

namespace nettune::firewall::rules {
namespace {

using kernel::NfRule;
using kernel::NfRuleset;

TEST(FirewallRulesMeaning, DiffersWithTheMeaning) {
  std::set<std::string> prints;
  std::size_t count = 0;
  for (const char* text : kOpenings) {
    const Written written = write(parse_opening(text).value(), inet());
    prints.insert(fingerprint(written.all, written.all.rules[0]));
    ++count;
  }
  for (const char* text : kDrops) {
    const Written written = write(parse_opening(text).value(), inet());
    prints.insert(fingerprint(written.all, written.all.rules[0]));
    ++count;
  }
  EXPECT_EQ(prints.size(), count);
}

}  // namespace
}  // namespace nettune::firewall::rules
