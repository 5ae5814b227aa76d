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

TEST(CliPrintPassages, InShortNothingWhereAllIsLetIn) {
  const Style plain;
  EXPECT_EQ(passages_in_short({}, plain), "");
  const auto open = passage("fabric-tcp4", firewall::walk::Passage::accepted);
  EXPECT_EQ(passages_in_short({open, open, open}, plain), "");
}

TEST(CliPrintPassages, InShortWhatIsNotLetInAndACountOfTheRest) {
  const Style plain;
  const auto open = passage("fabric-tcp4", firewall::walk::Passage::accepted);
  auto dropped = passage("fabric-tcp6", firewall::walk::Passage::dropped);
  dropped.verdict.chain = "inet filter input";
  dropped.verdict.handle = 8;
  EXPECT_EQ(passages_in_short({open, dropped, open}, plain),
            "required traffic:\n"
            "  fabric-tcp6 blocked: tcp 29400 from 10.10.0.0/16 in eth1\n"
            "      by: chain inet filter input\n"
            "      fix: delete the rule (nft delete rule inet filter input handle 8) or accept it "
            "before that; nettune apply accepts it at the head of an input or output\n"
            "      chain\n"
            "  allowed: 2 other kinds\n");
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
