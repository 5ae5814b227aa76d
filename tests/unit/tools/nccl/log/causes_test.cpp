// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/causes.hpp"

#include <gtest/gtest.h>
#include <regex.h>

#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log {
namespace {

TEST(NcclLogCauses, AreWholeAndUnlike) {
  EXPECT_GE(causes().size(), 40U);
  std::map<std::string, int> seen;
  for (const Cause& cause : causes()) EXPECT_EQ(seen[cause.id]++, 0) << cause.id;
  EXPECT_FALSE(program::parse_causes("[[cause]]\nid = \"x\"\n").has_value());
  EXPECT_FALSE(program::parse_causes("other = 1\n").has_value());
}

}  // namespace
}  // namespace nettune::tools::nccl::log
