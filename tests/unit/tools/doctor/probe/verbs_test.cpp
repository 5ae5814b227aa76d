// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

TEST(DoctorProbeVerbs, ParsesWhatEachDeviceSaid) {
  Machine machine;
  machine.ports.push_back({"mlx5_0", 1, {}, {}, {}, {}, {}});
  parse_verbs(
      "count 2\ndevice mlx5_0\ndmabuf yes\nmtu 1 4096\ndevice rxe0\ndmabuf no\n"
      "device mlx5_9\nerror Permission denied\n",
      machine);
  ASSERT_EQ(machine.verbs.size(), 3U);
  EXPECT_TRUE(*machine.verbs[0].dmabuf);
  EXPECT_FALSE(*machine.verbs[1].dmabuf);
  EXPECT_FALSE(machine.verbs[2].dmabuf);
  EXPECT_EQ(machine.ports[0].active_mtu.value, 4096);
}

}  // namespace
}  // namespace nettune::tools::doctor::probe
