// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/carried.hpp"

#include <gtest/gtest.h>

#include "tools/measure/ceiling.hpp"
#include "tools/measure/measurement.hpp"
#include "tools/measure/program/print_measurement.hpp"
#include "unit/tools/measure/fixture.hpp"

namespace nettune::tools::measure {
namespace {

TEST(MeasureCarried, CountersSayWhichInterfaceCarriedIt) {
  Measurement one;
  one.what = Measurement::What::bandwidth;
  one.gbps = 9.4;
  one.ceiling = Ceiling{9.41, "eth1 of n1"};
  one.from.end = nic("n1", 10'000, 1500);
  one.to.end = nic("n2", 10'000, 1500);
  const auto counted = [](Side& side, const std::string& name, std::int64_t growth) {
    side.before[name] = 1000;
    side.after[name] = 1000 + growth;
  };
  counted(one.from, "eth1.tx_bytes", 1'100'000);
  counted(one.to, "eth1.rx_bytes", 1'100'000);
  counted(one.from, "eth2.tx_bytes", 1'100'000);  // other traffic is nobody's fault
  Measurement good = one;
  judge_way(good, 1'000'000);
  EXPECT_FALSE(good.error);
  EXPECT_EQ(good.verdict(), Grade::ok);

  Measurement wrong = one;
  counted(wrong.to, "eth1.rx_bytes", 90'000);
  counted(wrong.to, "eth2.rx_bytes", 1'050'000);
  judge_way(wrong, 1'000'000);
  ASSERT_TRUE(wrong.error);
  EXPECT_TRUE(wrong.error->text.starts_with("measured on eth2 of n2, not on eth1: "))
      << wrong.error->text;
  EXPECT_EQ(json_line(wrong).find("\"gbps\""), std::string::npos);

  Measurement unseen = one;
  counted(unseen.from, "eth1.tx_bytes", 90'000);
  unseen.from.after.erase("eth2.tx_bytes");
  judge_way(unseen, 1'000'000);
  EXPECT_FALSE(unseen.error);
  EXPECT_EQ(unseen.verdict(), Grade::unknown);
  EXPECT_NE(unseen.why_no_ceiling.find("eth1.tx_bytes of n1 grew by 90000 bytes"),
            std::string::npos);
  unseen = one;
  unseen.to.after.clear();
  judge_way(unseen, 1'000'000);
  EXPECT_EQ(unseen.verdict(), Grade::unknown);

  Measurement rdma = one;
  rdma.rdma = true;
  rdma.from.end.rdma = rdma.to.end.rdma = RdmaEnd{};
  rdma.from.end.rdma->device = rdma.to.end.rdma->device = "mlx5_0";
  rdma.to.after["eth1.rx_bytes"] = 1000;  // RDMA passes the kernel by
  judge_way(rdma, 1'000'000);
  EXPECT_TRUE(rdma.ceiling);  // a port without counters says nothing
  counted(rdma.to, "mlx5_0/1.port_rcv_data", 1000);
  judge_way(rdma, 1'000'000);
  EXPECT_FALSE(rdma.ceiling);
  EXPECT_NE(rdma.why_no_ceiling.find("mlx5_0/1.port_rcv_data of n2 grew by 4000 bytes"),
            std::string::npos);
}

}  // namespace
}  // namespace nettune::tools::measure
