// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/metric.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "kernel/sysfs.hpp"
#include "unit/support/facts_tree.hpp"

namespace nettune::tools::measure {
namespace {

double value_of(const std::string& metric, const std::string& output) {
  const auto parsed = Metric::parse(metric);
  if (!parsed) return -1;
  const auto reading = parsed->read(output);
  return reading ? reading->value : -2;
}

TEST(MeasureMetric, ARegularExpressionTakesItsGroupOfTheLastMatch) {
  EXPECT_EQ(value_of("rate: ([0-9.]+)", "rate: 1.5\nrate: 2.5 GB/s\n"), 2.5);
  EXPECT_EQ(value_of("[0-9]+", "a 7 b 12"), 12);
  EXPECT_EQ(value_of("^Avg bus bandwidth *: *([0-9.]+)", "# x\nAvg bus bandwidth    : 41.9\n"),
            41.9);
  EXPECT_EQ(value_of("x", ""), -2);
  EXPECT_EQ(value_of("([a-z]+)", "abc"), -2);  // not a number
  EXPECT_EQ(value_of("rate ([0-9-]+)", "rate -3"), -2);
  EXPECT_EQ(value_of("rate ([0-9-]+)", "rate 0"), -2);
  EXPECT_EQ(value_of("(", "x"), -1);
  EXPECT_EQ(value_of("(x*)", "aaa"), -2);  // matches nothing, everywhere, and ends
}

TEST(MeasureMetric, APathInJsonTakesTheDocumentOrItsLastLine) {
  EXPECT_EQ(value_of("$.end.sum.bps", R"({"end": {"sum": {"bps": 9.5e9}}})"), 9.5e9);
  EXPECT_EQ(value_of("$.a[1].b", "log line\n{\"a\": [0, {\"b\": \"3.5\"}]}\nbye\n"), 3.5);
  EXPECT_EQ(value_of("$.a", "no json"), -2);
  EXPECT_EQ(value_of("$.a", R"({"b": 1})"), -2);
  EXPECT_EQ(value_of("$.a", R"({"a": {"b": 1}})"), -2);
  EXPECT_EQ(value_of("$.a[9].b", R"({"a": [1]})"), -2);
  EXPECT_EQ(value_of("$.a[01]", R"({"a": [1, 2]})"), -2);
  for (const char* const bad : {"$", "$a", "$.", "$.a[", "$.a[x]", "$..a", "$.a["})
    EXPECT_EQ(value_of(bad, "{}"), -1) << bad;
  EXPECT_EQ(value_of("$.a/b~c", R"({"a/b~c": 4})"), 4);
}

TEST(MeasureMetric, AFailureNamesTheLastLine) {
  const auto reading = Metric::parse("rate ([0-9]+)")->read("one\nSegmentation fault\n\n");
  ASSERT_FALSE(reading);
  EXPECT_NE(reading.error().text.find("Segmentation fault"), std::string::npos);
}

TEST(MeasureMetric, TheLinesOfTestAreAveragedAndKeptApart) {
  const auto line = [](const char* direction, double gbps) {
    return nlohmann::json{{"test", "bandwidth"},
                          {"direction", direction},
                          {"gbps", gbps},
                          {"error", nullptr},
                          {"from", {{"interface", "eth1"}}},
                          {"to", {{"interface", "eth2"}}}}
               .dump() +
           "\n";
  };
  const std::string latency = R"({"test":"latency","error":null})";
  const auto reading =
      Metric::of_test().read(latency + "\n" + line("to-peer", 4) + line("from-peer", 9));
  ASSERT_TRUE(reading) << reading.error().text;
  EXPECT_NEAR(reading->value, 6, 1e-9);
  EXPECT_EQ(reading->strata.size(), 2U);
  EXPECT_FALSE(Metric::of_test().read(latency));
  EXPECT_FALSE(Metric::of_test().read(R"({"test":"bandwidth","error":"it died"})"));
  EXPECT_FALSE(Metric::of_test().read(R"({"test":"bandwidth","error":null,"gbps":"x"})"));
}

TEST(MeasureMetric, AnAllReduceCountsByItsTime) {
  // nccl-tests prints bandwidths with two digits behind the point: that of a small size is 0.00.
  const std::string line = R"({"test":"all-reduce","busbw_gb_per_s":0.0,"error":null,)";
  const auto reading = Metric::of_test().read(line + "\"bytes\":1024,\"time_us\":256}\n" + line +
                                              "\"bytes\":4096,\"time_us\":64}\n");
  ASSERT_TRUE(reading) << reading.error().text;
  EXPECT_NEAR(reading->value, 0.016, 1e-12);
  EXPECT_NEAR(reading->strata.at("all-reduce of 4096 bytes"), 0.064, 1e-12);
  EXPECT_FALSE(Metric::of_test().read(R"({"test":"all-reduce","error":"it died"})"));
  EXPECT_FALSE(Metric::of_test().read(line + "\"bytes\":1024,\"time_us\":0}"));
  // Sizes of two collectives are not one stratum.
  const std::string gather = R"({"test":"all-gather","bytes":4096,"time_us":32})";
  const auto two = Metric::of_test().read(line + "\"bytes\":4096,\"time_us\":64}\n" + gather);
  ASSERT_TRUE(two) << two.error().text;
  EXPECT_NEAR(two->strata.at("all-reduce of 4096 bytes"), 0.064, 1e-12);
  EXPECT_NEAR(two->strata.at("all-gather of 4096 bytes"), 0.128, 1e-12);
}

TEST(MeasureMetricGpu, AComparisonKeepsBothMemoriesApart) {
  const std::string host = R"({"test": "bandwidth", "transport": "rdma", "direction": "to-peer",)"
                           R"( "memory": "host", "gbps": 100})";
  std::string gpu = host;
  gpu.replace(gpu.find("host"), 4, "gpu");
  gpu.replace(gpu.find("100"), 3, "25");
  const auto reading = Metric::of_test().read(cat(host, "\n", gpu, "\n"));
  ASSERT_TRUE(reading) << reading.error().text;
  EXPECT_EQ(reading->strata.size(), 2U);
  EXPECT_NEAR(reading->value, 50, 1e-6);
}

}  // namespace
}  // namespace nettune::tools::measure
