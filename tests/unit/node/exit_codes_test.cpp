// SPDX-License-Identifier: Apache-2.0
#include "node/exit_codes.hpp"

#include <gtest/gtest.h>

namespace nettune::node {
namespace {

TEST(NodeExitCodes, PrecedenceIsThatOfTheManual) {
  const Exit order[] = {Exit::done,    Exit::not_permitted, Exit::drift,
                        Exit::refused, Exit::busy,          Exit::unfinished};
  for (std::size_t low = 0; low < std::size(order); ++low)
    for (std::size_t high = low; high < std::size(order); ++high) {
      EXPECT_EQ(worse(order[low], order[high]), order[high]);
      EXPECT_EQ(worse(order[high], order[low]), order[high]);
    }
}

}  // namespace
}  // namespace nettune::node
