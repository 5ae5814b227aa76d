// SPDX-License-Identifier: Apache-2.0
#include "node/check/irq_rows.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace nettune::node::check {
namespace {

SettingRow row(const std::string& setting, const std::string& now, const std::string& wanted,
               const std::string& cell = "") {
  return {setting, now, wanted, {cell}, {}};
}

std::string folded(const std::vector<SettingRow>& rows) {
  std::string out;
  for (const SettingRow& each : fold_interrupts(rows))
    out += cat(each.setting, " ", each.now, " -> ", each.wanted, "\n");
  return out;
}

TEST(NodeCheckIrqRows, AreOneForADevice) {
  EXPECT_EQ(folded({row("irq:a:0", "0-63", "0-31"), row("irq:a:1", "0-63", "0-31"),
                    row("irq:a:10", "0-63", "0-31"), row("irq:a:2", "0-63", "0-31"),
                    row("link:a:mtu", "1500", "9000"), row("irq:b:0", "0-63", "0-31")}),
            "irq:a:0-2,10 0-63 -> 0-31\n"
            "link:a:mtu 1500 -> 9000\n"
            "irq:b:0 0-63 -> 0-31\n");
}

TEST(NodeCheckIrqRows, ManyValuesAreSaidInShort) {
  EXPECT_EQ(folded({row("irq:a:0", "0-63", "4"), row("irq:a:1", "1", "5"), row("irq:a:2", "2", "4"),
                    row("irq:a:3", "3", "6")}),
            "irq:a:0-3 0-63 or 1 or 2 or 1 other lists -> each one of 4-6\n");
}

TEST(NodeCheckIrqRows, StayApartWhereTheySayMore) {
  EXPECT_EQ(folded({row("irq:a:0", "0", "1"), row("irq:a:1", "0", "1", "refused"),
                    row("irq:a:2", "0", "1")}),
            "irq:a:0,2 0 -> 1\nirq:a:1 0 -> 1\n");
  EXPECT_EQ(folded({row("irqs", "0", "1"), row("irq:a:x", "0", "1")}),
            "irqs 0 -> 1\nirq:a:x 0 -> 1\n");
  EXPECT_EQ(folded({}), "");
}

}  // namespace
}  // namespace nettune::node::check
