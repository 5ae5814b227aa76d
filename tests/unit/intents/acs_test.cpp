// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/support/profile_fixture.hpp"

namespace nettune::intents {
namespace {

/// Two GPUs and a card below a switch, a second card at a root port of the same root complex, and a
/// GPU at another.
class IntentsAcs : public test::ProfileTest {
 protected:
  IntentsAcs() {
    for (const char* const gpu : {"0000:3d:00.0", "0000:3e:00.0", "0000:80:00.0"})
      facts.gpus.push_back({gpu, "10de:2330", "nvidia", 0});
    for (const auto& [name, address] :
         {std::pair("mlx5_0", "0000:3f:00.0"), std::pair("mlx5_1", "0000:50:00.0")}) {
      facts::RdmaDevice card;
      card.name = name;
      card.pci_address = address;
      facts.rdma.push_back(card);
    }
    const std::vector<std::string> all{"0000:3d:00.0", "0000:3e:00.0", "0000:3f:00.0"};
    facts.peer_ports = {{"0000:3a:00.0", "0000:3a:00.0", true, all, {"0000:41:00.0"}},
                        {"0000:3a:00.0/00.0", "0000:3b:00.0", false, all, {"0000:41:00.0"}},
                        {"0000:3a:00.0/00.0/04.0", "0000:3c:04.0", true, {all[0]}, {}},
                        {"0000:3a:00.0/00.0/08.0", "0000:3c:08.0", std::nullopt, {all[1]}, {}},
                        {"0000:3a:00.0/00.0/0c.0", "0000:3c:0c.0", true, {all[2]}, {}},
                        {"0000:3a:01.0", "0000:3a:01.0", true, {"0000:50:00.0"}, {}},
                        {"0000:7f:00.0", "0000:7f:00.0", true, {"0000:80:00.0"}, {}}};
  }
  static constexpr const char* kAddress = "boot:pci#disable_acs_redir";
};

TEST_F(IntentsAcs, PortsBetweenGpusAndCardsAreNamedByTheirPath) {
  const auto switches = good("[acs]\nredirect = \"off\"\nreach = \"switch\"\n");
  EXPECT_EQ(test::value(switches, kAddress),
            "0000:3a:00.0/00.0/04.0 0000:3a:00.0/00.0/08.0 0000:3a:00.0/00.0/0c.0");
  const std::string notes = join(switches.desired.notes, "\n");
  EXPECT_NE(notes.find("at the switch 0000:3b:00.0: 0000:3a:00.0/00.0/04.0 (GPU 0000:3d:00.0) <-> "
                       "0000:3a:00.0/00.0/08.0 (GPU 0000:3e:00.0) <-> 0000:3a:00.0/00.0/0c.0 "
                       "(mlx5_0) reach each other's memory"),
            std::string::npos)
      << notes;
}

TEST_F(IntentsAcs, WhereAnotherDeviceIsBehindAPortItKeepsItsIsolation) {
  // The root port of the switch leads to a disk, too.
  const auto both = good("[acs]\nredirect = \"off\"\n");
  EXPECT_EQ(test::value(both, kAddress),
            "0000:3a:00.0/00.0/04.0 0000:3a:00.0/00.0/08.0 0000:3a:00.0/00.0/0c.0 0000:3a:01.0");
  EXPECT_NE(join(both.desired.notes, "\n")
                .find("the port 0000:3a:00.0 keeps ACS redirect: behind it are 0000:41:00.0, too"),
            std::string::npos);
}

TEST_F(IntentsAcs, GuestsKeepTheirIsolationUnlessTheSiteSaysOtherwise) {
  facts.guests = {"vfio_pci is loaded"};
  const auto refused = good("[acs]\nredirect = \"off\"\n");
  EXPECT_EQ(test::find(refused, kAddress), nullptr);
  ASSERT_EQ(refused.misfits.size(), 1U);
  EXPECT_NE(refused.misfits[0].find("vfio_pci is loaded; if it may"), std::string::npos);
  site("[boot]\nacs_with_guests = true\n");
  EXPECT_NE(test::find(good("[acs]\nredirect = \"off\"\n"), kAddress), nullptr);
}

TEST_F(IntentsAcs, NothingInCommonIsNothingToDo) {
  facts.peer_ports.resize(1);
  const auto result = good("[acs]\nredirect = \"off\"\n");
  EXPECT_EQ(test::find(result, kAddress), nullptr);
  EXPECT_EQ(result.desired.skipped.size(), 1U);
  bad("[acs]\nredirect = \"on\"\n", 5, {"off"});
  bad("[acs]\nreach = \"switch\"\n", 4, {"redirect"});
}

}  // namespace
}  // namespace nettune::intents
