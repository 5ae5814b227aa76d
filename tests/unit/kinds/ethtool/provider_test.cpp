// SPDX-License-Identifier: Apache-2.0
#include "kinds/ethtool/provider.hpp"

#include <algorithm>
#include <cerrno>
#include <gtest/gtest.h>
#include <linux/ethtool_netlink.h>
#include <set>

#include "kinds/ethtool/table.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::kinds::ethtool {
namespace {

using namespace test;

using kernel::EthtoolChange;
using kernel::EthtoolGroup;
using kernel::EthtoolState;

using Group = std::pair<std::string, EthtoolGroup>;

class KindsEthtoolProvider : public testing::Test {
 protected:
  KindsEthtoolProvider() {
    auto& pause = states[{"ens1", EthtoolGroup::pause}];
    pause.numbers = {
        {ETHTOOL_A_PAUSE_AUTONEG, 0}, {ETHTOOL_A_PAUSE_RX, 1}, {ETHTOOL_A_PAUSE_TX, 1}};
    auto& rings = states[{"ens1", EthtoolGroup::rings}];
    rings.numbers = {{ETHTOOL_A_RINGS_RX_MAX, 8192},
                     {ETHTOOL_A_RINGS_TX_MAX, 8192},
                     {ETHTOOL_A_RINGS_RX, 1024},
                     {ETHTOOL_A_RINGS_TX, 1024}};
    auto& coalesce = states[{"ens1", EthtoolGroup::coalesce}];
    coalesce.numbers = {{ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX, 1},
                        {ETHTOOL_A_COALESCE_RX_USECS, 8},
                        {ETHTOOL_A_COALESCE_RX_MAX_FRAMES, 128},
                        {ETHTOOL_A_COALESCE_TX_USECS, 16}};
    auto& features = states[{"ens1", EthtoolGroup::features}];
    for (const char* const name : {"rx-checksum", "rx-gro-hw", "tx-checksum-ip-generic",
                                   "tx-scatter-gather", "tx-tcp-segmentation", "rx-gro"})
      features.bits[name] = {true, true, false};
    features.bits["rx-lro"] = {false, false, false};
    features.bits["rx-vlan-filter"] = {false, false, true};
    auto& flags = states[{"ens1", EthtoolGroup::flags}];
    flags.bits = {{"fw-lldp-agent", {true, true, false}}, {"other", {false, false, false}}};
    sys.make("class/net/ens1/device");
  }

  EthtoolCalls calls() {
    EthtoolCalls fake;
    fake.get = [this](const std::string& interface, EthtoolGroup group) -> Result<EthtoolState> {
      asked.emplace_back(interface, group);
      if (interface != "ens1") return fail(Errc::not_found, "No such device", ENODEV);
      if (read_error) return fail(*read_error);
      const auto found = states.find({interface, group});
      if (found == states.end()) return fail(Errc::unsupported, "not supported", EOPNOTSUPP);
      return found->second;
    };
    fake.set = [this](const std::string& interface, EthtoolGroup group,
                      const EthtoolChange& change) -> Result<> {
      sent.push_back(change);
      EthtoolState& state = states[{interface, group}];
      if (on_set) return on_set(state, change);
      take(state, change);
      return {};
    };
    return fake;
  }

  static void take(EthtoolState& state, const EthtoolChange& change) {
    for (const auto& [attribute, value] : change.numbers) state.numbers[attribute] = value;
    for (const auto& [name, on] : change.bits) state.bits[name] = {on, on, false};
  }

  std::uint32_t number(EthtoolGroup group, int attribute) {
    return states.at({"ens1", group}).numbers.at(attribute);
  }

  Effects effects(const std::string& address, const std::string& after) {
    const Reading now = read_one(provider, address);
    return provider.effects(Address{address}, now.value(), after);
  }

  std::string canonical(const std::string& address, const Value& want) {
    auto value = provider.canonical(Address{address}, want);
    return value && *value ? **value : "refused";
  }

