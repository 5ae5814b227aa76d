// SPDX-License-Identifier: Apache-2.0
//
// Which node is not like the others: each rule with a deviation, without one, without a majority,
// and with what is not known.

#include <algorithm>
#include <random>

#include "unit/tools/compare/fixture.hpp"

namespace nettune::tools::compare {
namespace {

using Said = std::vector<std::string>;

void nothing(int /*node*/, Json& /*document*/) {}

Json& port_of(Json& document, std::size_t device) { return document["rdma"][device]["ports"][0]; }
Json& net_of(Json& document, std::size_t port) { return document["net"][3 + port]; }

TEST(CompareFindings, NodesThatAreAlikeAreAlike) {
  for (const int count : {1, 2, 3, 5, 9})
    EXPECT_EQ(said(fleet_of(count, nothing)), Said{}) << count;
}

TEST(CompareFindings, OneOfSeveralDiffers) {
  for (const int count : {3, 5, 9}) {
    const Fleet fleet = fleet_of(count, [](int i, Json& document) {
      if (i == 1) document["node"]["kernel"] = "6.1.0-38-amd64";
    });
    EXPECT_EQ(said(fleet), Said{"differs node.kernel 6.1.0-38-amd64@gpu1 not 6.1.0-37-amd64"});
  }
}

TEST(CompareFindings, TwoNodesHaveNoMajority) {
  const Fleet fleet = fleet_of(2, [](int i, Json& document) {
    if (i == 1) document["node"]["kernel"] = "6.1.0-38-amd64";
  });
  EXPECT_EQ(said(fleet), Said{"populations node.kernel 6.1.0-37-amd64@gpu0 6.1.0-38-amd64@gpu1"});
}

TEST(CompareFindings, PopulationsBlameNobody) {
  const Fleet fleet = fleet_of(9, [](int i, Json& document) {
    if (i % 3 == 0) document["node"]["kernel"] = "6.12.1-amd64";
  });
  EXPECT_EQ(said(fleet), Said{"populations node.kernel "
                              "6.1.0-37-amd64@gpu1,gpu2,gpu4,gpu5,gpu7,gpu8 "
                              "6.12.1-amd64@gpu0,gpu3,gpu6"});
  const auto comparison = compare(fleet, "");
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->deviating, 0U);
}

TEST(CompareFindings, WhatIsUnknownIsNoDifference) {
  const Fleet fleet = fleet_of(5, [](int i, Json& document) {
    if (i == 2) document["node"].erase("kernel");
    if (i == 3) document["node"]["kernel"] = nullptr;
    if (i == 4) document["node"]["kernel"] = "";
    if (i == 2) document.erase("rdma");
  });
  // A node without the list of RDMA devices says nothing of them; its shape is another one then.
  for (const std::string& one : said(fleet)) EXPECT_TRUE(one.starts_with("shape")) << one;
}

TEST(CompareFindings, DevicesThatDifferAlikeAreOneFinding) {
  const Fleet fleet = fleet_of(5, [](int i, Json& document) {
    if (i != 3) return;
    for (Json& device : document["rdma"]) device["firmware"] = "28.36.1010";
  });
  EXPECT_EQ(said(fleet), Said{"differs rdma[mlx5_0].firmware+rdma[mlx5_1].firmware "
                              "28.36.1010@gpu3 not 28.39.1002"});
}

TEST(CompareFindings, ALostDeviceIsMissingOnceAndTheShapeStays) {
  const Fleet fleet = fleet_of(5, [](int i, Json& document) {
    if (i == 2) document["gpus"].erase(1);
  });
  EXPECT_EQ(said(fleet), Said{"missing gpus[0000:41:00.0] missing@gpu2 not present"});
}

TEST(CompareFindings, ANameInAListIsThereOrNot) {
  const Fleet fleet = fleet_of(5, [](int i, Json& document) {
    if (i == 0) document["services"].push_back("docker");
    if (i == 4) document["services"].erase(1);
  });
  EXPECT_EQ(said(fleet), (Said{"extra services[docker] present@gpu0 not missing",
                               "missing services[chrony] missing@gpu4 not present"}));
}

TEST(CompareFindings, WhatMustDifferIsFoundOverAllShapes) {
  const Fleet fleet = fleet_of(6, [](int i, Json& document) {
    if (i == 5) document["node"]["machine_id"] = "machine1";
    if (i > 3) document["gpus"][0]["pci_id"] = document["gpus"][1]["pci_id"] = "10de:20b2";
    if (i == 2) net_of(document, 0)["addresses"][0] = "10.0.0.1/24";  // that of gpu1 is 10.0.0.1/16
    if (i == 2) net_of(document, 0)["mac"] = "b8:ce:f6:00:00:1";
  });
  const Said found = said(fleet);
  EXPECT_TRUE(std::ranges::count(found, "duplicate node.machine_id machine1@gpu1,gpu5"));
  EXPECT_TRUE(std::ranges::count(found, "duplicate net[ens0].addresses[] 10.0.0.1@gpu1,gpu2"));
  EXPECT_TRUE(std::ranges::count(found, "duplicate net[ens0].mac b8:ce:f6:00:00:1@gpu1,gpu2"));
  // docker0 and lo have one address on all nodes, and should.
  for (const std::string& one : found) {
    EXPECT_EQ(one.find("172.17"), std::string::npos);
    EXPECT_EQ(one.find("127.0"), std::string::npos);
  }
}

TEST(CompareFindings, ContainersOfOneHostShareItsBoot) {
  const Fleet fleet = fleet_of(4, [](int i, Json& document) {
    document["node"]["container"] = "docker";
    document["node"]["boot_id"] = "boot";
    document["node"]["machine_id"] = i < 2 ? "one" : "two";
  });
  for (const std::string& one : said(fleet))
    EXPECT_EQ(one.find("duplicate"), std::string::npos) << one;
}

TEST(CompareFindings, HostsThatNcclTakesForOne) {
  const Fleet fleet = fleet_of(4, [](int i, Json& document) {
    if (i == 3) document["node"]["hostname"] = "gpu0";
    if (i == 3) document["node"]["boot_id"] = "boot0";
  });
  const Said found = said(fleet);
  EXPECT_TRUE(std::ranges::count(found,
                                 "duplicate nccl_host_id gpu0 boot0@gpu0 (node0.json),gpu0 "
                                 "(node3.json)"))
      << join(found, "\n");
  EXPECT_TRUE(std::ranges::count(
      found, "duplicate node.hostname gpu0@gpu0 (node0.json),gpu0 (node3.json)"));
}

TEST(CompareFindings, WhatContainersMakeIsPassedOver) {
  const Fleet fleet = fleet_of(5, [](int i, Json& document) {
    document["net"].push_back(
        {{"name", cat("br-0123456789a", i)}, {"kind", "bridge"}, {"mtu", 1500 + i}});
    if (i == 1) document["net"].push_back({{"name", "flannel.1"}, {"kind", "vxlan"}});
    if (i == 2) document["net"].push_back({{"name", "kube-ipvs0"}, {"kind", "dummy"}});
    if (i == 3) document["at_work"].push_back({{"what", "GPU process"}, {"pid", 7}});
  });
  EXPECT_EQ(said(fleet), Said{});
}

TEST(CompareFindings, TwoLayoutsOfOneShapeAreTwoFindings) {
  const Fleet fleet = fleet_of(9, [](int i, Json& document) {
    if (i >= 5)
      for (std::size_t gpu = 0; gpu < 2; ++gpu)
        document["gpus"][gpu]["pci_address"] = cat("0000:5", gpu, ":00.0");
  });
  const Said found = said(fleet);
  ASSERT_EQ(found.size(), 2U) << join(found, "\n");
  for (const std::string& one : found) EXPECT_TRUE(one.starts_with("populations gpus[")) << one;
}

TEST(CompareFindings, OneNodeGatheredTwiceIsSaidToBe) {
  Gatherer gatherer(rules());
  for (const char* const file : {"a.json", "b.json"}) gather(gatherer, facts(1), file);
  gather(gatherer, facts(2), "c.json");
  Fleet& fleet = gatherer.fleet();
  fleet.finish();
  EXPECT_EQ(fleet.nodes().size(), 2U);
  ASSERT_EQ(fleet.twice().size(), 1U);
  EXPECT_EQ(fleet.twice()[0].file, "b.json");
  EXPECT_EQ(said(fleet), Said{});
}

TEST(CompareFindings, TheIndexOfTheGidIsComparedAndNotTheGids) {
  const Fleet fleet = fleet_of(5, [](int i, Json& document) {
    if (i == 1) port_of(document, 0)["gids"][1]["index"] = 5;
    if (i == 2) port_of(document, 1)["gids"].push_back(Json{{"index", 7}, {"type", "RoCE v2"}});
  });
  EXPECT_EQ(said(fleet), Said{"differs rdma[mlx5_0].ports[1].roce_v2_gid_index 5@gpu1 not 3"});
}

TEST(CompareFindings, RailsAreComparedBetweenShapes) {
  const Fleet fleet = fleet_of(8, [](int i, Json& document) {
    if (i < 5) return;
    for (Json& device : document["rdma"]) device["pci_id"] = "15b3:101b";
    port_of(document, 1)["rate_gbps"] = 200.0;
    net_of(document, 0)["mtu"] = 4200;
  });
  EXPECT_EQ(said(fleet),
            (Said{"rails rail[0].mtu 9000@gpu0,gpu1,gpu2,gpu3,gpu4 4200@gpu5,gpu6,gpu7",
                  "rails rail[0].pci_id+rail[1].pci_id 15b3:1021@gpu0,gpu1,gpu2,gpu3,gpu4 "
                  "15b3:101b@gpu5,gpu6,gpu7",
                  "rails rail[1].rate_gbps 400.0@gpu0,gpu1,gpu2,gpu3,gpu4 "
                  "200.0@gpu5,gpu6,gpu7"}));
}

TEST(CompareFindings, AShapeOfTheirOwnIsNamed) {
  const Fleet fleet = fleet_of(6, [](int i, Json& document) {
    if (i == 4) document["rdma"] = Json::array();
  });
  const Said found = said(fleet);
  ASSERT_EQ(found.size(), 1U) << join(found, "\n");
  EXPECT_TRUE(found[0].starts_with("shape shape ")) << found[0];
  EXPECT_NE(found[0].find("@gpu4 not "), std::string::npos) << found[0];
}

TEST(CompareFindings, GroupsByAValueInstead) {
  const Fleet fleet = fleet_of(8, [](int i, Json& document) {
    document["node"]["os_version"] = i < 4 ? "12" : "13";
    document["node"]["kernel"] = i < 4 ? "6.1.0" : "6.12.0";
    if (i == 6) document["node"]["cpus"] = 96;
  });
  EXPECT_EQ(said(fleet, "node.os_version"), Said{"differs node.cpus 96@gpu6 not 192"});
  EXPECT_FALSE(compare(fleet, "node.rack"));
}

TEST(CompareFindings, APathThatDiffersEverywhereIsAnIdentity) {
  const Fleet fleet = fleet_of(6, [](int i, Json& document) { document["asset"] = i; });
  EXPECT_EQ(said(fleet), Said{});
  const auto comparison = compare(fleet, "");
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->groups.at(0).identifying, 1U);
}

