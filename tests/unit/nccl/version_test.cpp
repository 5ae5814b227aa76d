// SPDX-License-Identifier: Apache-2.0
#include "nccl/version.hpp"

#include <gtest/gtest.h>

#include "unit/nccl/fixture.hpp"

namespace nettune::nccl {
namespace {

TEST(NcclVersion, IsReadAsTagsPackagesAndLogsWriteIt) {
  for (const char* const text : {"2.21.5", "v2.21.5-1", "2.21.5+cuda12.4", "2.21.5-1+cuda12.4"})
    EXPECT_EQ(version(text), (Version{2, 21, 5})) << text;
  for (const char* const text :
       {"", "2", "2.21", "2.21.", "2.21.5x", "a.b.c", "2.21.99999", "-2.1.1", "2 .1.1"})
    EXPECT_FALSE(parse_version(text)) << text;
  EXPECT_LT(version("2.9.9"), version("2.10.3"));
}

}  // namespace
}  // namespace nettune::nccl