  Scratch sys;
  std::map<Group, EthtoolState> states;
  std::vector<Group> asked;
  std::vector<EthtoolChange> sent;
  std::optional<Error> read_error;
  std::function<Result<>(EthtoolState&, const EthtoolChange&)> on_set;
  EthtoolProvider provider{sys.path(), calls(), {std::chrono::milliseconds(50), {}}};
};

TEST_F(KindsEthtoolProvider, EveryKeyOfTheTableIsKnownAndHasOneAttribute) {
  std::set<std::pair<EthtoolGroup, int>> attributes;
  for (const EthtoolParameter& parameter : ethtool_parameters()) {
    EXPECT_TRUE(ethtool::ethtool_value(parameter.key)) << parameter.key;
    EXPECT_TRUE(attributes.emplace(parameter.group, parameter.attribute).second) << parameter.key;
    const auto target = ethtool_target(Address{"ethtool:ens1:" + std::string(parameter.key)});
    ASSERT_TRUE(target);
    EXPECT_EQ(target->parameter, &parameter);
  }
}

TEST_F(KindsEthtoolProvider, AnOldValueAboveTheMaximumHasNoWayBack) {
  EXPECT_EQ(effects("ethtool:ens1:ring-rx", "512").undo, Undo::exact);
  states[{"ens1", EthtoolGroup::rings}].numbers[ETHTOOL_A_RINGS_RX] = 16384;
  const Effects found = effects("ethtool:ens1:ring-rx", "512");
  EXPECT_EQ(found.undo, Undo::none);
  EXPECT_NE(
      found.residue.find("16384, can never be set again: the maximum of ring-rx on ens1 is 8192"),
      std::string::npos)
      << found.residue;
}

TEST_F(KindsEthtoolProvider, AGroupIsAskedForOnce) {
  const std::vector<Address> addresses = {
      Address{"ethtool:ens1:ring-rx"}, Address{"ethtool:ens1:ring-tx"},
      Address{"ethtool:ens1:pause-autoneg"}, Address{"ethtool:ens9:ring-rx"}};
  const auto readings = provider.read(addresses);
  ASSERT_EQ(readings.size(), 4U);
  EXPECT_EQ(readings[0].value(), "1024");
  EXPECT_EQ(readings[1].value(), "1024");
  EXPECT_EQ(readings[2].value(), "off");
  EXPECT_EQ(readings[3].presence, Presence::missing);
  const std::vector<Group> wanted = {
      {"ens1", EthtoolGroup::rings}, {"ens1", EthtoolGroup::pause}, {"ens9", EthtoolGroup::rings}};
  EXPECT_EQ(asked, wanted);
}

TEST_F(KindsEthtoolProvider, DifferentAnswersStayDifferent) {
  const auto says = [&](const std::string& address, Presence presence, const std::string& text) {
    const Reading reading = read_one(provider, address);
    EXPECT_EQ(reading.presence, presence) << address;
    EXPECT_NE(reading.why.find(text), std::string::npos) << reading.why;
  };
  says("ethtool:ens9:ring-rx", Presence::missing, "no interface ens9");
  says("ethtool:ens1:channels-rx", Presence::not_applicable, "does not report its channels");
  says("ethtool:ens1:ring-rx-mini", Presence::not_applicable, "has no ring-rx-mini");
  says("ethtool:ens1:feature-rx-grow", Presence::not_applicable, "did you mean rx-gro?");
  says("ethtool:ens1:feature-rx-vlan-filter", Presence::not_applicable, "fixed at off");
  says("ethtool:ens1:flag-fw-lldp-agnet", Presence::not_applicable, "did you mean fw-lldp-agent");
  says("ethtool:ens1:colour", Presence::not_applicable, "no such ethtool setting");
  read_error = Error{Errc::denied, "Operation not permitted", EPERM};
  says("ethtool:ens1:ring-rx", Presence::not_permitted, "not permitted");
  read_error = Error{Errc::unsupported, "this kernel has no ethtool netlink"};
  says("ethtool:ens1:ring-rx", Presence::not_applicable, "no ethtool netlink");
}

TEST_F(KindsEthtoolProvider, Canonical) {
  EXPECT_EQ(canonical("ethtool:ens1:ring-rx", " 08192 "), "8192");
  EXPECT_EQ(canonical("ethtool:ens1:ring-rx", "4294967295"), "4294967295");
  EXPECT_EQ(canonical("ethtool:ens1:pause-rx", "off"), "off");
  EXPECT_EQ(canonical("ethtool:ens1:feature-tx-udp_tnl-segmentation", "on"), "on");
  for (const char* const bad : {"4294967296", "-1", "", "on", "1k", "0x10"})
    EXPECT_EQ(canonical("ethtool:ens1:ring-rx", bad), "refused") << bad;
  for (const char* const bad : {"1", "true", "ON", ""})
    EXPECT_EQ(canonical("ethtool:ens1:pause-rx", bad), "refused") << bad;
  EXPECT_EQ(canonical("ethtool:ens1:pause-rx", {}), "refused");
  for (const char* const bad :
       {"ethtool:ens1", "ethtool::ring-rx", "ethtool:a/b:ring-rx", "ethtool:ens1:ring",
        "ethtool:ens1:feature-", "ethtool:ens1:flag-a b", "ethtool:ens1:flag-a#b",
        "ethtool:ens1:feature-abcdefghijabcdefghijabcdefghij12"})
    EXPECT_EQ(canonical(bad, "on"), "refused") << bad;
}

TEST_F(KindsEthtoolProvider, WhatIsReadIsCanonicalAndWritingItChangesNothing) {
  for (const char* const key : {"pause-rx", "ring-tx", "coalesce-adaptive-rx", "coalesce-rx-usecs",
                                "feature-rx-gro-hw", "flag-other"}) {
    const std::string address = std::string("ethtool:ens1:") + key;
    const Value now = read_one(provider, address).value();
    EXPECT_EQ(canonical(address, now), now) << key;
    EXPECT_TRUE(write_one(provider, address, now, now)) << key;
  }
  EXPECT_TRUE(sent.empty());
}

TEST_F(KindsEthtoolProvider, OnlyWhatDiffersIsInTheMessage) {
  const std::vector<Write> unit = {{Address{"ethtool:ens1:ring-rx"}, "1024", "4096"},
                                   {Address{"ethtool:ens1:ring-tx"}, "1024", "1024"}};
  EXPECT_EQ(provider.unit(unit[0].address), provider.unit(unit[1].address));
  ASSERT_TRUE(provider.write(unit, TestContents(), "t"));
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].numbers, (std::map<int, std::uint32_t>{{ETHTOOL_A_RINGS_RX, 4096}}));
  EXPECT_EQ(read_one(provider, "ethtool:ens1:ring-rx").value(), "4096");
}

