// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/pseudonyms.hpp"

#include <gtest/gtest.h>

namespace nettune::tools::doctor {
namespace {

Pseudonyms hidden() {
  Pseudonyms names("a key");
  names.add_host("gpu17");
  names.add_host("gpu17.cluster.corp");
  names.add_hosts_of("127.0.0.1 localhost\n10.0.0.1 head.cluster.corp head # the login node\n");
  return names;
}

TEST(DoctorPseudonyms, HidesWhatNamesAMachineAndKeepsTheRest) {
  const Pseudonyms names = hidden();
  for (const char* const secret :
       {"gpu17", "head", "cluster.corp", "a0:36:9f:12:34:56", "506b:4b03:005c:2740",
        "4c4c4544-0043-3510-8052-b7c04f4d3532", "2001:db8:7:1::17",
        "0123456789abcdef0123456789abcdef", "10.20.30.40"}) {
    const std::string text = std::string("a line with ") + secret + " in it";
    EXPECT_EQ(names.hide(text).find(secret), std::string::npos) << secret;
    EXPECT_EQ(names.hide(text), names.hide(text));
  }
  for (const char* const plain :
       {"0000:1a:00.0 16.0 GT/s PCIe", "localhost 127.0.0.1 ::1", "28.39.1002", "fe80::", "0x15b3",
        "00:00:00:00:00:00", "mlx5_0: Link up", "550.163.01", "6.1.0-37-amd64", "ahead overhead"})
    EXPECT_EQ(names.hide(plain), plain);
}

TEST(DoctorPseudonyms, AddressesOfOneNetworkStayInOne) {
  const Pseudonyms names = hidden();
  const auto network = [](const std::string& address) {
    return address.substr(0, address.rfind('.'));
  };
  const std::string first = names.hide("10.20.30.40");
  const std::string second = names.hide("10.20.30.41");
  EXPECT_EQ(network(first), network(second));
  EXPECT_NE(first, second);
  EXPECT_TRUE(first.starts_with("10."));
  EXPECT_TRUE(names.hide("192.168.7.9").starts_with("192.168."));
  // The GID of an IPv4 address goes on to be that address's.
  const std::string gid = names.hide("0000:0000:0000:0000:0000:ffff:0a14:1e28");
  EXPECT_TRUE(gid.starts_with("0000:0000:0000:0000:0000:ffff:0a"));
  EXPECT_NE(gid, "0000:0000:0000:0000:0000:ffff:0a14:1e28");
  EXPECT_TRUE(
      names.hide("fe80:0000:0000:0000:a236:9fff:fe12:3456").starts_with("fe80:0000:0000:0000:"));
}

TEST(DoctorPseudonyms, OneNameIsOnePseudonymEverywhere) {
  const Pseudonyms names = hidden();
  const std::string host = names.hide("gpu17");
  EXPECT_EQ(names.hide("name gpu17\n"), "name " + host + "\n");
  EXPECT_TRUE(names.hide("gpu17.cluster.corp").starts_with(host + ".domain-"));
  EXPECT_EQ(names.hide("enxa0369f123456").substr(0, 3), "enx");
  EXPECT_NE(names.hide("enxa0369f123456"), "enxa0369f123456");
}

TEST(DoctorPseudonyms, OfFilesOfOthersOnlyWhatIsJudgedIsKept) {
  const Pseudonyms names = hidden();
  EXPECT_EQ(names.leave_out("etc/environment", "TOKEN=abc\nNCCL_DEBUG=INFO\n"),
            "NCCL_DEBUG=INFO\n");
  EXPECT_EQ(names.leave_out("etc/slurm/slurm.conf",
                            "ClusterName=x\nPropagateResourceLimitsExcept=MEMLOCK\n"),
            "PropagateResourceLimitsExcept=MEMLOCK\n");
  EXPECT_EQ(names.leave_out("etc/docker/daemon.json",
                            R"({"registry-mirrors": ["r"], "default-ulimits": {"a": {"b": 1}}})"),
            "{\"default-ulimits\": {\"a\": {\"b\": 1}}}\n");
  const std::string tcp =
      "  sl  local_address rem_address   st\n   0: 0100007F:0016 00000000:0000 0A\n"
      "   1: 0A0B0C0D:72D8 00000000:0000 0A\n   2: 0A0B0C0D:0016 01020304:D431 01\n";
  const std::string kept = names.leave_out("proc/net/tcp", tcp);
  EXPECT_NE(kept.find("0100007F:0016"), std::string::npos);
  EXPECT_NE(kept.find(":72D8"), std::string::npos);
  EXPECT_EQ(kept.find("0A0B0C0D"), std::string::npos);
  EXPECT_EQ(kept.find("01020304"), std::string::npos);
}

TEST(DoctorPseudonyms, TheSerialNumberOfACardIsPutOut) {
  std::string config(4096, '\0');
  config[0x100] = 3;  // device serial number, version 1, and the end of the list
  config[0x102] = 1;
  config.replace(0x104, 8, "SERIAL01");
  const std::string out = Pseudonyms::hide_config(config);
  EXPECT_EQ(out.find("SERIAL"), std::string::npos);
  EXPECT_EQ(out.size(), config.size());
  EXPECT_EQ(Pseudonyms::hide_config(std::string(64, 'x')), std::string(64, 'x'));
}

}  // namespace
}  // namespace nettune::tools::doctor
