// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "unit/support/profile_fixture.hpp"

namespace nettune::kinds::qdisc {
namespace {

class KindsQdiscSection : public test::ProfileTest {};

TEST_F(KindsQdiscSection, QueueingDisciplines) {
  device("ens1");
  const std::string set = "[devices.d]\nmatch = { name = \"ens*\" }\n[qdisc.d]\n";
  const auto result = good(set + "root = \"mq/fq\"\n");
  EXPECT_EQ(test::value(result, "qdisc:ens1:root"), "mq/fq");
  EXPECT_EQ(test::find(result, "qdisc:ens1:root")->device, "pci of ens1");
  EXPECT_TRUE(
      test::find(good(set + "root = { value = \"fq\", optional = true }\n"), "qdisc:ens1:root")
          ->optional);
  bad(set + "root = 1\n", 7, {"[qdisc.d] root", "a string"});
  bad(set + "rot = \"fq\"\n", 7, {"rot", "\"root\""});
  bad("[qdisc.e]\nroot = \"fq\"\n", 5, {"e"});
}

}  // namespace
}  // namespace nettune::kinds::qdisc