TEST_F(KindsEthtoolProvider, GroupsAreUnitsAndFlagsComeFirst) {
  EXPECT_NE(provider.unit(Address{"ethtool:ens1:ring-rx"}),
            provider.unit(Address{"ethtool:ens1:pause-rx"}));
  EXPECT_NE(provider.unit(Address{"ethtool:ens1:ring-rx"}),
            provider.unit(Address{"ethtool:ens2:ring-rx"}));
  (void)read_one(provider, "ethtool:ens1:flag-other");
  const auto first = provider.needs(Address{"ethtool:ens1:coalesce-rx-usecs"});
  const auto has = [&](const char* address) {
    return std::find(first.begin(), first.end(), Address{address}) != first.end();
  };
  EXPECT_TRUE(has("ethtool:ens1:flag-fw-lldp-agent"));
  EXPECT_TRUE(has("ethtool:ens1:channels-combined"));
  EXPECT_TRUE(provider.needs(Address{"ethtool:ens1:flag-other"}).empty());
}

// bnxt_set_coalesce(), 6.1: adaptive off ignores everything beside it.
TEST_F(KindsEthtoolProvider, TheModeOfCoalescingGoesAheadAlone) {
  on_set = [](EthtoolState& state, const EthtoolChange& change) -> Result<> {
    if (change.numbers.contains(ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX)) {
      state.numbers[ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX] = 0;
      state.numbers[ETHTOOL_A_COALESCE_RX_MAX_FRAMES] = 32;  // and begins anew, as mlx5 does
    } else {
      take(state, change);
    }
    return {};
  };
  const std::vector<Write> unit = {{Address{"ethtool:ens1:coalesce-adaptive-rx"}, "on", "off"},
                                   {Address{"ethtool:ens1:coalesce-rx-usecs"}, "8", "20"}};
  ASSERT_TRUE(provider.write(unit, TestContents(), "t"));
  EXPECT_EQ(sent.size(), 2U);
  EXPECT_EQ(number(EthtoolGroup::coalesce, ETHTOOL_A_COALESCE_RX_USECS), 20U);
  EXPECT_EQ(number(EthtoolGroup::coalesce, ETHTOOL_A_COALESCE_RX_MAX_FRAMES), 128U)
      << "what moved along is as it was";
}

TEST_F(KindsEthtoolProvider, WhatNobodyAskedForIsPutBackAndAFailure) {
  on_set = [calls = 0](EthtoolState& state, const EthtoolChange& change) mutable -> Result<> {
    take(state, change);
    if (calls++ == 0) state.numbers[ETHTOOL_A_RINGS_TX] = 64;
    return {};
  };
  const auto done = write_one(provider, "ethtool:ens1:ring-rx", "1024", "4096");
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().text.find("ethtool:ens1:ring-tx from 1024 to 64"), std::string::npos)
      << done.error().text;
  EXPECT_EQ(number(EthtoolGroup::rings, ETHTOOL_A_RINGS_TX), 1024U);
}

