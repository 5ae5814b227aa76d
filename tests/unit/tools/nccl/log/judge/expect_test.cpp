// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/expect.hpp"

#include <gtest/gtest.h>

namespace nettune::tools::nccl::log::judge {
namespace {

TEST(NcclLogJudgeExpect, WordsAreChecked) {
  EXPECT_EQ(parse_expectations("ib,gdr,net:AWS Libfabric")->size(), 3U);
  for (const char* wrong : {"", "IB", "ib,", "net:", "gdr ib", ","}) {
    const auto result = parse_expectations(wrong);
    ASSERT_TRUE(!result || result->empty()) << wrong;
    EXPECT_TRUE(result || result.error().code == Errc::invalid) << wrong;
  }
}

}  // namespace
}  // namespace nettune::tools::nccl::log::judge