TEST(CompareFindings, NumbersAreComparedWithTheMedian) {
  auto rules_of = parse_rules(
      "schema = 1\n[[path]]\npath = \"node.hostname\"\nclass = \"differ\"\n[[path]]\npath = "
      "\"gb_s\"\nclass = \"number\"\nworse = \"low\"\n",
      "r.toml");
  ASSERT_TRUE(rules_of);
  const auto values = [&](std::vector<double> all) {
    return said(fleet_of(
        static_cast<int>(all.size()),
        [&](int i, Json& document) {
          document = {{"node", {{"hostname", "n" + std::to_string(i)}}},
                      {"gb_s", all[static_cast<std::size_t>(i)]}};
        },
        *rules_of));
  };
  EXPECT_EQ(values({90, 91, 92, 90.5, 91.5, 60}), Said{"number gb_s 60@n5 not 90.75"});
  EXPECT_EQ(values({90, 91, 92, 90.5, 91.5, 120}), Said{});  // faster is no fault
  EXPECT_EQ(values({90, 90, 90, 90, 88}), Said{});           // MAD is 0, and 2 % below the floor
  EXPECT_EQ(values({90, 90, 90, 90, 80}), Said{"number gb_s 80@n4 not 90"});
  EXPECT_EQ(values({90, 40}), Said{});
}

