// SPDX-License-Identifier: Apache-2.0
#include "tools/slurm/program/report.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "unit/support/schema_validator.hpp"

namespace nettune::tools::slurm::program {
namespace {

Health drained() {
  Health health;
  health.node = "n1";
  health.result = HealthResult::fault;
  health.fault = {"gpu-xid", "0000:19:00.0"};
  health.decision.step = Step::drain;
  health.decision.why = "drained: gpu-xid: 0000:19:00.0: bad";
  health.decision.memory.seen = 3;
  health.drained = true;
  return health;
}

bool has(const std::vector<std::string>& fields, const std::string& field) {
  return std::ranges::find(fields, field) != fields.end();
}

TEST(SlurmProgramReport, ANodeThatIsWellIsNoEntry) {
  Health health;
  health.result = HealthResult::pass;
  EXPECT_TRUE(journal_entry(health).empty());
  health.warnings = {"x"};
  EXPECT_FALSE(journal_entry(health).empty());
}

TEST(SlurmProgramReport, ADrainIsAnEntryWithItsFields) {
  const auto entry = journal_entry(drained());
  for (const char* const field : {"PRIORITY=5", "MESSAGE=n1: drained: gpu-xid: 0000:19:00.0: bad",
                                  "NETTUNE_NODE=n1", "NETTUNE_RESULT=fault", "NETTUNE_STEP=drain",
                                  "NETTUNE_RULE=gpu-xid", "NETTUNE_DEVICE=0000:19:00.0"})
    EXPECT_TRUE(has(entry, field)) << field;
  Health failed = drained();
  failed.warnings = {"scontrol update exited with 1"};
  EXPECT_TRUE(has(journal_entry(failed), "PRIORITY=4"));
  EXPECT_TRUE(
      has(journal_entry(failed),
          "MESSAGE=n1: drained: gpu-xid: 0000:19:00.0: bad; scontrol update exited with 1"));
}

TEST(SlurmProgramReport, OneResultIsOne) {
  const std::string text = health_metrics(drained(), 17);
  for (const char* const line :
       {"\nnettune_slurm_timestamp_seconds 17\n", "\nnettune_slurm_result{result=\"fault\"} 1\n",
        "\nnettune_slurm_result{result=\"pass\"} 0\n", "\nnettune_slurm_faults_in_a_row 3\n",
        "\nnettune_slurm_drained 1\n"})
    EXPECT_NE(text.find(line), text.npos) << line << text;
}

TEST(SlurmProgramReport, JsonIsAsTheSchemaSays) {
  test::expect_valid("slurm-health.schema.json", health_json(drained()));
  test::expect_valid("slurm-health.schema.json", health_json({}));
  const auto document = nlohmann::json::parse(health_json(drained()));
  EXPECT_EQ(document["step"], "drain");
  EXPECT_EQ(document["result"], "fault");
}

}  // namespace
}  // namespace nettune::tools::slurm::program
