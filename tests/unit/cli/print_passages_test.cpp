// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cli/print_text.hpp"

namespace nettune::cli::text {
namespace {

firewall::RequiredTraffic passage(const std::string& name, firewall::walk::Passage verdict,
                                  const std::string& why = {}) {
  firewall::RequiredTraffic passage{name, "tcp 29400 from 10.10.0.0/16 in eth1", {}, {}};
  passage.verdict.passage = verdict;
  passage.verdict.why = why;
  if (verdict == firewall::walk::Passage::dropped)
    passage.verdict.where = "chain inet filter input";
  return passage;
}

TEST(CliPrintPassages, InShortOneLineWhereAllIsLetIn) {
  const Style plain;
  EXPECT_EQ(passages_in_short({}, plain), "");
  const auto open = passage("fabric-tcp4", firewall::walk::Passage::accepted);
  EXPECT_EQ(passages_in_short({open}, plain), "required traffic is allowed: 1 kind of traffic\n");
  EXPECT_EQ(passages_in_short({open, open, open}, plain),
            "required traffic is allowed: 3 kinds of traffic\n");
}

TEST(CliPrintPassages, InShortWhatIsNotLetInAndACountOfTheRest) {
  const Style plain;
  const auto open = passage("fabric-tcp4", firewall::walk::Passage::accepted);
  const auto dropped = passage("fabric-tcp6", firewall::walk::Passage::dropped);
  const std::string text = passages_in_short({open, dropped, open}, plain);
  EXPECT_NE(text.find("fabric-tcp6 dropped: "), std::string::npos) << text;
  EXPECT_NE(text.find("allowed: 2 other kinds"), std::string::npos) << text;
  EXPECT_EQ(text.find("fabric-tcp4"), std::string::npos) << text;
  EXPECT_EQ(passages_in_short({dropped}, plain).find("allowed"), std::string::npos);
}

TEST(CliPrintPassages, InShortOneReasonForAll) {
  const auto unknown = passage("a-tcp4", firewall::walk::Passage::unknown, "no root");
  auto other = unknown;
  other.name = "a-udp4";
  EXPECT_EQ(passages_in_short({unknown, other}, Style{}),
            "required traffic:\n  a-tcp4, a-udp4 unknown: no root\n");
}

}  // namespace
}  // namespace nettune::cli::text