TEST_F(KindsEthtoolProvider, AFailureThatMovedMoreIsPutBackToo) {
  on_set = [calls = 0](EthtoolState& state, const EthtoolChange& change) mutable -> Result<> {
    if (calls++ > 0) {
      take(state, change);
      return {};
    }
    state.numbers[ETHTOOL_A_PAUSE_TX] = 0;
    return fail(Errc::invalid, "Invalid argument", EINVAL);
  };
  const auto done = write_one(provider, "ethtool:ens1:pause-rx", "on", "off");
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().text.find("ethtool:ens1:pause-rx to off"), std::string::npos);
  EXPECT_NE(done.error().text.find("autoneg"), std::string::npos) << done.error().text;
  EXPECT_EQ(number(EthtoolGroup::pause, ETHTOOL_A_PAUSE_TX), 1U);
}

TEST_F(KindsEthtoolProvider, ARoundedRingIsLeftToTheReadBack) {
  on_set = [](EthtoolState& state, const EthtoolChange&) -> Result<> {
    state.numbers[ETHTOOL_A_RINGS_RX] = 2048;
    return {};
  };
  EXPECT_TRUE(write_one(provider, "ethtool:ens1:ring-rx", "1024", "2000"));
  EXPECT_EQ(sent.size(), 1U) << "it is not tried again";
  EXPECT_EQ(read_one(provider, "ethtool:ens1:ring-rx").value(), "2048");
}

TEST_F(KindsEthtoolProvider, MoreThanTheCardHasIsSaidBeforehand) {
  EXPECT_NE(effects("ethtool:ens1:ring-rx", "8193").not_permitted.find("is 8192"),
            std::string::npos);
  EXPECT_EQ(effects("ethtool:ens1:ring-rx", "8192").not_permitted.find("at most"),
            std::string::npos);
}

TEST_F(KindsEthtoolProvider, ImpactIsThatOfHardware) {
  EXPECT_EQ(effects("ethtool:ens1:ring-rx", "512").impact, Impact::queue_reopen);
  EXPECT_EQ(effects("ethtool:ens1:ring-rx", "512").cuts, "ens1");
  EXPECT_EQ(effects("ethtool:ens1:pause-rx", "off").impact, Impact::link_bounce);
  EXPECT_EQ(effects("ethtool:ens1:coalesce-rx-usecs", "20").impact, Impact::none);
  EXPECT_EQ(effects("ethtool:ens1:coalesce-adaptive-rx", "off").impact, Impact::queue_reopen);
  EXPECT_EQ(effects("ethtool:ens1:feature-rx-gro", "off").impact, Impact::none);
  EXPECT_EQ(effects("ethtool:ens1:feature-rx-gro-hw", "off").impact, Impact::queue_reopen);
  EXPECT_EQ(effects("ethtool:ens1:flag-other", "on").impact, Impact::may_cut);
  std::filesystem::remove(sys / "class/net/ens1/device");
  EXPECT_EQ(effects("ethtool:ens1:ring-rx", "512").impact, Impact::none);
  EXPECT_EQ(effects("ethtool:ens1:ring-rx", "512").cuts, "");
}

TEST_F(KindsEthtoolProvider, FeaturesMoveEachOther) {
  const Effects checksum = effects("ethtool:ens1:feature-tx-checksum-ip-generic", "off");
  const auto* const tso = find_witness(checksum, "ethtool:ens1:feature-tx-tcp-segmentation");
  ASSERT_NE(tso, nullptr);
  EXPECT_EQ(tso->predicted, "off");
  EXPECT_EQ(checksum.touches.size(), 1U);
  EXPECT_NE(find_witness(effects("ethtool:ens1:feature-rx-checksum", "off"),
                         "ethtool:ens1:feature-rx-gro-hw"),
            nullptr);
  EXPECT_TRUE(effects("ethtool:ens1:feature-rx-gro", "off").touches.empty());
  // The same for what holds already.
  states[{"ens1", EthtoolGroup::features}].bits["tx-checksum-ip-generic"] = {false, false, false};
  EXPECT_NE(find_witness(effects("ethtool:ens1:feature-tx-checksum-ip-generic", "off"),
                         "ethtool:ens1:feature-tx-tcp-segmentation"),
            nullptr);
}

