// SPDX-License-Identifier: Apache-2.0
#include "profile/named_texts.hpp"

#include "unit/support/profile_fixture.hpp"

namespace nettune::profile {
namespace {

class ProfileNamedTexts : public test::ProfileTest {
 protected:
  ProfileNamedTexts() {
    for (const char* const name : {"fab0", "fab1.7"}) {
      auto& interface = device(name);
      interface.rdma_devices = {std::string("mlx_") + name};
      facts::RdmaDevice rdma;
      rdma.name = "mlx_" + std::string(name);
      rdma.identity = "rdma pci of " + std::string(name);
      rdma.ports = {{1, "Ethernet", "ACTIVE", "LinkUp", "", 100, name, {}}};
      facts.rdma.push_back(rdma);
    }
  }

  /// What the profile says of names in its texts.
  static NamedTexts texts_of(const Resolved& resolved) {
    if (resolved.desired.names.empty()) return {};
    const auto texts = decode_named_texts(resolved.desired.contents.at(resolved.desired.names));
    EXPECT_TRUE(texts) << texts.error().text;
    return texts.value_or(NamedTexts());
  }
  /// The same with fab0 as ens9, and its RDMA device as mlx5_7.
  static NamedTexts renamed(NamedTexts texts) {
    for (NamedDevice& device : texts.devices) {
      if (device.name == "fab0") device.name = "ens9";
      if (device.name == "mlx_fab0") device.name = "mlx5_7";
    }
    return texts;
  }
  static std::string token(const std::string& device) {
    return token_of_device("pci of " + device);
  }

  static constexpr const char* kBody = R"([devices.f]
match = { driver = "e1000e" }
[devices.other]
match = { name = "none*" }
[link.f]
mtu = 9000
[sysctl]
"net.ipv4.conf.${f.each}.rp_filter" = 2
"net.ipv4.tcp_sack" = 1
[env]
outputs = ["nccl.conf", "env-file", "json"]
NCCL_SOCKET_IFNAME = "=${f.names}"
NCCL_IB_HCA = "=${f.hcas}"
NCCL_NSOCKS_PERTHREAD = "${f.count}"
NCCL_DEBUG = "WARN"
[files."/etc/site.conf"]
content = "ports ${f.names}; fab0 is a word here\n"
[firewall.f]
peers = "10.0.0.0/8"
tcp = 29400
backend = "none"
)";
};

TEST_F(ProfileNamedTexts, EveryTextWithANameOfASetIsKnown) {
  const Resolved resolved = good(kBody);
  const NamedTexts texts = texts_of(resolved);
  const NamedTexts now = renamed(texts);
  EXPECT_EQ(now.put_in(texts.variables.at("NCCL_SOCKET_IFNAME")), "=ens9,fab1.7");
  EXPECT_EQ(now.put_in(texts.variables.at("NCCL_IB_HCA")), "=mlx5_7,mlx_fab1.7");
  EXPECT_EQ(now.put_in(texts.values.at("nccl.conf:NCCL_SOCKET_IFNAME")), "=ens9,fab1.7");
  EXPECT_EQ(texts.variables.size(), 2U) << "a number of devices is no name";
  EXPECT_FALSE(texts.admissions.empty());
  for (const auto& [name, text] : texts.admissions)
    EXPECT_NE(now.put_in(text).find("ens9"), std::string::npos) << name;

  const auto content_now = [&](const std::string& path) {
    return now.put_in(texts.contents.at("file:" + path));
  };
  EXPECT_NE(content_now("/etc/sysctl.d/zz-nettune.conf").find("net.ipv4.conf.ens9.rp_filter = 2"),
            std::string::npos);
  EXPECT_NE(content_now("/etc/sysctl.d/zz-nettune.conf").find("conf.fab1/7.rp_filter = 2"),
            std::string::npos);
  EXPECT_NE(content_now("/etc/nettune/nccl.env").find("NCCL_SOCKET_IFNAME==ens9,fab1.7\n"),
            std::string::npos);
  EXPECT_NE(content_now("/etc/nettune/env.json").find("\"=mlx5_7,mlx_fab1.7\""), std::string::npos);
  EXPECT_EQ(content_now("/etc/site.conf"), "ports ens9,fab1.7; fab0 is a word here\n");
}

// Names of now give the texts of now: so nothing depends on whether a device was ever renamed.
TEST_F(ProfileNamedTexts, UnderTheNamesOfNowTheyAreTheTextsThemselves) {
  const Resolved resolved = good(kBody);
  const NamedTexts texts = texts_of(resolved);
  for (const JobVariable& variable : resolved.desired.variables) {
    const auto text = texts.variables.find(variable.name);
    if (text != texts.variables.end()) {
      EXPECT_EQ(texts.put_in(text->second), variable.value);
    }
  }
  for (const auto& [address, text] : texts.contents)
    EXPECT_EQ(texts.put_in(text), test::content(resolved, address.substr(5))) << address;
}

TEST_F(ProfileNamedTexts, AProfileWithoutNamesHasNone) {
  EXPECT_EQ(good("[sysctl]\n\"net.ipv4.tcp_sack\" = 1\n").desired.names, "");
  EXPECT_EQ(
      good("[devices.f]\nmatch = { driver = \"e1000e\" }\n[link.f]\nmtu = 9000\n").desired.names,
      "")
      << "an address follows its device by itself";
}

TEST_F(ProfileNamedTexts, AValueMayLookLikeAStoredContent) {
  const Resolved resolved = good(
      "[devices.f]\nmatch = { driver = \"e1000e\" }\n[env]\noutputs = [\"nccl.conf\"]\n"
      "NCCL_SOCKET_IFNAME = \"sha256:${f.names}\"\n");
  EXPECT_FALSE(texts_of(resolved).values.empty());
}

TEST_F(ProfileNamedTexts, AGidIndexIsRememberedWithItsSet) {
  for (facts::RdmaDevice& device : facts.rdma)
    device.ports[0].gids = {
        {3, "0000:0000:0000:0000:0000:ffff:0a00:0001", "RoCE v2", device.ports[0].netdev}};
  const NamedTexts texts =
      texts_of(good("[devices.f]\nmatch = { driver = \"e1000e\" }\n[env]\nNCCL_IB_GID_INDEX = "
                    "\"${f.gid_index}\"\nNCCL_IB_HCA = \"=${f.hcas}\"\n"));
  ASSERT_EQ(texts.gids.size(), 1U);
  EXPECT_EQ(texts.gids[0].variable, "NCCL_IB_GID_INDEX");
  EXPECT_EQ(texts.gids[0].set, "f");
  EXPECT_EQ(texts.gids[0].index, 3);
}

TEST_F(ProfileNamedTexts, ANameThatLooksLikeATokenIsPutInOnce) {
  NamedTexts texts;
  texts.devices = {{token("a"), token("b"), "pci of a"}, {token("b"), "x", "pci of b"}};
  EXPECT_EQ(texts.put_in("=" + token("a") + "," + token("b") + ",nt.,nt"),
            "=" + token("b") + ",x,nt.,nt");
}

TEST_F(ProfileNamedTexts, TheTextOnDiskComesBack) {
  const Resolved resolved = good(kBody);
  const std::string text = resolved.desired.contents.at(resolved.desired.names);
  EXPECT_EQ(encode_named_texts(texts_of(resolved)), text);
  for (const char* const wrong : {"format\t2\n", "device\ta\tb\n", "gid\ta\tb\tc\n", "what\tis\n"})
    EXPECT_FALSE(decode_named_texts(wrong)) << wrong;
}

}  // namespace
}  // namespace nettune::profile
