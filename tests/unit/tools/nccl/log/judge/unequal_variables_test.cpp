// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/unequal_variables.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/tools/nccl/log/fixture.hpp"
#include "unit/tools/nccl/log/judge/fixture.hpp"

namespace nettune::tools::nccl::log::judge {
namespace {

/// Seen with NCCL 2.28.9: NCCL_PROTO=LL on one of two ranks hangs the first collective.
TEST(NcclLogJudgeUnequalVariables, VariablesThatMustBeEqualAndAreNot) {
  const std::string proto = "NCCL_PROTO set by environment to LL";
  const Case one(started_on_m0(0) + started_on_m0(1, proto) + lost_peer(0));
  EXPECT_EQ(join(one.verdict.unequal, "|"),
            "NCCL_PROTO: LL on rank 1 (m0:71), not printed by rank 0 (m0:70)");
  EXPECT_NE(printed(one).find("It can follow from what must be equal on all ranks and may not be"),
            std::string::npos);
  EXPECT_TRUE(Case(started_on_m0(0, proto) + started_on_m0(1, proto)).verdict.unequal.empty());
  EXPECT_EQ(
      Case(started_on_m0(0, "NCCL_PROTO set by environment to Simple") + started_on_m0(1, proto))
          .verdict.unequal.size(),
      1U);
  // NCCL compares these without case.
  EXPECT_TRUE(
      Case(started_on_m0(0, "NCCL_PROTO set by environment to ll") + started_on_m0(1, proto))
          .verdict.unequal.empty());
  // Another job in the same log.
  EXPECT_TRUE(Case(started_on_m0(0) + started_on_m0(1) +
                   "n9:8:8 [0] NCCL INFO NCCL_PROTO set by environment to LL\n")
                  .verdict.unequal.empty());
  // What a rank sets is not known before it initialised.
  EXPECT_TRUE(
      Case(of_m0(0, "cudaDriverVersion 13000") + started_on_m0(1, proto)).verdict.unequal.empty());
  // The log begins in the middle of what rank 0 prints.
  const std::string later = started_on_m0(0);
  EXPECT_TRUE(
      Case(later.substr(later.find('\n') + 1) + started_on_m0(1, proto)).verdict.unequal.empty());
  // The listener sends its own number of sockets.
  EXPECT_TRUE(
      Case(started_on_m0(0) + started_on_m0(1, "NCCL_NSOCKS_PERTHREAD set by environment to 4."))
          .verdict.unequal.empty());
}

/// The names are those of which the catalogue says what was seen.
TEST(NcclLogJudgeUnequalVariables, TheCatalogueKnowsWhatMustBeEqual) {
  std::ifstream stream(std::string(NETTUNE_SOURCE_DIR) + "/catalog/nccl.toml");
  const std::string catalog(std::istreambuf_iterator<char>(stream), {});
  std::size_t seen = 0;
  for (auto at = catalog.find("\n[var."); at != catalog.npos;) {
    const auto next = catalog.find("\n[", at + 1);
    const std::string entry = catalog.substr(at, next - at);
    const std::string name = entry.substr(6, entry.find(']') - 6);
    const auto everywhere = entry.find("\neverywhere = ");
    const bool is_seen =
        everywhere != entry.npos &&
        entry.substr(everywhere, entry.find('\n', everywhere + 1) - everywhere).find("seen with") !=
            entry.npos;
    seen += is_seen ? 1U : 0U;
    const Case unequal(started_on_m0(0) + started_on_m0(1, cat(name, " set by environment to 1.")));
    EXPECT_EQ(unequal.verdict.unequal.size(), is_seen ? 1U : 0U) << name;
    at = next == catalog.npos ? next : catalog.find("\n[var.", next);
  }
  EXPECT_EQ(seen, 7U);
}

}  // namespace
}  // namespace nettune::tools::nccl::log::judge