TEST_F(KindsEthtoolProvider, OneUncertainRuleDoesNotHideWhatAnotherMoves) {
  // As on veth of Linux 6.18: partial segmentation is off, and does not matter for this driver.
  auto& bits = states[{"ens1", EthtoolGroup::features}].bits;
  bits["tx-gso-partial"] = {false, false, false};
  bits["tx-udp-segmentation"] = bits["tx-checksum-ip-generic"];
  const Effects checksum = effects("ethtool:ens1:feature-tx-checksum-ip-generic", "off");
  const auto* const udp = find_witness(checksum, "ethtool:ens1:feature-tx-udp-segmentation");
  ASSERT_NE(udp, nullptr);
  // Whether the kernel has that rule is not known (6.11).
  EXPECT_NE(find_witness(checksum, "ethtool:ens1:feature-tx-tcp-segmentation"), nullptr);
}

// net/core/dev.c, netdev_fix_features(): segmentation needs a checksum and scatter-gather.
TEST_F(KindsEthtoolProvider, FeaturesThatAreWrittenTogetherMoveWhatNoneMovesAlone) {
  sys.make("class/net/ens1/upper_bond0");
  auto& bits = states[{"ens1", EthtoolGroup::features}].bits;
  bits["tx-checksum-ip-generic"] = bits["tx-tcp-segmentation"] = {false, false, false};
  bits["tx-tcp-mangleid-segmentation"] = {false, true, false};
  const Address checksum{"ethtool:ens1:feature-tx-checksum-ip-generic"};
  const Address tso{"ethtool:ens1:feature-tx-tcp-segmentation"};
  const std::string moved = "ethtool:ens1:feature-tx-tcp-mangleid-segmentation";
  const std::vector<Write> unit = {{checksum, "off", "on"}, {tso, "off", "on"}};
  Effects first = effects(checksum.text, "on");
  Effects second = effects(tso.text, "on");
  EXPECT_EQ(find_witness(first, moved), nullptr);
  EXPECT_EQ(find_witness(second, moved), nullptr);
  provider.combine(unit, std::vector<Effects*>{&first, &second});
  const auto* const found = find_witness(second, moved);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->predicted, "on");
  EXPECT_NE(find_witness(second, "ethtool:bond0:feature-tx-tcp-mangleid-segmentation"), nullptr);
  // The write of both takes it for announced.
  on_set = [](EthtoolState& state, const EthtoolChange& change) -> Result<> {
    take(state, change);
    state.bits["tx-tcp-mangleid-segmentation"].on = true;
    return {};
  };
  const auto done = provider.write(unit, TestContents(), "");
  EXPECT_TRUE(done) << done.error().text;
}

// One alone would turn it on again, and both do not.
TEST_F(KindsEthtoolProvider, WhatOneFeatureAlonePredictsIsCorrectedByAnother) {
  auto& bits = states[{"ens1", EthtoolGroup::features}].bits;
  bits["tx-checksum-ip-generic"] = {false, false, false};
  bits["tx-tcp-segmentation"] = {false, true, false};
  const std::vector<Write> unit = {
      {Address{"ethtool:ens1:feature-tx-checksum-ip-generic"}, "off", "on"},
      {Address{"ethtool:ens1:feature-tx-scatter-gather"}, "on", "off"}};
  Effects first = effects(unit[0].address.text, "on");
  Effects second = effects(unit[1].address.text, "off");
  const std::string moved = "ethtool:ens1:feature-tx-tcp-segmentation";
  ASSERT_NE(find_witness(first, moved), nullptr);
  EXPECT_EQ(find_witness(first, moved)->predicted, "on");
  provider.combine(unit, std::vector<Effects*>{&first, &second});
  EXPECT_EQ(find_witness(first, moved)->predicted, std::nullopt);
}

TEST_F(KindsEthtoolProvider, FeaturesReachWhatStandsOnAnInterface) {
  sys.make("class/net/ens1/upper_bond0");
  sys.make("class/net/bond0/upper_bond0.100");
  const Effects effect = effects("ethtool:ens1:feature-rx-checksum", "off");
  EXPECT_NE(find_witness(effect, "ethtool:bond0:feature-rx-checksum"), nullptr);
  EXPECT_NE(find_witness(effect, "ethtool:bond0.100:feature-rx-gro-hw"), nullptr);
  sys.make("class/net/ens1/lower_ens7");
  const Effects lro = effects("ethtool:ens1:feature-rx-lro", "off");
  const auto* const lower = find_witness(lro, "ethtool:ens7:feature-rx-lro");
  ASSERT_NE(lower, nullptr);
  EXPECT_EQ(lower->predicted, "off");
}

