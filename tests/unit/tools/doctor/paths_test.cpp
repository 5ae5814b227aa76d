// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/paths.hpp"

#include <gtest/gtest.h>

#include "unit/tools/doctor/node.hpp"

namespace nettune::tools::doctor {
namespace {

TEST(DoctorPaths, DistancesAreThoseOfTopoM) {
  const Machine machine = test::training_node();
  const auto distance = [&](const char* from, const char* to) {
    return pci_path(machine, from, to)->distance;
  };
  EXPECT_EQ(distance("0000:19:00.0", "0000:1a:00.0"), Distance::pix);
  EXPECT_EQ(distance("0000:19:00.0", "0000:2a:00.0"), Distance::sys);
  EXPECT_FALSE(pci_path(machine, "0000:19:00.0", "0000:99:00.0"));
  const auto path = pci_path(machine, "0000:19:00.0", "0000:1a:00.0");
  ASSERT_EQ(path->switch_ports.size(), 2U);
  EXPECT_EQ(path->switch_ports[0]->address, "0000:17:00.0");
}

}  // namespace
}  // namespace nettune::tools::doctor
