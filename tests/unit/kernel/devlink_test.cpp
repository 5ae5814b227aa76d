// SPDX-License-Identifier: Apache-2.0
#include "kernel/devlink.hpp"

#include <gtest/gtest.h>
#include <linux/devlink.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <random>

#include "kernel/fec.hpp"
#include "unit/kernel/fixture.hpp"
#include "unit/support/netlink_bytes.hpp"

namespace nettune::kernel {
namespace {

using namespace test;

Buffer version(int where, const std::string& name, const std::string& value) {
  return attribute(where | NLA_F_NESTED,
                   attribute(DEVLINK_ATTR_INFO_VERSION_NAME, text_bytes(name)) +
                       attribute(DEVLINK_ATTR_INFO_VERSION_VALUE, text_bytes(value)));
}

TEST(KernelDevlink, TellsWhatRunsFromWhatIsStored) {
  const Buffer reply = kHead + attribute(DEVLINK_ATTR_BUS_NAME, text_bytes("pci")) +
                       version(DEVLINK_ATTR_INFO_VERSION_FIXED, "fw.psid", "MT_0000000838") +
                       version(DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.version", "28.39.1002") +
                       version(DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw", "28.39.1002") +
                       version(DEVLINK_ATTR_INFO_VERSION_STORED, "fw.version", "28.41.1000");
  const DevlinkVersions versions = parse_devlink_versions(reply);
  EXPECT_EQ(versions.running.size(), 2U);
  EXPECT_EQ(versions.running.at("fw.version"), "28.39.1002");
  EXPECT_EQ(versions.stored.at("fw.version"), "28.41.1000");
}

Buffer parameter_value(std::uint8_t mode, bool on) {
  Buffer fields;
  if (on) fields = attribute(DEVLINK_ATTR_PARAM_VALUE_DATA, {});
  return attribute(DEVLINK_ATTR_PARAM_VALUE | NLA_F_NESTED,
                   fields + attribute(DEVLINK_ATTR_PARAM_VALUE_CMODE, raw_bytes(mode)));
}

Buffer parameter(std::uint8_t type, const Buffer& values) {
  return kHead + attribute(DEVLINK_ATTR_PARAM | NLA_F_NESTED,
                           attribute(DEVLINK_ATTR_PARAM_NAME, text_bytes("enable_roce")) +
                               attribute(DEVLINK_ATTR_PARAM_TYPE, raw_bytes(type)) +
                               attribute(DEVLINK_ATTR_PARAM_VALUES_LIST | NLA_F_NESTED, values));
}

TEST(KernelDevlink, ASwitchIsWhatTheNextStartOfTheDriverHas) {
  constexpr std::uint8_t kFlag = 6;
  constexpr std::uint8_t kText = 5;
  EXPECT_EQ(
      parse_devlink_switch(parameter(kFlag, parameter_value(DEVLINK_PARAM_CMODE_DRIVERINIT, true))),
      true);
  EXPECT_EQ(parse_devlink_switch(
                parameter(kFlag, parameter_value(DEVLINK_PARAM_CMODE_DRIVERINIT, false))),
            false);
  EXPECT_EQ(parse_devlink_switch(
                parameter(kFlag, parameter_value(DEVLINK_PARAM_CMODE_DRIVERINIT, false) +
                                     parameter_value(DEVLINK_PARAM_CMODE_PERMANENT, true))),
            false);
  EXPECT_FALSE(
      parse_devlink_switch(parameter(kFlag, parameter_value(DEVLINK_PARAM_CMODE_PERMANENT, true))));
  EXPECT_FALSE(parse_devlink_switch(
      parameter(kText, parameter_value(DEVLINK_PARAM_CMODE_DRIVERINIT, true))));
  EXPECT_FALSE(parse_devlink_switch(kHead));
}

TEST(KernelDevlink, NobodyReadsBeyondWhatCame) {
  std::mt19937 random(20250807);
  for (int round = 0; round < 20000; ++round) {
    Buffer bytes(random() % 160);
    for (std::byte& byte : bytes)
      byte = static_cast<std::byte>(random() % 4 == 0 ? random() % 256 : random() % 128);
    bytes.shrink_to_fit();
    (void)parse_devlink_versions(bytes);
    (void)parse_devlink_switch(bytes);
    (void)parse_fec(bytes);
  }
}

}  // namespace
}  // namespace nettune::kernel
