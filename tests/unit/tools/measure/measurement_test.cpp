// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/measurement.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "tools/measure/ceiling.hpp"
#include "tools/measure/end_json.hpp"
#include "tools/measure/metric.hpp"
#include "tools/measure/program/print_measurement.hpp"
#include "unit/support/facts_tree.hpp"
#include "unit/tools/measure/fixture.hpp"

namespace nettune::tools::measure {
namespace {

TEST(MeasureMeasurementGpu, TheResultSaysWhichMemory) {
  Measurement one;
  one.what = Measurement::What::bandwidth;
  one.rdma = true;
  one.from.end.gpu = GpuEnd{kGpu, 32, {}};
  auto json = nlohmann::json::parse(json_line(one));
  EXPECT_EQ(json["memory"], "host");
  one.on_gpus = true;
  json = nlohmann::json::parse(json_line(one));
  EXPECT_EQ(json["memory"], "gpu");
  EXPECT_EQ(json["from"]["gpu"]["pci_address"], kGpu);
  EXPECT_TRUE(json["to"]["gpu"].is_null());
  one.rdma = false;
  EXPECT_FALSE(nlohmann::json::parse(json_line(one)).contains("memory"));
  const End back = end_from(measure::to_json(one.from.end));
  ASSERT_TRUE(back.gpu);
  EXPECT_EQ(back.gpu->pci_gtps, 32);
  EXPECT_FALSE(back.gpu->pci_lanes);
}

TEST(MeasureMeasurement, WhatAPeerSaysOfAnEndIsReadAndNonsenseIsUnknown) {
  End end = nic("n1", 100'000, 9000);
  end.pci_gtps = 16;
  end.numa_node = 1;
  end.carrier = false;
  end.receive_bytes = 123;
  RdmaEnd& port = end.rdma.emplace();
  port.port = 2;
  port.gid_index = 3;
  port.traffic_class = 106;
  const End back = end_from(to_json(end));
  EXPECT_EQ(back.interface, "eth1");
  EXPECT_EQ(back.speed_mbps, 100'000);
  EXPECT_EQ(back.pci_gtps, 16);
  EXPECT_EQ(back.carrier, false);
  EXPECT_EQ(back.receive_bytes, 123);
  EXPECT_FALSE(back.pci_lanes);
  ASSERT_TRUE(back.rdma);
  EXPECT_EQ(back.rdma->port, 2);
  EXPECT_EQ(back.rdma->gid_index, 3);
  EXPECT_EQ(back.rdma->traffic_class, 106);
  const End odd = end_from(nlohmann::ordered_json::parse(
      R"({"host": 7, "speed_mbps": 1e300, "mtu": "big", "numa_node": [1], "carrier": 2, "rdma": 7})"));
  EXPECT_EQ(odd.host, "");
  EXPECT_FALSE(odd.speed_mbps);
  EXPECT_FALSE(odd.mtu);
  EXPECT_FALSE(odd.carrier);
  EXPECT_FALSE(odd.rdma);
  EXPECT_EQ(end_from(nlohmann::ordered_json(3)).host, "");
}

TEST(MeasureMeasurement, AnAllReduceHasNoCeilingAndAWrongSumIsBad) {
  Measurement one;
  one.what = Measurement::What::collective;
  one.why_no_ceiling = "why";
  one.collective = {
      "all-reduce", "all_reduce_perf", "nccl", 2, {"n1", "n2"}, 1073741824, 5368.7, 200, 200, 0};
  auto json = nlohmann::json::parse(json_line(one));
  EXPECT_EQ(json["test"], "all-reduce");
  EXPECT_EQ(json["transport"], "nccl");
  EXPECT_EQ(json["direction"], "both");
  EXPECT_EQ(json["bytes"], 1073741824);
  EXPECT_EQ(json["busbw_gb_per_s"], 200);
  EXPECT_EQ(json["hosts"][1], "n2");
  EXPECT_TRUE(json["ceiling_gbps"].is_null());
  EXPECT_EQ(json["verdict"], "unknown");
  EXPECT_FALSE(json.contains("gbps"));  // who reads bandwidths of a path must not take it for one
  one.collective.wrong = 3;
  EXPECT_EQ(nlohmann::json::parse(json_line(one))["verdict"], "bad");
  one.collective.wrong.reset();
  EXPECT_TRUE(nlohmann::json::parse(json_line(one))["wrong"].is_null());
  EXPECT_EQ(one.verdict(), Grade::unknown);
  one.error = Error{Errc::io, "gone", 0, {}, 0};
  json = nlohmann::json::parse(json_line(one));
  EXPECT_EQ(json["error"], "gone");
  EXPECT_FALSE(json.contains("bytes"));
}

TEST(MeasureMeasurement, ACollectiveOfEachSizeIsAPointOfACurve) {
  Measurement one;
  one.what = Measurement::What::collective;
  one.collective = {
      "all-gather", "all_gather_perf", "nccl", 8, {"n1"}, 1073741824, 8020, 134, 117, 0};
  EXPECT_EQ(program::line_of(one, {}, 234),
            "  1 GiB         8.02 ms   bus 117 GB/s     ############\n");
  EXPECT_LE(program::line_of(one, {}, 117).size(), 80U);
  one.collective.busbw = 0.01;
  EXPECT_EQ(program::line_of(one, {}, 234), "  1 GiB         8.02 ms   bus 0.01 GB/s\n");
  one.collective.wrong = 3;
  EXPECT_EQ(program::line_of(one, {}, 0.01),
            "  1 GiB         8.02 ms   bus 0.01 GB/s: bad, 3 values are wrong\n");
  EXPECT_EQ(nlohmann::json::parse(json_line(one))["test"], "all-gather");
}

TEST(MeasureMeasurement, ALineIsOneLineAndSaysWhatItRestsOn) {
  Measurement one;
  one.what = Measurement::What::bandwidth;
  one.from.end = nic("n1\n\xff", 10'000, 1500);
  one.to.end = nic("n2", 10'000, 1500);
  one.gbps = 7;
  one.streams = 4;
  one.to.before = {{"eth1.rx_dropped", 3}, {"eth1.rx_bytes", 0}};
  one.to.after = {{"eth1.rx_dropped", 15}, {"eth1.rx_bytes", 99}};
  one.ceiling = Ceiling{9.4, "why"};
  const std::string line = json_line(one);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["verdict"], "bad");
  EXPECT_EQ(json["ceiling_reason"], "why");
  EXPECT_EQ(json["to"]["counters_after"]["eth1.rx_dropped"], 15);
  EXPECT_EQ(losses(one.to), "eth1.rx_dropped +12");
  one.error = Error{Errc::io, "gone", 0, {}, 0};
  EXPECT_EQ(one.verdict(), Grade::unknown);
  EXPECT_EQ(nlohmann::json::parse(json_line(one))["error"], "gone");
  EXPECT_FALSE(nlohmann::json::parse(json_line(one)).contains("gbps"));
}

}  // namespace
}  // namespace nettune::tools::measure