TEST(CompareFindings, TheOrderOfFilesAndListsChangesNothing) {
  const auto edit = [](int i, Json& document) {
    if (i == 3) document["rdma"][1]["firmware"] = "28.36.1010";
    if (i == 5) document["gpus"].erase(0);
    if (i == 7) document["node"]["machine_id"] = "machine2";
  };
  const Said expected = said(fleet_of(9, edit));
  EXPECT_EQ(expected.size(), 3U);
  std::mt19937 random(7);
  for (int round = 0; round < 10; ++round) {
    std::vector<int> order = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    std::ranges::shuffle(order, random);
    // Read by two threads as well.
    Gatherer left(rules());
    Gatherer right(rules());
    for (std::size_t k = 0; k < order.size(); ++k) {
      Json document = facts(order[k]);
      edit(order[k], document);
      for (const char* const list : {"net", "rdma", "gpus", "services"})
        std::shuffle(document[list].begin(), document[list].end(), random);
      gather(k % 2 == 0 ? left : right, document, cat("node", order[k], ".json"));
    }
    Fleet fleet = std::move(left.fleet());
    fleet.merge(std::move(right.fleet()));
    fleet.finish();
    EXPECT_EQ(said(fleet), expected);
  }
}

TEST(CompareFindings, DocumentsOfOneNodeBelongTogether) {
  Gatherer gatherer(rules());
  for (int i = 0; i < 4; ++i) {
    gather(gatherer, facts(i), cat("gpu", i, ".facts.json"));
    gather(gatherer,
           {{"kind", "other"}, {"hostname", cat("gpu", i)}, {"driver", i == 2 ? "535" : "550"}},
           cat("gpu", i, ".other.json"));
  }
  // What Ansible puts around facts.
  gather(gatherer, {{"ansible_facts", {{"nettune", facts(9)}}}}, "gpu9");
  Fleet& fleet = gatherer.fleet();
  fleet.finish();
  EXPECT_EQ(fleet.nodes().size(), 5U);
  EXPECT_EQ(said(fleet), Said{"differs other.driver 535@gpu2 not 550"});
}

