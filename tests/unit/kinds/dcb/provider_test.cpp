// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "unit/kinds/dcb/fixture.hpp"

namespace nettune::kinds::dcb {
namespace {

using namespace test;

using KindsDcbProvider = DcbTest;

bool has(const std::vector<Address>& addresses, const std::string& text) {
  return std::ranges::find(addresses, Address{text}) != addresses.end();
}

TEST_F(KindsDcbProvider, Canonical) {
  EXPECT_EQ(canonical("dcb:eth1:pfc", "4,3"), "3,4");
  EXPECT_EQ(canonical("dcb:eth1:dcbx", "ieee, host"), "host,ieee");
  EXPECT_EQ(canonical("dcb:eth1:app#dscp-26", "3"), "3");
  EXPECT_EQ(canonical("dcb:eth1:app#dscp-26", {}), "absent");
  EXPECT_EQ(canonical("dcb:eth1:pfc", {}), "refused");
  EXPECT_EQ(canonical("dcb:eth1:pfc", "8"), "refused");
  for (const char* const bad :
       {"dcb:eth1", "dcb:eth1:speed", "dcb::pfc", "dcb:a b:pfc", "dcb:a/b:pfc", "dcb:..:pfc",
        "dcb:eth1:pfc#3", "dcb:eth1:app", "dcb:eth1:app#", "dcb:eth1:app#dscp-64",
        "dcb:eth1:app#dscp-026", "dcb:eth1:app#dscp-26:x", "dcb:a2345678901234567:pfc"}) {
    EXPECT_EQ(canonical(bad, "3"), "refused") << bad;
  }
}

TEST_F(KindsDcbProvider, OneGetAnInterfaceAnswersAll) {
  card("eth1", "mlx5_core");
  card("eth2", "bnxt_en");
  const std::vector<Address> addresses = {
      {"dcb:eth1:pfc"},     {"dcb:eth1:pfc-delay"},   {"dcb:eth1:dcbx"},
      {"dcb:eth2:pfc"},     {"dcb:eth9:pfc"},         {"dcb:lo:pfc"},
      {"dcb:eth2:maxrate"}, {"dcb:eth1:app#dscp-26"}, {"dcb:eth1:color"}};
  const auto readings = provider.read(addresses);
  ASSERT_EQ(readings.size(), addresses.size());
  EXPECT_EQ(gets, 4);
  EXPECT_EQ(readings[0].value(), "none");
  EXPECT_EQ(readings[1].value(), "7");
  EXPECT_EQ(readings[2].value(), "host,ieee");
  EXPECT_EQ(readings[4].presence, Presence::missing);
  EXPECT_EQ(readings[5].presence, Presence::not_applicable);
  EXPECT_NE(readings[5].why.find("lo has no DCB"), std::string::npos) << readings[5].why;
  EXPECT_EQ(readings[6].presence, Presence::not_applicable);
  EXPECT_NE(readings[6].why.find("bnxt_en"), std::string::npos) << readings[6].why;
  EXPECT_EQ(readings[7].presence, Presence::absent);
  EXPECT_EQ(readings[8].presence, Presence::not_applicable);
}

TEST_F(KindsDcbProvider, WhatADriverDoesNotTakeIsNotApplicable) {
  card("eth1", "mlx5_core");
  card("eth3", "ice");
  card("eth2", "bnxt_en");
  EXPECT_EQ(read_one(provider, "dcb:eth1:app#dgram-4791").presence, Presence::not_applicable);
  EXPECT_EQ(read_one(provider, "dcb:eth2:app#dgram-4791").presence, Presence::absent);
  EXPECT_EQ(read_one(provider, "dcb:eth3:pfc-delay").presence, Presence::not_applicable);
  cards.at("eth2").dcb.ets->prio_tc[0] = 9;
  EXPECT_EQ(read_one(provider, "dcb:eth2:ets-prio-tc").presence, Presence::not_applicable);
}

TEST_F(KindsDcbProvider, WhatIsWrittenIsRead) {
  card("eth1", "mlx5_core");
  const std::vector<std::vector<std::pair<std::string, Value>>> units = {
      {{"dcb:eth1:dcbx", "host,cee,ieee"}},
      {{"dcb:eth1:pfc", "3,4"}, {"dcb:eth1:pfc-delay", "20"}},
      {{"dcb:eth1:ets-bw", "50,0,0,50,0,0,0,0"},
       {"dcb:eth1:ets-prio-tc", "0,0,0,3,0,0,6,0"},
       {"dcb:eth1:ets-tsa", "ets,strict,strict,ets,strict,strict,strict,strict"}},
      {{"dcb:eth1:maxrate", "0,0,0,200000,0,0,0,0"}},
      {{"dcb:eth1:buffer-size", "1000,2000,0,0,0,0,0,0"},
       {"dcb:eth1:buffer-prio", "0,0,0,1,0,0,0,0"}},
      {{"dcb:eth1:app#dscp-26", "3"}, {"dcb:eth1:app#dscp-48", "6"}},
      {{"dcb:eth1:app#dscp-26", "4"}, {"dcb:eth1:app#dscp-48", {}}},
  };
  for (const auto& unit : units) {
    const auto done = write(unit);
    ASSERT_TRUE(done) << done.error().text;
    for (const auto& [address, value] : unit) EXPECT_EQ(now(address), value.value_or("absent"));
    const int before = cards.at("eth1").sets;
    ASSERT_TRUE(write(unit));
    EXPECT_EQ(cards.at("eth1").sets, before) << "what is there is not sent";
  }
}

TEST_F(KindsDcbProvider, WhatAMessageAlsoCarriesStays) {
  ieee_ets& ets = *card("eth1", "bnxt_en").dcb.ets;
  ets.willing = 1;
  ets.cbs = 1;
  ets.tc_rx_bw[2] = 30;
  ets.tc_reco_bw[5] = 9;
  ASSERT_TRUE(write({{"dcb:eth1:ets-prio-tc", "0,0,0,3,0,0,6,0"}}));
  EXPECT_EQ(ets.willing, 1);
  EXPECT_EQ(ets.cbs, 1);
  EXPECT_EQ(ets.tc_rx_bw[2], 30);
  EXPECT_EQ(ets.tc_reco_bw[5], 9);
  ASSERT_TRUE(write({{"dcb:eth1:pfc", "3"}}));
  EXPECT_EQ(now("dcb:eth1:pfc-delay"), "0");
}

TEST_F(KindsDcbProvider, UnitsAreMessages) {
  const auto unit = [&](const std::string& address) { return provider.unit(Address{address}); };
  EXPECT_EQ(unit("dcb:eth1:pfc"), unit("dcb:eth1:pfc-delay"));
  EXPECT_EQ(unit("dcb:eth1:ets-bw"), unit("dcb:eth1:ets-tsa"));
  EXPECT_EQ(unit("dcb:eth1:buffer-prio"), unit("dcb:eth1:buffer-size"));
  EXPECT_EQ(unit("dcb:eth1:app#dscp-1"), unit("dcb:eth1:app#dscp-2"));
  EXPECT_NE(unit("dcb:eth1:app#dscp-1"), unit("dcb:eth1:app#dgram-4791"));
  EXPECT_NE(unit("dcb:eth1:pfc"), unit("dcb:eth2:pfc"));
  EXPECT_TRUE(unit("dcb:eth1:pfc").starts_with("dcb:"));
}

TEST_F(KindsDcbProvider, TheOrder) {
  card("eth1", "mlx5_core").dcb.apps = {{5, 3, 26}};
  (void)now("dcb:eth1:pfc");
  const auto needs = [&](const std::string& a) { return provider.needs(Address{a}); };
  EXPECT_TRUE(has(needs("dcb:eth1:pfc"), "dcb:eth1:ets-prio-tc"));
  EXPECT_TRUE(has(needs("dcb:eth1:pfc"), "dcb:eth1:dcbx"));
  EXPECT_TRUE(has(needs("dcb:eth1:pfc"), "ethtool:eth1:pause-rx"));
  EXPECT_TRUE(has(needs("dcb:eth1:dcbx"), "ethtool:eth1:flag-fw-lldp-agent"));
  EXPECT_TRUE(has(needs("dcb:eth1:app#dscp-26"), "dcb:eth1:dcbx"));
  const auto back = [&](const std::string& a) { return provider.given_back_after(Address{a}); };
  EXPECT_TRUE(has(back("dcb:eth1:dcbx"), "dcb:eth1:pfc"));
  EXPECT_TRUE(has(back("dcb:eth1:dcbx"), "dcb:eth1:app#dscp-26"));
  EXPECT_TRUE(has(back("dcb:eth1:pfc"), "dcb:eth1:ets-bw"));
  EXPECT_FALSE(has(back("dcb:eth1:pfc"), "dcb:eth1:dcbx"));
}

TEST_F(KindsDcbProvider, AnotherPriorityOfADscp) {
  for (const char* const driver : {"mlx5_core", "bnxt_en", "ice"}) {
    FakeDcbCard& one = card("eth1", driver);
    ASSERT_TRUE(write({{"dcb:eth1:app#dscp-26", "3"}}));
    one.trust_changes = 0;
    const auto done = write({{"dcb:eth1:app#dscp-26", "5"}});
    ASSERT_TRUE(done) << driver << ": " << done.error().text;
    EXPECT_EQ(now("dcb:eth1:app#dscp-26"), "5") << driver;
    EXPECT_EQ(one.trust_changes, std::string(driver) == "mlx5_core" ? 0 : 2) << driver;
    cards.clear();
    std::filesystem::remove_all(tree / "class");
  }
}

TEST_F(KindsDcbProvider, EntriesOfOthersStay) {
  FakeDcbCard& one = card("eth1", "bnxt_en");
  one.dcb.apps = {{5, 1, 8}, {3, 4, 4791}, {3, 5, 4791}};
  ASSERT_TRUE(write({{"dcb:eth1:app#dscp-26", "3"}}));
  ASSERT_TRUE(write({{"dcb:eth1:app#dscp-26", {}}}));
  EXPECT_EQ(one.dcb.apps.size(), 3U);
  EXPECT_EQ(now("dcb:eth1:app#dgram-4791"), "4,5");
  ASSERT_TRUE(write({{"dcb:eth1:app#dgram-4791", "5,6"}}));
  EXPECT_EQ(now("dcb:eth1:app#dgram-4791"), "5,6");
}

TEST_F(KindsDcbProvider, BackToTheFirmware) {
  FakeDcbCard& one = card("eth1", "mlx5_core");
  one.dcb.dcbx = DCB_CAP_DCBX_VER_CEE | DCB_CAP_DCBX_VER_IEEE;
  ASSERT_TRUE(write({{"dcb:eth1:dcbx", "host,ieee"}}));
  ASSERT_TRUE(write({{"dcb:eth1:dcbx", "cee,ieee"}}));
  EXPECT_EQ(now("dcb:eth1:dcbx"), "cee,ieee");
}

TEST_F(KindsDcbProvider, FailuresNameTheWriteAndTheReason) {
  const auto text = [&](const Result<>& done) { return done ? "done" : done.error().text; };
  const auto contains = [](const std::string& all, const std::string& part) {
    EXPECT_NE(all.find(part), std::string::npos) << "\"" << part << "\" is not in: " << all;
  };
  card("eth1", "mlx5_core");
  contains(text(write({{"dcb:eth1:pfc-delay", "1000"}})), "1 to 999");
  contains(text(write({{"dcb:eth1:pfc-delay", "0"}})), "silently ignores");
  EXPECT_EQ(cards.at("eth1").sets, 0);
  contains(text(write({{"dcb:eth1:ets-tsa", "ets,ets,ets,ets,ets,ets,ets,ets"}})), "sum to 0");
  fail_at = 2;
  const std::string failed =
      text(write({{"dcb:eth1:app#dscp-26", "3"}, {"dcb:eth1:app#dscp-48", "6"}}));
  contains(failed, "dcb:eth1:app#dscp-48 to 6");
  contains(failed, "Input/output error");
  answer_at = 1;
  contains(text(write({{"dcb:eth1:app#dscp-1", "1"}})), "the card refused it");
  card("eth2", "bnxt_en");
  contains(text(write({{"dcb:eth2:pfc", "3"}})), "only after an ETS setting");
  cards.at("eth2").dcb.dcbx = DCB_CAP_DCBX_VER_IEEE;
  contains(text(write({{"dcb:eth2:pfc", "3"}})), "host,ieee");
  card("eth3", "ice");
  cards.at("eth3").dcb.dcbx = DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_VER_IEEE;
  contains(text(write({{"dcb:eth3:pfc", "3"}})), "fw-lldp-agent");
  cards.at("eth3").dcb.dcbx = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
  ASSERT_TRUE(write({{"dcb:eth3:app#dscp-26", "3"}}));
  contains(text(write({{"dcb:eth3:ets-prio-tc", "0,0,0,3,0,0,0,0"}})), "0,1,2,3,4,5,6,7");
  contains(text(write({{"dcb:eth4:pfc", "3"}})), "No such device");
  contains(text(write({{"dcb:eth2:maxrate", "0,0,0,0,0,0,0,100000"}})), "has none");
}

TEST_F(KindsDcbProvider, AnOldValueThatTheDriverNeverTakesHasNoWayBack) {
  card("eth1", "mlx5_core");
  (void)read_one(provider, "dcb:eth1:ets-tsa");
  const Address delay{"dcb:eth1:pfc-delay"};
  EXPECT_EQ(provider.effects(delay, "7", "9").undo, Undo::exact);
  EXPECT_EQ(provider.effects(delay, "0", "9").undo, Undo::none);
  EXPECT_EQ(provider.effects(delay, "1001", "9").undo, Undo::none);
  const Address tsa{"dcb:eth1:ets-tsa"};
  const std::string strict = "strict,strict,strict,strict,strict,strict,strict,strict";
  const std::string unknown = "9,strict,strict,strict,strict,strict,strict,strict";
  EXPECT_EQ(provider.effects(tsa, strict, "ets,ets,ets,ets,ets,ets,ets,ets").undo, Undo::exact);
  EXPECT_EQ(provider.effects(tsa, unknown, strict).undo, Undo::none);
}

TEST_F(KindsDcbProvider, WhatAWriteDoesBeside) {
  card("eth1", "mlx5_core");
  EXPECT_EQ(effects("dcb:eth1:pfc", "3").impact, Impact::link_bounce);
  EXPECT_EQ(effects("dcb:eth1:pfc", "3").cuts, "eth1");
  EXPECT_EQ(effects("dcb:eth1:pfc", "3").undo, Undo::exact);
  EXPECT_EQ(effects("dcb:eth1:pfc-delay", "9").impact, Impact::none);
  EXPECT_EQ(effects("dcb:eth1:ets-prio-tc", "0,0,0,3,0,0,0,0").impact, Impact::none);
  const Effects first = effects("dcb:eth1:app#dscp-26", "3");
  EXPECT_EQ(first.impact, Impact::queue_reopen);
  EXPECT_EQ(first.undo, Undo::residue);
  EXPECT_NE(first.residue.find("trusts PCP"), std::string::npos);
  cards.at("eth1").dcb.apps = {{5, 3, 26}};
  EXPECT_EQ(effects("dcb:eth1:app#dscp-26", "4").undo, Undo::exact);
  EXPECT_EQ(effects("dcb:eth1:app#dscp-26", {}).impact, Impact::queue_reopen);
  EXPECT_EQ(effects("dcb:eth1:app#dscp-48", "6").impact, Impact::none);
  card("eth2", "bnxt_en");
  EXPECT_EQ(effects("dcb:eth2:pfc", "3").impact, Impact::none);
  EXPECT_EQ(effects("dcb:eth2:pfc", "3").undo, Undo::residue);
  EXPECT_EQ(effects("dcb:eth2:ets-prio-tc", "0,0,0,3,0,0,0,0").impact, Impact::queue_reopen);
  EXPECT_EQ(effects("dcb:eth2:app#dscp-26", "3").undo, Undo::exact);
  card("eth4", "unheard_of");
  EXPECT_EQ(effects("dcb:eth4:pfc", "3").impact, Impact::link_bounce);
}

TEST_F(KindsDcbProvider, IceResetsWhatWasSaid) {
  FakeDcbCard& one = card("eth3", "ice");
  one.dcb.pfc->pfc_en = 8;
  const std::vector<std::string> keys = {"ets-prio-tc", "ets-tsa", "ets-bw", "pfc"};
  const auto as_said = [&](const Effects& said) {
    for (const std::string& key : keys) {
      const Witness* const witness = find_witness(said, "dcb:eth3:" + key);
      ASSERT_NE(witness, nullptr) << key;
      EXPECT_EQ(witness->predicted, now("dcb:eth3:" + key)) << key;
    }
  };
  const Effects first = effects("dcb:eth3:app#dscp-26", "3");
  EXPECT_EQ(first.impact, Impact::queue_reopen);
  ASSERT_TRUE(write({{"dcb:eth3:app#dscp-26", "3"}}));
  as_said(first);
  // Asked about what is there already, it says the same.
  EXPECT_EQ(effects("dcb:eth3:app#dscp-26", "3").touches.size(), keys.size());
  EXPECT_TRUE(effects("dcb:eth3:app#dscp-48", "6").touches.empty());
  const Effects last = effects("dcb:eth3:app#dscp-26", {});
  ASSERT_TRUE(write({{"dcb:eth3:app#dscp-26", {}}}));
  as_said(last);
  one.dcb.ets->ets_cap = 4;
  EXPECT_EQ(find_witness(effects("dcb:eth3:app#dscp-26", "3"), "dcb:eth3:ets-bw")->predicted,
            std::nullopt);
}

TEST_F(KindsDcbProvider, ALinkThatDoesNotComeBackIsAFailure) {
  card("eth1", "mlx5_core");
  tree.put("class/net/eth1/carrier", "1\n");
  tree.put("class/net/eth1/carrier_down_count", "1\n");
  ASSERT_TRUE(write({{"dcb:eth1:pfc-delay", "9"}}));
  auto bouncing = calls();
  const auto set = bouncing.set;
  bouncing.set = [&](const std::string& name, const kernel::DcbSet& message) {
    tree.put("class/net/eth1/carrier", "0\n");
    return set(name, message);
  };
  kinds::dcb::DcbProvider other(tree.path(), bouncing);
  const auto done = write_one(other, "dcb:eth1:pfc", "none", "3");
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().text.find("its carrier"), std::string::npos) << done.error().text;
}

}  // namespace
}  // namespace nettune::kinds::dcb
