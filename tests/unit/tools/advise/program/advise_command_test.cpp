// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/program/advise_command.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "unit/tools/built_programs.hpp"

namespace nettune::tools::advise::program {
namespace {

using AdviseProgramCommand = BuiltPrograms;

TEST_F(AdviseProgramCommand, ExitCodes) {
  write("params.json", "[4000000, 8000000, 60000000]");
  write("table.json", R"({"ranks": 4, "all_reduce": [[65536, 0.0005], [67108864, 0.05]]})");
  const std::string advise = cat("cd ", room_, " && ", NETTUNE_BINARY " advise ");
  EXPECT_EQ(shell(advise + "--params params.json --from table.json --backward-ms 20 2>&1"), 0)
      << out_;
  EXPECT_TRUE(out_.starts_with("bandwidth-bound: ")) << out_;
  EXPECT_NE(out_.find("prove it: nettune ab env."), std::string::npos) << out_;
  EXPECT_EQ(shell(advise + "--params params.json --from table.json --backward-ms 20 --json 2>&1"),
            0);
  EXPECT_EQ(nlohmann::json::parse(out_)["advice"]["regime"], "bandwidth-bound");
  EXPECT_EQ(shell(advise + "--params params.json 2>&1"), 9);
  EXPECT_NE(out_.find("--backward-ms"), std::string::npos) << out_;
  EXPECT_EQ(shell(advise + "--params nosuch 2>&1"), 2);
  EXPECT_EQ(shell(advise + "--ranks many 2>&1"), 2);
  EXPECT_EQ(shell(advise + "--snippet > s.py 2>&1"), 0) << out_;
}

}  // namespace
}  // namespace nettune::tools::advise::program
