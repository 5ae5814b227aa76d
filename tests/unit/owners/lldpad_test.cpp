// SPDX-License-Identifier: Apache-2.0
#include "owners/lldpad.hpp"

#include <gtest/gtest.h>

#include "unit/owners/fixture.hpp"

namespace nettune::owners {
namespace {

using namespace test;

/// As lldpad 1.1 of Debian writes it.
constexpr const char* kConf =
    "dcbx : \n"
    "{\n"
    "  version = \"1.0\";\n"
    "  dcbx_version = 2;\n"
    "};\n"
    "nearest_customer_bridge : \n"
    "{\n"
    "  ens1f0 : \n"
    "  {\n"
    "    tlvid00000001 : \n"
    "    {\n"
    "      info = \"0476086D5D960F\";\n"
    "    };\n"
    "  };\n"
    "};\n"
    "lldp : \n"
    "{\n"
    "  ens1f0 : \n"
    "  {\n"
    "    adminStatus = 3;\n"
    "  };\n"
    "};\n";

class OwnersLldpad : public test::OwnersTest {
 protected:
  void SetUp() override {
    want("dcb:ens1f0:pfc", "3");
    want("link:ens1f0:mtu", "9000");
  }
  void runs(const std::string& name) {
    root.put("run/lldpad.pid", std::string("77\n\0\0\0", 6));
    root.put("proc/77/comm", name + "\n");
  }
};

TEST_F(OwnersLldpad, IsNothingWhereItIsNotEnabled) {
  root.put("usr/lib/systemd/system/lldpad.service", "[Unit]\n");
  root.put("var/lib/lldpad/lldpad.conf", kConf);
  EXPECT_EQ(found(), Texts{});
  enable("lldpad.service");
  link("/dev/null", "etc/systemd/system/lldpad.service");
  EXPECT_EQ(found(), Texts{});
}

TEST_F(OwnersLldpad, UndoesWhatIsSetOfDcb) {
  enable("lldpad.service");
  root.put("var/lib/lldpad/lldpad.conf", kConf);
  want("dcb:ens1f1:app#dscp-26", "3");
  const auto claims = find();
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_EQ(claims[0].address.text, "dcb:ens1f0:pfc");
  EXPECT_EQ(claims[0].owner, "lldpad");
  EXPECT_EQ(claims[0].line, 18);
  EXPECT_TRUE(claims[0].undoes);
  EXPECT_TRUE(claims[0].wins);
  EXPECT_NE(claims[0].text.find("which is enabled (nettune cannot see if it runs now)"),
            std::string::npos);
  EXPECT_NE(claims[0].text.find("at /var/lib/lldpad/lldpad.conf:18;"), std::string::npos);
  EXPECT_NE(claims[0].text.find("systemctl disable --now lldpad.service lldpad.socket"),
            std::string::npos);
  EXPECT_EQ(claims[1].line, 0);
  EXPECT_NE(claims[1].text.find("lldpad.conf sets nothing for it"), std::string::npos);
}

TEST_F(OwnersLldpad, StartsWhenItIsAsked) {
  enable("lldpad.socket");
  EXPECT_EQ(sentence().substr(0, 42), "lldpad, which systemd starts on demand, wr");
}

TEST_F(OwnersLldpad, IsFoundAtWork) {
  runs("lldpad");
  EXPECT_NE(sentence().find("which is not enabled but was active since boot,"), std::string::npos);
  enable("lldpad.service");
  EXPECT_EQ(sentence().substr(0, 14), "lldpad writes ");
}

TEST_F(OwnersLldpad, IsNotWhatHasItsNumberNow) {
  runs("bash");
  EXPECT_EQ(found(), Texts{});
}

TEST(OwnersLldpadConf, IsReadAsLibconfigReadsIt) {
  EXPECT_EQ(
      lldpad_line("lldp: { # eth0: {\n/* eth0:\n{ */ common: {a=\"}\\\"\n\"; };\n eth0 = {};}",
                  "eth0"),
      5);
  EXPECT_EQ(lldpad_line("dcbx: { eth0: {}; };", "eth0"), 0);
  EXPECT_EQ(lldpad_line("lldp: { other: { eth0: {}; }; };", "eth0"), 0);
  EXPECT_EQ(lldpad_line("}}} lldp: {", "eth0"), 0);
  EXPECT_EQ(lldpad_line("lldp: { /* no end", "eth0"), 0);
  EXPECT_EQ(lldpad_line("lldp: { \"no end", "eth0"), 0);
}

}  // namespace
}  // namespace nettune::owners
