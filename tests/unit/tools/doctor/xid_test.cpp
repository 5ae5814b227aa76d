// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/xid.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor {
namespace {

TEST(DoctorXid, ClassesAreThoseOfTheCatalogue) {
  EXPECT_GE(built_in_xids().size(), 100U);
  EXPECT_EQ(built_in_xids().at(79).kind, XidEntry::Class::hardware);
  EXPECT_EQ(built_in_xids().at(13).kind, XidEntry::Class::application);
  EXPECT_EQ(built_in_xids().at(63).kind, XidEntry::Class::none) << "a remapping is no fault";
  EXPECT_EQ(built_in_xids().at(92).kind, XidEntry::Class::none);
  EXPECT_EQ(built_in_xids().at(154).kind, XidEntry::Class::hardware);
  const auto xid = parse_xid("NVRM: Xid (PCI:0000:38:00): 119, pid=1, Timeout");
  ASSERT_TRUE(xid);
  EXPECT_EQ(xid->number, 119);
  EXPECT_EQ(xid->pci_address, "0000:38:00");
  EXPECT_FALSE(parse_xid("NVRM: Xid"));
  EXPECT_FALSE(parse_xid("NVRM: Xid (PCI:0000:38:00): x"));
  EXPECT_FALSE(parse_xid_catalogue("[xid.x]\nclass = \"none\"\n"));
}

std::vector<std::pair<std::string, std::string>> seen_of(const std::string& text) {
  Machine machine;
  machine.log = probe::parse_kernel_log(text);
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& seen : observe(machine))
    if (seen.what.starts_with("gpu.xid") && seen.value && *seen.value != "none")
      all.emplace_back(seen.what, seen.text);
  return all;
}

TEST(DoctorXidText, TheTextAfterTheNumberCounts) {
  using Seen = std::vector<std::pair<std::string, std::string>>;
  const std::string head = "[1.5] NVRM: Xid (PCI:0000:19:00): ";
  const auto kinds = [](const Seen& all) {
    std::string kind;
    for (const auto& one : all) kind += one.first == "gpu.xid" ? "H" : "a";
    return kind;
  };
  EXPECT_EQ(kinds(seen_of(head + "145, RLW_REMAP Fatal XC0 i0 Link 03 (0x4)")), "H");
  EXPECT_EQ(kinds(seen_of(head + "145, RLW_REMAP Nonfatal XC0 i0 Link 03 (0x4)")), "a");
  EXPECT_EQ(kinds(seen_of(head + "145, pid='<unknown>', name=<unknown>, RLW_REMAP Nonfatal XC0")),
            "a");
  EXPECT_EQ(kinds(seen_of(head + "145, pid=7, name=x, a Nonfatal b, RLW_REMAP Fatal XC0")), "H")
      << "a process chose its name";
  // Xid 45 says of what it is a consequence.
  EXPECT_EQ(kinds(seen_of(head + "45, pid=7, name=x, Ch 00000001")), "");
  EXPECT_EQ(kinds(seen_of(head + "45, pid=7, name=x, Ch 00000001 caused by previous Xid 119")),
            "H");
  EXPECT_EQ(kinds(seen_of(head + "45, pid=7, name=x, Ch 00000001 caused by previous Xid 149")),
            "a");
  EXPECT_EQ(kinds(seen_of(cat(head, "149, NETIR_LINK_EVT Fatal XC0 i0 Link 03 (0x4)\n", head,
                              "45, pid=7, name=x, Ch 00000001 caused by previous Xid 149"))),
            "H");
  // The last action of Xid 154 counts.
  const auto recovery = [&](const std::string& from, const std::string& to) {
    return cat(head, "154, GPU recovery action changed from ", from, " to ", to, "\n");
  };
  const auto reset = recovery("0x0 (None)", "0x1 (GPU Reset Required)");
  EXPECT_EQ(kinds(seen_of(reset)), "H");
  EXPECT_NE(seen_of(reset)[0].second.find("GPU Reset Required; reset the GPU"), std::string::npos);
  EXPECT_NE(seen_of(recovery("0x0 (None)", "0x2 (Node Reboot Required)"))[0].second.find("restart"),
            std::string::npos);
  EXPECT_EQ(kinds(seen_of(reset + recovery("0x1 (GPU Reset Required)", "0x0 (None)"))), "");
  EXPECT_EQ(parse_xid("NVRM: Xid (PCI:0000:19:00 GPU-I:05): 94, x")->pci_address, "0000:19:00");
}

}  // namespace
}  // namespace nettune::tools::doctor
