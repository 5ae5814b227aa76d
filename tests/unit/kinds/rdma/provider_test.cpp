// SPDX-License-Identifier: Apache-2.0
#include "kinds/rdma/provider.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <gtest/gtest.h>

#include "unit/support/provider_fixture.hpp"

namespace nettune::kinds::rdma {
namespace {

using namespace test;

/// A /sys with one card of two RoCE ports, one soft device, and what configfs does with a group.
class KindsRdmaProvider : public testing::Test {
 protected:
  KindsRdmaProvider() {
    for (const char* const port : {"mlx5_0/ports/1", "mlx5_0/ports/2", "rxe0/ports/1"})
      tree.put(std::string("class/infiniband/") + port + "/link_layer", "Ethernet\n");
    tree.make("devices/0000:3b:00.0");
    tree.make("devices/0000:3b:00.1");
    link("devices/0000:3b:00.0", "class/infiniband/mlx5_0/device");
    tree.put("class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0", "ens1f0\n");
    tree.put("class/infiniband/mlx5_0/ports/2/gid_attrs/ndevs/0", "ens1f1\n");
    tree.make("class/net/ens1f0");
    tree.make("class/net/ens1f1");
    link("devices/0000:3b:00.0", "class/net/ens1f0/device");
    link("devices/0000:3b:00.1", "class/net/ens1f1/device");
    tree.make("module/rdma_cm");
    tree.make("kernel/config/rdma_cm");
    for (const char* const name : {"np_cnp_prio", "np_cnp_prio_mode", "np_cnp_dscp"})
      tree.put(std::string("kernel/debug/mlx5/0000:3b:00.0/cc_params/") + name, "0\n");
  }

  void link(const std::string& to, const std::string& at) const {
    std::filesystem::create_symlink(tree / to, tree / at);
  }

  RdmaCalls calls() {
    RdmaCalls fake;
    fake.make_directory = [this](const std::string& path) {
      const std::string group = path.substr(tree.path().size() + 1);
      if (refuses) return ENODEV;
      for (const char* const port : {"/ports/1/", "/ports/2/"}) {
        tree.put(group + port + "default_roce_mode", mode + "\n");
        tree.put(group + port + "default_roce_tos", tos + "\n");
      }
      return 0;
    };
    fake.remove_directory = [this](const std::string& path) {
      const std::string file = path + "/ports/1/default_roce_tos";
      tos = tree.get(file.substr(tree.path().size() + 1));
      std::filesystem::remove_all(path);
      return 0;
    };
    return fake;
  }

  std::string canonical(const std::string& address, Value want) {
    const auto value = provider.canonical(Address{address}, want);
    if (!value) return "refused";
    return value->value_or("absent");
  }

