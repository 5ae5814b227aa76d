// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/rdma/endpoint.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "unit/tools/measure/fixture.hpp"

namespace nettune::tools::measure::rdma {
namespace {

TEST(MeasureRdmaEndpoint, AnOrderNamesNothingButAPciAddress) {
  RdmaPlan plan;
  plan.device = "mlx5_0";
  for (const char* const good : {"", kGpu, "10000:e1:00.0"}) {
    plan.gpu = good;
    EXPECT_TRUE(check(plan)) << good;
  }
  for (const char* const bad : {"/etc/passwd", "GPU-1", "0000:1b:00.0\n", "0000000000:1b:00.0"}) {
    plan.gpu = bad;
    EXPECT_FALSE(check(plan)) << bad;
  }
}

}  // namespace
}  // namespace nettune::tools::measure::rdma
