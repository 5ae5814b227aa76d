// SPDX-License-Identifier: Apache-2.0
#include "nccl/values.hpp"

#include <gtest/gtest.h>

#include "nccl/name_list.hpp"

namespace nettune::nccl {
namespace {

/// The same rules as NCCL's matchIfList() and strtoll.
TEST(NcclValues, NumbersAndNames) {
  EXPECT_EQ(read_number("0,3,5,7").value, 0);
  EXPECT_EQ(read_number("0x10").value, 16);
  EXPECT_EQ(read_number(" +7 ").value, 7);
  EXPECT_EQ(read_number("-2").value, -2);
  EXPECT_EQ(read_number("").used, 0U);
  EXPECT_TRUE(read_number("-99999999999999999999").overflow);
  EXPECT_EQ(read_number(std::string("1\0002", 3)).value, 1) << "a C text ends at NUL";
  const NameList list = read_names("^=a,b:2,,:x");
  EXPECT_TRUE(list.exclude && list.exact);
  ASSERT_EQ(list.entries.size(), 2U);
  EXPECT_EQ(list.entries[1].port, 2);
  EXPECT_FALSE(list.takes("b", 2));
  EXPECT_TRUE(list.takes("b", 1));
  EXPECT_TRUE(read_names("").takes("any", 1));
}

}  // namespace
}  // namespace nettune::nccl
