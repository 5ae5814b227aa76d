// SPDX-License-Identifier: Apache-2.0
#include "base/metrics.hpp"

#include <gtest/gtest.h>

namespace nettune {
namespace {

TEST(BaseMetrics, SamplesOfANameStayTogether) {
  Metrics metrics("check");
  metrics.add("nettune_a", "First.", 1, {{"x", "1"}});
  metrics.add("nettune_b", "Second.", -2);
  metrics.add("nettune_a", "Unused.", std::size_t{3}, {{"x", "2"}, {"y", "3"}});
  const std::string text = metrics.text();
  EXPECT_NE(text.find("# HELP nettune_a First.\n# TYPE nettune_a gauge\nnettune_a{x=\"1\"} 1\n"
                      "nettune_a{x=\"2\",y=\"3\"} 3\n# HELP nettune_b Second.\n"
                      "# TYPE nettune_b gauge\nnettune_b -2\n"),
            text.npos)
      << text;
  EXPECT_EQ(text.find("Unused"), text.npos);
}

TEST(BaseMetrics, BeginWithWhatWroteThem) {
  const std::string text = Metrics("doctor").text();
  EXPECT_TRUE(text.starts_with("# HELP nettune_build_info ")) << text;
  EXPECT_NE(text.find("nettune_build_info{version=\"" NETTUNE_VERSION "\",commit=\""), text.npos);
  EXPECT_TRUE(text.ends_with("\",writer=\"doctor\"} 1\n")) << text;
}

TEST(BaseMetrics, ALabelIsEscaped) {
  Metrics metrics("check");
  metrics.add("nettune_a", "A.", 1, {{"x", "a\"b\\c\nd"}});
  EXPECT_NE(metrics.text().find("nettune_a{x=\"a\\\"b\\\\c\\nd\"} 1\n"), std::string::npos);
}

TEST(BaseMetrics, SecondsHaveThreeDigits) {
  Metrics metrics("check");
  metrics.add_seconds("nettune_s", "S.", 12'034);
  EXPECT_NE(metrics.text().find("nettune_s 12.034\n"), std::string::npos);
}

}  // namespace
}  // namespace nettune
