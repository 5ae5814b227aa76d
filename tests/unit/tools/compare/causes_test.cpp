// SPDX-License-Identifier: Apache-2.0
//
// One cause is one finding: what else differs because of it is listed with it.

#include <algorithm>
#include <ctime>

#include "tools/compare/program/compare_command.hpp"
#include "unit/tools/compare/fixture.hpp"

namespace nettune::tools::compare {
namespace {

using Said = std::vector<std::string>;

/// What said() says, with the number of consequences behind it.
Said with_consequences(const Fleet& fleet) {
  const auto comparison = compare(fleet, "");
  EXPECT_TRUE(comparison);
  Said out = said(fleet);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] += cat(" +", comparison->findings[i].consequences.size());
  return out;
}

Json& device_named(Json& list, const std::string& name) {
  return *std::ranges::find_if(list, [&](const Json& one) { return one["name"] == name; });
}

/// Adds what --full has: two GPUs with links, and their distances to both cards.
void add_full(Json& document) {
  Json gpus = Json::array();
  Json distances = Json::array();
  for (const Json& gpu : document["gpus"]) {
    gpus.push_back({{"pci_address", gpu["pci_address"]}, {"nvlinks_up", 18}});
    for (const Json& card : document["rdma"])
      distances.push_back(
          {{"gpu", gpu["pci_address"]}, {"rdma", card["name"]}, {"distance", "PXB"}});
  }
  document["full"] = {{"gpus", gpus},
                      {"distances", distances},
                      {"driver",
                       {{"module", "550.54"},
                        {"library", "550.54"},
                        {"cuda", "12.4"},
                        {"fabric_manager", "550.54"}}}};
}

/// As udev and the kernel have it: interfaces with the addresses of their cards.
void add_addresses(Json& document) {
  for (std::size_t port = 0; port < document["rdma"].size(); ++port) {
    Json& card = document["rdma"][port];
    device_named(document["net"], card["ports"][0]["netdev"])["pci_address"] = card["pci_address"];
  }
}

TEST(CompareCauses, ALostGpuIsOneLineWithAllThatIsAboutIt) {
  const Fleet fleet = fleet_of(6, [](int i, Json& document) {
    if (i == 2) document["gpus"].erase(1);
    add_full(document);
    if (i == 2) document["full"]["gpus"][0]["nvlinks_up"] = 0;
  });
  EXPECT_EQ(with_consequences(fleet),
            Said{"missing gpus[0000:41:00.0] missing@gpu2 not present +4"});
}

TEST(CompareCauses, ALostGpuExplainsNothingOnOtherNodes) {
  const Fleet fleet = fleet_of(6, [](int i, Json& document) {
    if (i == 2) document["gpus"].erase(1);
    add_full(document);
    if (i == 4) document["full"]["gpus"][0]["nvlinks_up"] = 0;
  });
  const Said found = with_consequences(fleet);
  EXPECT_EQ(found.size(), 2U) << join(found, "\n");
  EXPECT_TRUE(
      std::ranges::count(found, "differs full.gpus[0000:40:00.0].nvlinks_up 0@gpu4 not 18 +0"))
      << join(found, "\n");
}

TEST(CompareCauses, ALostCardIsOneLineAlsoIfTheOthersMoveUp) {
  const Fleet fleet = fleet_of(6, [](int i, Json& document) {
    add_addresses(document);
    if (i != 3) return;
    // mlx5_0 fell off; what was mlx5_1 is mlx5_0 after the next boot.
    document["rdma"].erase(0);
    document["rdma"][0]["name"] = "mlx5_0";
    document["net"].erase(3);
  });
  const Said found = with_consequences(fleet);
  EXPECT_EQ(found, Said{"missing rdma[mlx5_0] missing@gpu3 not present +2"});
}

TEST(CompareCauses, SwappedNamesAreOneLineWhateverFollowsTheNames) {
  const Fleet fleet = fleet_of(6, [](int i, Json& document) {
    add_addresses(document);
    Json& first = device_named(document["net"], "ens0");
    Json& second = device_named(document["net"], "ens1");
    first["numa_node"] = 0;
    second["numa_node"] = 1;
    second["mtu"] = 1500;
    if (i != 4) return;
    first["name"] = "ens1";
    second["name"] = "ens0";
    std::swap(first["mtu"], second["mtu"]);  // it is set by name
    document["rdma"][0]["ports"][0]["netdev"] = "ens1";
    document["rdma"][1]["ports"][0]["netdev"] = "ens0";
  });
  EXPECT_EQ(with_consequences(fleet),
            Said{"differs net[ens0].name+net[ens1].name ens1, ens0@gpu4 not ens0, ens1 +2"});
}

TEST(CompareCauses, WhatDiffersUnderBothNamesIsAFindingOfItsOwn) {
  const Fleet fleet = fleet_of(6, [](int i, Json& document) {
    add_addresses(document);
    if (i != 4) return;
    Json& first = device_named(document["net"], "ens0");
    Json& second = device_named(document["net"], "ens1");
    first["name"] = "ens1";
    second["name"] = "ens0";
    first["mtu"] = 4200;
    document["rdma"][0]["ports"][0]["netdev"] = "ens1";
    document["rdma"][1]["ports"][0]["netdev"] = "ens0";
  });
  const Said found = with_consequences(fleet);
  EXPECT_EQ(found.size(), 2U) << join(found, "\n");
  EXPECT_TRUE(std::ranges::count(found, "differs net[ens0].mtu 4200@gpu4 not 9000 +0"))
      << join(found, "\n");
}

TEST(CompareCauses, PartsOfTheDriverMoveTogether) {
  const auto driver = [](Json& document, const char* module, const char* library) {
    document["full"]["driver"]["module"] = module;
    document["full"]["driver"]["library"] = library;
    document["full"]["driver"]["fabric_manager"] = module;
    document["full"]["driver"]["cuda"] = "12.2";
  };
  EXPECT_EQ(with_consequences(fleet_of(6,
                                       [&](int i, Json& document) {
                                         add_full(document);
                                         if (i < 1) driver(document, "535.1", "535.1");
                                       })),
            Said{"differs full.driver.module 535.1@gpu0 not 550.54 +3"});
  // A library that does not fit its module is not explained by the module.
  const Said found = with_consequences(fleet_of(6, [&](int i, Json& document) {
    add_full(document);
    if (i < 1) driver(document, "535.1", "535.9");
  }));
  EXPECT_EQ(found, (Said{"differs full.driver.library 535.9@gpu0 not 550.54 +0",
                         "differs full.driver.module 535.1@gpu0 not 550.54 +2"}));
  EXPECT_EQ(with_consequences(fleet_of(8,
                                       [&](int i, Json& document) {
                                         add_full(document);
                                         if (i % 2 == 0) driver(document, "535.1", "535.1");
                                       }))
                .size(),
            1U);
}

TEST(CompareCauses, FactsOfThePlatformAreComparedAndTheirCauseIsNamed) {
  const auto platform = [](Json& document) -> Json& { return document["node"]["platform"]; };
  const auto fleet = [&](auto&& edit) {
    return with_consequences(fleet_of(6, [&](int i, Json& document) {
      if (i == 5) return;  // an old document
      platform(document) = {
          {"bios_version", "2.1"},
          {"bios_date", "01/02/2024"},
          {"microcode", "0x1"},
          {"idle_states", {"POLL", "C1", "C6"}},
          {"iommu", "passthrough"},
          {"memory_mib", 2000000 + i},
          {"dimms", 32},
          {"kernel_options", Json::array({{{"name", "iommu"}, {"value", "pt"}}})}};
      document["rdma"][0]["psid"] = "MT_1";
      document["rdma"][0]["driver_version"] = "24.10";
      document["rdma"][0]["pcie_width"] = 16;
      if (i == 1) edit(document);
    }));
  };
  EXPECT_EQ(fleet([](Json&) {}), Said{});
  EXPECT_EQ(fleet([&](Json& one) {
              platform(one)["bios_version"] = "1.9";
              platform(one)["bios_date"] = "05/06/2023";
              platform(one)["microcode"] = "0x0";
            }),
            Said{"differs node.platform.bios_version 1.9@gpu1 not 2.1 +2"});
  EXPECT_EQ(fleet([&](Json& one) {
              platform(one)["iommu"] = "translating";
              platform(one)["kernel_options"] = Json::array();
            }),
            Said{"missing node.platform.kernel_options[iommu] missing@gpu1 not present +1"});
  EXPECT_EQ(fleet([&](Json& one) {
              platform(one)["memory_mib"] = 1937500;
              platform(one)["dimms"] = 31;
            }),
            Said{"differs node.platform.dimms 31@gpu1 not 32 +1"});
  EXPECT_EQ(fleet([&](Json& one) {
              platform(one)["idle_states"] = {"POLL", "C1"};
            }),
            Said{"missing node.platform.idle_states[C6] missing@gpu1 not present +0"});
  EXPECT_EQ(fleet([&](Json& one) {
              one["rdma"][0]["psid"] = "MT_2";
              one["rdma"][0]["firmware"] = "28.1";
            }),
            Said{"differs rdma[mlx5_0].psid MT_2@gpu1 not MT_1 +1"});
  EXPECT_EQ(fleet([&](Json& one) { one["rdma"][0]["driver_version"] = "the kernel's own"; }),
            Said{"differs rdma[mlx5_0].driver_version the kernel's own@gpu1 not 24.10 +0"});
  EXPECT_EQ(fleet([&](Json& one) { one["rdma"][0]["pcie_width"] = 8; }),
            Said{"differs rdma[mlx5_0].pcie_width 8@gpu1 not 16 +0"});
}

TEST(CompareCauses, TheTextNamesWhatFollows) {
  const Fleet fleet = fleet_of(6, [](int i, Json& document) {
    if (i == 2) document["gpus"].erase(1);
    add_full(document);
  });
  const auto found = compare(fleet, "");
  ASSERT_TRUE(found);
  EXPECT_EQ(program::text::comparison(fleet, *found, true, {}),
            "6 nodes; 1 differs from the others\n"
            "  slows  gpus[0000:41:00.0]: missing on gpu2; 5 have it; so also "
            "full.distances[0000:41:00.0 mlx5_[0-1]],full.gpus[0000:41:00.0]\n"
            "         a job waits for the rank with the slowest GPU\n");
}

/// The time of a comparison of nodes whose names come in pairs.
double seconds_of_pairs(int count) {
  Gatherer gatherer(rules());
  for (int i = 0; i < count; ++i) {
    Node node;
    node.name = cat("gpu", i / 2);
    node.file = cat("n", i, ".json");
    node.kind = "facts";
    node.machine = cat("m", i);
    node.shape = gatherer.fleet().value_number("");
    const std::uint32_t parent = gatherer.fleet().child(0, "node");
    node.identities.push_back(
        {gatherer.fleet().child(parent, "hostname"), gatherer.fleet().keep(node.name)});
    gatherer.fleet().add(std::move(node));
  }
  Fleet& fleet = gatherer.fleet();
  const auto before = std::clock();
  fleet.finish();
  const auto comparison = compare(fleet, "");
  EXPECT_TRUE(comparison);
  EXPECT_EQ(comparison->findings.size(), static_cast<std::size_t>(count / 2));
  return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
}

TEST(CompareCauses, NamesInPairsCostLinearTime) {
  const double small = seconds_of_pairs(3000);
  const double large = seconds_of_pairs(30000);
  // Ten times the nodes cost ten times the time, not a hundred.
  EXPECT_LT(large, 35 * small + 0.5) << small << " s and " << large << " s";
}

}  // namespace
}  // namespace nettune::tools::compare