TEST(CompareFindings, VerdictsOfDoctorAreCompared) {
  Gatherer gatherer(rules());
  for (int i = 0; i < 5; ++i) {
    gather(gatherer, facts(i), cat("f", i, ".json"));
    const auto finding = [&](const char* rule, const char* device, const char* verdict) {
      return Json{
          {"rule", rule}, {"device", device}, {"verdict", verdict}, {"seen", cat("text ", i)}};
    };
    Json findings = {finding("pci-link", "mlx5_0", i == 3 ? "fault" : "good"),
                     finding("pci-link", "mlx5_1", i == 1 ? "unknown" : "good")};
    if (i != 2)
      findings.push_back(finding("acs", "mlx5_0", "good"));  // a rule that said nothing there
    gather(gatherer,
           {{"schema", 1},
            {"kind", "doctor"},
            {"node", cat("gpu", i)},
            {"ready", i != 3},
            {"counts", {{"fault", i}}},
            {"findings", findings},
            {"took_ms", 900 + i}},
           cat("d", i, ".json"));
  }
  Fleet& fleet = gatherer.fleet();
  fleet.finish();
  EXPECT_EQ(fleet.nodes().size(), 5U);
  EXPECT_EQ(said(fleet),
            (Said{"differs doctor.ready false@gpu3 not true",
                  "differs doctor.findings[pci-link mlx5_0].verdict fault@gpu3 not good"}));
}

TEST(CompareFindings, ResultsOfTestBelongToWhoSent) {
  Gatherer gatherer(rules());
  for (int i = 0; i < 6; ++i) {
    gather(gatherer, facts(i), cat("f", i, ".json"));
    for (const char* const interface : {"ens0", "ens1"}) {
      const double gbps = i == 4 && interface[3] == '1' ? 61.5 : 98 + i * 0.1;
      gather(gatherer,
             {{"kind", "test"},
              {"test", "bandwidth"},
              {"time", cat("12:0", i)},
              {"from", {{"host", cat("gpu", i)}, {"interface", interface}, {"load", i}}},
              {"to", {{"host", cat("gpu", (i + 1) % 6)}}},
              {"gbps", gbps},
              {"verdict", "ok"}},
             "results.jsonl");
    }
  }
  Fleet& fleet = gatherer.fleet();
  fleet.finish();
  EXPECT_EQ(fleet.nodes().size(), 6U);
  EXPECT_EQ(said(fleet), Said{"number test[bandwidth ens1].gbps 61.5@gpu4 not 98.15"});
  gather(gatherer, {{"kind", "test"}, {"gbps", 5}}, "odd.json");
  EXPECT_EQ(fleet.unread().size(), 1U);
}

TEST(CompareFindings, DamagedTextsAreErrorsAndNoCrash) {
  std::mt19937 random(17);
  const std::string whole = facts(1).dump();
  for (int round = 0; round < 3000; ++round) {
    std::string text = whole;
    for (unsigned i = 0; i < 1 + random() % 4; ++i) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0) {
        text.erase(at, random() % 40);
      } else {
        text[at] = "{}[]\",:0\\x\x01\xff"[random() % 13];
      }
    }
    Gatherer gatherer(rules());
    gatherer.begin_file("x.json");
    const auto done = json::read_in_place(text, gatherer);
    EXPECT_TRUE(done || !done.error().text.empty());
    gather(gatherer, facts(2), "y.json");
    gatherer.fleet().finish();
    EXPECT_TRUE(compare(gatherer.fleet(), ""));
  }
}

TEST(CompareFindings, WhatIsNoFactsIsCountedAsUnread) {
  Gatherer gatherer(rules());
  gather(gatherer, Json::array({1, 2}), "list.json");
  gather(gatherer, {{"schema", 1}, {"kind", "error"}, {"error", {{"text", "not root"}}}}, "e.json");
  std::string cut = "{\"node\": {\"hostname\": \"gp";
  gatherer.begin_file("cut.json");
  EXPECT_FALSE(json::read_in_place(cut, gatherer));
  gather(gatherer, facts(1), "good.json");
  EXPECT_EQ(gatherer.fleet().nodes().size(), 1U);
  ASSERT_EQ(gatherer.fleet().unread().size(), 2U);
  EXPECT_NE(gatherer.fleet().unread()[1].why.find("not root"), std::string::npos);
}

}  // namespace
}  // namespace nettune::tools::compare