// ethnl_set_features() says yes whatever the driver says.
TEST_F(KindsEthtoolProvider, AFeatureThatTheDriverRefusesLeavesNoWishBehind) {
  on_set = [](EthtoolState& state, const EthtoolChange& change) -> Result<> {
    for (const auto& [name, on] : change.bits) state.bits[name].wanted = on;
    return {};
  };
  const auto done = write_one(provider, "ethtool:ens1:feature-rx-gro-hw", "on", "off");
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().text.find("did not change rx-gro-hw"), std::string::npos);
  EXPECT_TRUE((states[{"ens1", EthtoolGroup::features}].bits["rx-gro-hw"].wanted));
}

// netdev_fix_features() looks at what is wanted, and an undo must not change that.
TEST_F(KindsEthtoolProvider, AFeatureThatFollowsAnotherBackKeepsItsWish) {
  auto& bits = states[{"ens1", EthtoolGroup::features}].bits;
  on_set = [](EthtoolState& state, const EthtoolChange& change) -> Result<> {
    take(state, change);
    if (!state.bits["tx-checksum-ip-generic"].on) state.bits["tx-tcp-segmentation"].on = false;
    return {};
  };
  const Address checksum{"ethtool:ens1:feature-tx-checksum-ip-generic"};
  const Address tso{"ethtool:ens1:feature-tx-tcp-segmentation"};
  const std::vector<Write> back = {{checksum, "on", "off"}, {tso, "on", "off", true}};
  ASSERT_TRUE(provider.write(back, TestContents(), ""));
  EXPECT_FALSE(bits["tx-tcp-segmentation"].on);
  EXPECT_TRUE(bits["tx-tcp-segmentation"].wanted);
  EXPECT_EQ(sent.size(), 1U);
  // One that was set for itself is told.
  bits["tx-checksum-ip-generic"] = bits["tx-tcp-segmentation"] = {true, true, false};
  ASSERT_TRUE(provider.write(std::vector<Write>{{checksum, "on", "off"}, {tso, "on", "off"}},
                             TestContents(), ""));
  EXPECT_FALSE(bits["tx-tcp-segmentation"].wanted);
  // And one that a driver leaves on after all.
  bits["tx-checksum-ip-generic"] = bits["tx-tcp-segmentation"] = {true, true, false};
  on_set = {};
  sent.clear();
  ASSERT_TRUE(provider.write(back, TestContents(), ""));
  EXPECT_EQ(sent.size(), 2U);
  EXPECT_FALSE(bits["tx-tcp-segmentation"].on);
}

TEST_F(KindsEthtoolProvider, AFeatureThatMovesWithoutARuleIsAFailure) {
  on_set = [](EthtoolState& state, const EthtoolChange& change) -> Result<> {
    take(state, change);
    state.bits["rx-gro"].on = false;
    return {};
  };
  const auto done = write_one(provider, "ethtool:ens1:feature-rx-checksum", "on", "off");
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().text.find("ethtool:ens1:feature-rx-gro from on to off"), std::string::npos)
      << done.error().text;
}

TEST_F(KindsEthtoolProvider, TheAgentOfTheFirmwareIsRememberedThere) {
  const Address agent{"ethtool:ens1:flag-fw-lldp-agent"};
  EXPECT_EQ(provider.lifetime(agent), Lifetime::firmware);
  EXPECT_EQ(provider.lifetime(Address{"ethtool:ens1:flag-other"}), Lifetime::runtime);
  const Effects effect = effects(agent.text, "off");
  EXPECT_EQ(effect.undo, Undo::residue);
  EXPECT_NE(find_witness(effect, "dcb:ens1:dcbx"), nullptr);
}

TEST_F(KindsEthtoolProvider, ACarrierThatDoesNotComeBackIsAFailure) {
  sys.put("class/net/ens1/carrier", "1\n");
  on_set = [this](EthtoolState& state, const EthtoolChange& change) -> Result<> {
    take(state, change);
    sys.put("class/net/ens1/carrier", "0\n");
    return {};
  };
  const auto done = write_one(provider, "ethtool:ens1:ring-rx", "1024", "512");
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().text.find("ethtool:ens1:ring-rx"), std::string::npos);
  EXPECT_NE(done.error().text.find("carrier"), std::string::npos) << done.error().text;
}

}  // namespace
}  // namespace nettune::kinds::ethtool
