// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <map>
#include <string>

#include "base/digest.hpp"
#include "facts/facts.hpp"
#include "profile/named_texts.hpp"
#include "unit/support/profile_fixture.hpp"

namespace nettune::node {

inline facts::Facts node_of(const std::map<std::string, std::string>& devices) {
  facts::Facts facts;
  for (const auto& [identity, name] : devices) {
    facts::NetDevice device;
    device.identity = identity;
    device.name = name;
    facts.net.push_back(device);
  }
  return facts;
}

/// A state directory, and a generation that names a device.
class NamedDevice : public ::testing::Test {
 protected:
  test::FakeDisk disk;
  State state{disk, "/s"};

  /// A generation that was applied to fab0, the card "pci a".
  static Desired applied() {
    const std::string token = profile::token_of_device("pci a");
    profile::NamedTexts texts;
    texts.devices = {{token, "fab0", "pci a"}};
    texts.values = {{"nccl.conf:NCCL_SOCKET_IFNAME", "=" + token}};
    texts.contents = {{"file:/etc/x", "conf." + token + ".y = 1\n"}};
    texts.variables = {{"NCCL_SOCKET_IFNAME", "=" + token}};
    texts.admissions = {{"f-tcp4", "accept tcp 1 from 10.0.0.0/8 in " + token}};
    Desired desired;
    desired.profile = "p";
    Setting variable;
    variable.address = {"nccl.conf:NCCL_SOCKET_IFNAME"};
    variable.want = "=fab0";
    Setting file;
    file.address = {"file:/etc/x"};
    file.want = "sha256:" + sha256_hex("conf.fab0.y = 1\n") + " mode 0644 owner 0:0";
    desired.settings = {variable, file};
    desired.variables = {{"NCCL_SOCKET_IFNAME", "=fab0", true, false, {}}};
    desired.admissions = {{"f-tcp4", "accept tcp 1 from 10.0.0.0/8 in fab0", {}}};
    desired.members = {{"f", "fab0", "pci a"}};
    profile::keep_named_texts(texts, desired);
    return desired;
  }
};

}  // namespace nettune::node
