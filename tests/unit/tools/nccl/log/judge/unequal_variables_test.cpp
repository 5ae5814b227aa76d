// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/unequal_variables.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/tools/nccl/log/fixture.hpp"
#include "unit/tools/nccl/log/judge/fixture.hpp"

namespace nettune::tools::nccl::log::judge {
namespace {

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
