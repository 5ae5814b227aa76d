// SPDX-License-Identifier: Apache-2.0

#include "unit/support/profile_fixture.hpp"

namespace nettune::profile {
namespace {

class ProfileResolve : public test::ProfileTest {};

TEST_F(ProfileResolve, TwoSectionsMayNotYieldOneSetting) {
  device("ens1");
  bad("[devices.a]\nmatch = { name = \"ens1\" }\n[devices.b]\nmatch = { name = \"ens?\" }\n"
      "[link.a]\nmtu = 9000\n[link.b]\nmtu = 9000\n",
      11, {"link:ens1:mtu", "/p/x.toml:9"});
  bad("[modules]\nload = [\"m\"]\n[files]\n\"/etc/modules-load.d/nettune.conf\" = { content = \"\" "
      "}\n",
      7, {"file:/etc/modules-load.d/nettune.conf", "twice", "nettune itself"});
}

TEST_F(ProfileResolve, AnInterfaceThatIsNamedAndNotThereDoesNotFit) {
  const auto result = good("[devices.d]\nmatch = { name = \"eth77\" }\n[link.d]\nmtu = 1400\n");
  EXPECT_TRUE(test::any_has(result.misfits, "not present"));
}

TEST_F(ProfileResolve, AnActiveRdmaPortIsACaution) {
  facts::RdmaDevice rdma;
  rdma.name = "mlx5_0";
  rdma.ports = {{1, "InfiniBand", "DOWN", "", "", {}, "", {}}};
  facts.rdma = {rdma};
  const std::string body = "[refuse]\nrdma_active = \"it is slower\"\n";
  EXPECT_TRUE(good(body).cautions.empty());
  facts.rdma[0].ports[0].state = "ACTIVE";
  const auto result = good(body);
  ASSERT_EQ(result.cautions.size(), 1U);
  EXPECT_NE(result.cautions[0].find("mlx5_0/1"), std::string::npos);
  EXPECT_NE(result.cautions[0].find("it is slower"), std::string::npos);
  EXPECT_NE(result.cautions[0].find("/p/x.toml:5"), std::string::npos);
}

TEST_F(ProfileResolve, EveryShownValueHasItsOrigin) {
  profile("a", "[sysctl]\n\"k.a\" = 1\n");
  const auto result = good(
      "extends = [\"a\"]\n[vars]\nv = { default = 3 }\n[sysctl]\n\"k.b\" = [1, \"${v}\"]\n"
      "[env]\nA = { value = \"x${v}\", optional = true }\n[modules]\nload = [\"m\"]\n");
  std::string text;
  for (const Shown& shown : result.shown) {
    text += "[" + shown.section + "] " + shown.key + " = " + shown.value + " (" +
            shown.origin.text() + ")\n";
  }
  EXPECT_EQ(text,
            "[vars] v = 3 (/p/x.toml:6)\n"
            "[sysctl] k.a = 1 (/p/a.toml:5)\n"
            "[sysctl] k.b = [1, 3] (/p/x.toml:8)\n"
            "[modules] load = m (/p/x.toml:12)\n"
            "[env] A = {optional = true, value = x3} (/p/x.toml:10)\n");
}

}  // namespace
}  // namespace nettune::profile
