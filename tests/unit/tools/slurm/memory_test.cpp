// SPDX-License-Identifier: Apache-2.0
#include "tools/slurm/memory.hpp"

#include <gtest/gtest.h>

namespace nettune::tools::slurm {
namespace {

TEST(SlurmMemory, ReadsWhatItWrote) {
  const Memory memory{{"gpu-xid", "0000:19:00.0"},
                      2,
                      OwnDrain{{"gpu-ecc", ""}, "nettune: x", "root@now", {"DRAIN", "CLOUD"}}};
  const auto again = parse_memory(memory_text(memory));
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(*again, memory);
  const auto empty = parse_memory(memory_text({}));
  ASSERT_TRUE(empty);
  EXPECT_EQ(*empty, Memory{});
  EXPECT_EQ(parse_memory("").value(), Memory{});
}

TEST(SlurmMemory, DamageIsAnError) {
  for (const char* const bad : {"x", "{}", R"({"schema":2})", R"({"schema":1,"rule":1})"})
    EXPECT_FALSE(parse_memory(bad)) << bad;
}

}  // namespace
}  // namespace nettune::tools::slurm