  Scratch tree;
  std::string mode = "RoCE v2";
  std::string tos = "0";
  bool refuses = false;
  RdmaProvider provider{tree.path(), calls()};
};

TEST_F(KindsRdmaProvider, AnOldModeThatNobodyKnowsHasNoWayBack) {
  const Address roce{"rdma:mlx5_0/1:cma-roce-mode"};
  EXPECT_EQ(provider.effects(roce, "IB/RoCE v1", "RoCE v2").undo, Undo::exact);
  const Effects found = provider.effects(roce, "RoCE v9", "RoCE v2");
  EXPECT_EQ(found.undo, Undo::none);
  EXPECT_NE(found.residue.find("RoCE v9, can never be set again"), std::string::npos);
}

TEST_F(KindsRdmaProvider, Canonical) {
  EXPECT_EQ(canonical("rdma:mlx5_0:cma", "present"), "present");
  EXPECT_EQ(canonical("rdma:mlx5_0:cma", {}), "absent");
  EXPECT_EQ(canonical("rdma:mlx5_0/1:cma-roce-tos", " 0106 "), "106");
  EXPECT_EQ(canonical("rdma:mlx5_0/1:cma-roce-mode", "RoCE v2\n"), "RoCE v2");
  EXPECT_EQ(canonical("rdma:mlx5_0/1:cma-roce-mode", "IB/RoCE v1"), "IB/RoCE v1");
  EXPECT_EQ(canonical("rdma:mlx5_0/1:traffic-class", {}), "absent");
  EXPECT_EQ(canonical("rdma:mlx5_0/1:cc-rp_max_rate", "4294967295"), "4294967295");
  for (const char* const bad : {"256", "-1", "", "0x6a", "106 7", "99999999999999999999"}) {
    EXPECT_EQ(canonical("rdma:mlx5_0/1:cma-roce-tos", bad), "refused") << bad;
    EXPECT_EQ(canonical("rdma:mlx5_0/1:traffic-class", bad), "refused") << bad;
  }
  EXPECT_EQ(canonical("rdma:mlx5_0/1:cc-rp_max_rate", "4294967296"), "refused");
  EXPECT_EQ(canonical("rdma:mlx5_0/1:cma-roce-mode", "v2"), "refused");
  EXPECT_EQ(canonical("rdma:mlx5_0/1:cma-roce-tos", {}), "refused");
  EXPECT_EQ(canonical("rdma:mlx5_0:cma", "yes"), "refused");
  for (const char* const bad :
       {"rdma:", "rdma:mlx5_0", "rdma:mlx5_0:cma-roce-tos", "rdma:mlx5_0/1:cma",
        "rdma:/1:cma-roce-tos", "rdma:../1:cma-roce-tos", "rdma:mlx5_0/0:cma-roce-tos",
        "rdma:mlx5_0/01:cma-roce-tos", "rdma:mlx5_0/256:cma-roce-tos",
        "rdma:mlx5_0/1/../2:cma-roce-tos", "rdma:mlx5_0/1:cc-", "rdma:mlx5_0/1:cc-../../x",
        "rdma:mlx5_0/1:cc-np_cnp_pri", "rdma:a b/1:cma-roce-tos"})
    EXPECT_EQ(canonical(bad, "1"), "refused") << bad;
}

TEST_F(KindsRdmaProvider, WhatTheGroupHoldsComesToLightWithIt) {
  EXPECT_EQ(read_one(provider, "rdma:mlx5_0:cma").presence, Presence::absent);
  const Reading hidden = read_one(provider, "rdma:mlx5_0/2:cma-roce-tos");
  EXPECT_EQ(hidden.presence, Presence::not_yet);
  EXPECT_EQ(hidden.why, "rdma:mlx5_0:cma");
  EXPECT_EQ(provider.needs(Address{"rdma:mlx5_0/2:cma-roce-tos"}),
            std::vector<Address>{Address{"rdma:mlx5_0:cma"}});
  ASSERT_TRUE(write_one(provider, "rdma:mlx5_0:cma", {}, "present"));
  EXPECT_EQ(read_one(provider, "rdma:mlx5_0:cma").value(), "present");
  EXPECT_EQ(read_one(provider, "rdma:mlx5_0/2:cma-roce-tos").value(), "0");
  ASSERT_TRUE(write_one(provider, "rdma:mlx5_0/2:cma-roce-tos", "0", "106"));
  EXPECT_EQ(read_one(provider, "rdma:mlx5_0/2:cma-roce-tos").value(), "106");
  EXPECT_EQ(tree.get("kernel/config/rdma_cm/mlx5_0/ports/2/default_roce_tos"), "106\n");
  ASSERT_TRUE(write_one(provider, "rdma:mlx5_0/1:cma-roce-mode", "RoCE v2", "IB/RoCE v1"));
  EXPECT_EQ(read_one(provider, "rdma:mlx5_0/1:cma-roce-mode").value(), "IB/RoCE v1");
  ASSERT_TRUE(write_one(provider, "rdma:mlx5_0:cma", "present", {}));
  EXPECT_EQ(read_one(provider, "rdma:mlx5_0:cma").presence, Presence::absent);
}

TEST_F(KindsRdmaProvider, ValuesGoBackBeforeTheGroupGoes) {
  ASSERT_TRUE(write_one(provider, "rdma:mlx5_0:cma", {}, "present"));
  EXPECT_TRUE(provider.needs(Address{"rdma:mlx5_0/1:cma-roce-tos"}).empty());
  const auto first = provider.needs(Address{"rdma:mlx5_0:cma"});
  EXPECT_NE(std::ranges::find(first, Address{"rdma:mlx5_0/1:cma-roce-tos"}), first.end());
  EXPECT_NE(std::ranges::find(first, Address{"rdma:mlx5_0/2:cma-roce-mode"}), first.end());
}

TEST_F(KindsRdmaProvider, EachReasonIsAnother) {
  EXPECT_EQ(read_one(provider, "rdma:mlx5_7:cma").presence, Presence::missing);
  EXPECT_EQ(read_one(provider, "rdma:mlx5_0/3:cma-roce-tos").presence, Presence::missing);
  EXPECT_EQ(read_one(provider, "rdma:mlx5_0/1:traffic-class").presence, Presence::not_applicable);
  tree.put("class/infiniband/mlx5_0/ports/2/link_layer", "InfiniBand\n");
  const Reading infiniband = read_one(provider, "rdma:mlx5_0/2:cma-roce-tos");
  EXPECT_EQ(infiniband.presence, Presence::not_applicable);
  EXPECT_NE(infiniband.why.find("InfiniBand"), std::string::npos);
  std::filesystem::remove(tree / "kernel/config/rdma_cm");
  const Reading unmounted = read_one(provider, "rdma:mlx5_0/1:cma-roce-tos");
  EXPECT_EQ(unmounted.presence, Presence::not_applicable);
  EXPECT_NE(unmounted.why.find("not mounted"), std::string::npos);
  std::filesystem::remove(tree / "module/rdma_cm");
  for (const char* const address : {"rdma:mlx5_0/1:cma-roce-tos", "rdma:mlx5_0:cma"}) {
    EXPECT_EQ(read_one(provider, address).presence, Presence::not_yet);
    EXPECT_EQ(read_one(provider, address).why, "module:rdma_cm");
  }
}

TEST_F(KindsRdmaProvider, ADeviceThatRdmaCmDoesNotKnow) {
  refuses = true;
  const auto refused = write_one(provider, "rdma:rxe0:cma", {}, "present");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("rdma:rxe0:cma"), std::string::npos);
  EXPECT_NE(refused.error().text.find("does not know"), std::string::npos);
  const auto early = write_one(provider, "rdma:rxe0/1:cma-roce-tos", "0", "106");
  ASSERT_FALSE(early);
  EXPECT_NE(early.error().text.find("only after rdma:rxe0:cma"), std::string::npos);
}

TEST_F(KindsRdmaProvider, TheTrafficClassOfOfed) {
  const std::string file = "class/infiniband/mlx5_0/tc/1/traffic_class";
  tree.put(file, "");
  EXPECT_EQ(read_one(provider, "rdma:mlx5_0/1:traffic-class").presence, Presence::absent);
  tree.put(file, "tclass=7,src_ip=10.0.0.1\n");
  EXPECT_EQ(read_one(provider, "rdma:mlx5_0/1:traffic-class").presence, Presence::absent);
  tree.put(file, "Global tclass=106\ntclass=7,src_ip=10.0.0.1\n");
  EXPECT_EQ(read_one(provider, "rdma:mlx5_0/1:traffic-class").value(), "106");
  tree.put(file, "");
  ASSERT_TRUE(write_one(provider, "rdma:mlx5_0/1:traffic-class", {}, "41"));
  EXPECT_EQ(tree.get(file), "41\n");
  tree.put(file, "");
  ASSERT_TRUE(write_one(provider, "rdma:mlx5_0/1:traffic-class", "41", {}));
  EXPECT_EQ(tree.get(file), "-1\n");
}

TEST_F(KindsRdmaProvider, ParametersOfDcqcnStandWithTheCardOfThePort) {
  tree.put("kernel/debug/mlx5/0000:3b:00.1/cc_params/np_cnp_dscp", "48\n");
  EXPECT_EQ(read_one(provider, "rdma:mlx5_0/1:cc-np_cnp_dscp").value(), "0");
  EXPECT_EQ(read_one(provider, "rdma:mlx5_0/2:cc-np_cnp_dscp").value(), "48");
  ASSERT_TRUE(write_one(provider, "rdma:mlx5_0/2:cc-np_cnp_dscp", "48", "50"));
  EXPECT_EQ(read_one(provider, "rdma:mlx5_0/2:cc-np_cnp_dscp").value(), "50");
  EXPECT_EQ(provider.lifetime(Address{"rdma:mlx5_0/1:cc-np_cnp_dscp"}), Lifetime::firmware);
  EXPECT_EQ(provider.lifetime(Address{"rdma:mlx5_0/1:cma-roce-tos"}), Lifetime::runtime);
  const Reading other = read_one(provider, "rdma:mlx5_0/1:cc-rtt_resp_dscp");
  EXPECT_EQ(other.presence, Presence::not_applicable);
  EXPECT_NE(other.why.find("rtt_resp_dscp"), std::string::npos);
  EXPECT_EQ(read_one(provider, "rdma:rxe0/1:cc-np_cnp_dscp").presence, Presence::not_applicable);
  // A bond stands on no card: then it is that of the RDMA device.
  tree.put("class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0", "bond0\n");
  EXPECT_EQ(read_one(provider, "rdma:mlx5_0/1:cc-np_cnp_dscp").value(), "0");
}

TEST_F(KindsRdmaProvider, OfedHasThemInSysfs) {
  tree.put("class/net/ens1f0/ecn/roce_np/cnp_802p_prio", "6\n");
  EXPECT_EQ(read_one(provider, "rdma:mlx5_0/1:cc-np_cnp_prio").value(), "6");
  ASSERT_TRUE(write_one(provider, "rdma:mlx5_0/1:cc-np_cnp_prio", "6", "5"));
  EXPECT_EQ(tree.get("class/net/ens1f0/ecn/roce_np/cnp_802p_prio"), "5\n");
}

TEST_F(KindsRdmaProvider, WhatAMessageToTheFirmwareCarriesAlong) {
  const Address prio{"rdma:mlx5_0/1:cc-np_cnp_prio"};
  const Effects plain = provider.effects(prio, "0", "6");
  ASSERT_NE(find_witness(plain, "rdma:mlx5_0/1:cc-np_cnp_prio_mode"), nullptr);
  EXPECT_EQ(find_witness(plain, "rdma:mlx5_0/1:cc-np_cnp_prio_mode")->predicted, "0");
  EXPECT_EQ(plain.undo, Undo::exact);
  tree.put("kernel/debug/mlx5/0000:3b:00.0/cc_params/np_cnp_prio_mode", "1\n");
  const Effects moved = provider.effects(prio, "0", "6");
  EXPECT_EQ(moved.undo, Undo::residue);
  EXPECT_NE(moved.residue.find("np_cnp_prio_mode"), std::string::npos);
  const Effects back = provider.effects(Address{"rdma:mlx5_0/1:cc-np_cnp_prio_mode"}, "1", "0");
  ASSERT_NE(find_witness(back, prio.text), nullptr);
  EXPECT_EQ(find_witness(back, prio.text)->predicted, std::nullopt);
  EXPECT_TRUE(provider.effects(Address{"rdma:mlx5_0/1:cc-np_cnp_dscp"}, "0", "48").touches.empty());
}

TEST_F(KindsRdmaProvider, WithoutASystemNothingApplies) {
  RdmaProvider nowhere("/nonexistent/nettune", calls());
  EXPECT_EQ(read_one(nowhere, "rdma:mlx5_0:cma").presence, Presence::not_applicable);
}

}  // namespace
}  // namespace nettune::kinds::rdma
