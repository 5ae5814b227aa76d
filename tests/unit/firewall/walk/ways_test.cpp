// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "firewall/walk/evaluate.hpp"
#include "unit/support/nf_fixture.hpp"

namespace nettune::firewall::walk {
namespace {

using namespace test;

constexpr int kHosts = 4;
constexpr int kPorts = 3;

/// A rule in words of its own, that it may be walked here and by the evaluator.
struct Rule {
  std::optional<int> host;      ///< of 10.0.0.0/30
  std::optional<int> port;      ///< 1 to 3
  std::optional<bool> tracked;  ///< "ct state new", or "ct state untracked"
  bool is_unknown = false;      ///< "limit"
  bool untracks = false;
  int code = NFT_CONTINUE;
  std::string chain;
};
struct Rules {
  std::map<std::string, std::vector<Rule>> chains;
  std::uint32_t policy = NF_ACCEPT;
};

/// One packet, on one of the ways that are open to it: every question whether an unknown expression
/// matches is answered by the next of `answers`, by no where there are no more.
class Reference {
 public:
  Reference(const Rules& rules, int host, int port, std::vector<bool>& answers)
      : rules_(rules), host_(host), port_(port), answers_(answers) {}

  bool lets_in() {
    if (walk("raw") == NF_DROP) return false;
    const int code = walk("input");
    return code == NFT_CONTINUE ? rules_.policy == NF_ACCEPT : code == NF_ACCEPT;
  }

 private:
  int walk(const std::string& chain) {
    for (const Rule& rule : rules_.chains.at(chain)) {
      if (rule.host && *rule.host != host_) continue;
      if (rule.port && *rule.port != port_) continue;
      if (rule.tracked && *rule.tracked != tracked_) continue;
      if (rule.is_unknown && !answer()) continue;
      if (rule.untracks) tracked_ = false;
      switch (rule.code) {
        case NF_ACCEPT:
        case NF_DROP:
          return rule.code;
        case NFT_RETURN:
          return NFT_CONTINUE;
        case NFT_GOTO:
          return walk(rule.chain);
        case NFT_JUMP:
          if (const int code = walk(rule.chain); code != NFT_CONTINUE) return code;
          break;
        default:
          break;
      }
    }
    return NFT_CONTINUE;
  }
  bool answer() {
    if (asked_ == answers_.size()) answers_.push_back(false);
    return answers_[asked_++];
  }

  const Rules& rules_;
  int host_;
  int port_;
  std::vector<bool>& answers_;
  std::size_t asked_ = 0;
  bool tracked_ = true;
};

/// What a packet can come to, all ways tried: {let in, dropped}.
std::pair<bool, bool> ends_of(const Rules& rules, int host, int port) {
  std::pair<bool, bool> ends;
  std::vector<bool> answers;
  for (;;) {
    (Reference(rules, host, port, answers).lets_in() ? ends.first : ends.second) = true;
    while (!answers.empty() && answers.back()) answers.pop_back();
    if (answers.empty()) return ends;
    answers.back() = true;
  }
}

FakeRuleset encoded(const Rules& rules) {
  FakeRuleset fake;
  fake.base("raw", NF_ACCEPT, -300, NF_INET_PRE_ROUTING).base("input", rules.policy);
  for (const auto& [name, list] : rules.chains) {
    if (name != "raw" && name != "input") fake.chain(name);
    for (const Rule& rule : list) {
      Buffer bytes;
      if (rule.host) bytes = bytes + from_address({10, 0, 0, *rule.host});
      if (rule.port) bytes = bytes + tcp_port(static_cast<std::uint16_t>(*rule.port));
      if (rule.tracked) {
        const std::uint32_t state =
            *rule.tracked ? 8 : 64;  // NF_CT_STATE_BIT(IP_CT_NEW), UNTRACKED
        bytes = bytes + expression("ct", number(NFTA_CT_DREG, 1) + number(NFTA_CT_KEY, 0)) +
                cmp(raw_bytes(state));
      }
      if (rule.is_unknown) bytes = bytes + expression("limit", {});
      if (rule.untracks) bytes = bytes + expression("notrack", {});
      if (rule.code != NFT_CONTINUE) bytes = bytes + verdict(rule.code, rule.chain);
      fake.rule(name, bytes);
    }
  }
  return fake;
}

Rules random_rules(std::mt19937& random) {
  const auto any = [&](int below) {
    return static_cast<int>(random() % static_cast<unsigned>(below));
  };
  const std::vector<std::string> order = {"raw", "input", "a", "b", "c"};
  Rules rules;
  rules.policy = any(2) == 0 ? NF_ACCEPT : NF_DROP;
  for (std::size_t i = 0; i < order.size(); ++i) {
    auto& list = rules.chains[order[i]];
    for (int count = any(4); count > 0; --count) {
      Rule rule;
      if (any(3) == 0) rule.host = any(kHosts);
      if (any(3) == 0) rule.port = 1 + any(kPorts);
      if (i > 0 && any(4) == 0) rule.tracked = any(2) == 0;
      rule.is_unknown = any(3) == 0;
      if (i == 0) {
        rule.untracks = any(2) == 0;
        if (!rule.untracks && any(2) == 0) rule.code = any(2) == 0 ? NF_ACCEPT : NF_DROP;
      } else {
        constexpr int kCodes[] = {NF_ACCEPT, NF_DROP, NFT_RETURN, NFT_JUMP, NFT_JUMP, NFT_GOTO};
        rule.code = kCodes[any(6)];
        if (rule.code == NFT_JUMP || rule.code == NFT_GOTO) {
          // Forward only: no loops.
          if (i + 1 == order.size())
            rule.code = NF_ACCEPT;
          else
            rule.chain = order[i + 1 + random() % (order.size() - i - 1)];
        }
      }
      list.push_back(rule);
    }
  }
  // What untracks is of use in chains of `raw`, too: these see packets before they are tracked.
  for (Rule& rule : rules.chains["raw"]) {
    if (rule.untracks && any(2) == 0) rules.chains["early"].push_back(std::exchange(rule, {}));
  }
  if (rules.chains.contains("early")) {
    Rule jump;
    jump.is_unknown = any(2) == 0;
    jump.code = NFT_JUMP;
    jump.chain = "early";
    rules.chains["raw"].push_back(jump);
  }
  return rules;
}

TEST(FirewallWalkWays, IsWhatAllWaysOfAllPacketsComeTo) {
  std::mt19937 random(31);
  int seen[3] = {};
  int too_careful = 0;  // which it may be; what it may not be is wrong
  for (int round = 0; round < 2'000; ++round) {
    const Rules rules = random_rules(random);
    const FakeRuleset fake = encoded(rules);
    bool all_in = true;
    std::set<std::string> sure_drops;
    for (int host = 0; host < kHosts; ++host) {
      for (int port = 1; port <= kPorts; ++port) {
        const auto [in, dropped] = ends_of(rules, host, port);
        all_in = all_in && !dropped;
        if (!in) {
          sure_drops.insert("10.0.0." + std::to_string(host) + " -> tcp " + std::to_string(port) +
                            " on eth0");
        }
      }
    }
    Traffic traffic;
    traffic.interface = "eth0";
    traffic.peers = {rules::parse_network("10.0.0.0/30").value()};
    traffic.ports = {{1, kPorts}};
    traffic.own = {rules::parse_network("10.0.0.200").value()};
    const Verdict verdict = Evaluator(fake.all).judge_one(traffic);
    ++seen[static_cast<int>(verdict.passage)];
    switch (verdict.passage) {
      case Passage::accepted:
        ASSERT_TRUE(all_in) << round;
        break;
      case Passage::dropped:
        ASSERT_TRUE(sure_drops.contains(verdict.packet)) << round << " " << verdict.packet;
        break;
      case Passage::unknown:
        if (all_in || !sure_drops.empty()) ++too_careful;
        break;
    }
  }
  for (const int count : seen) EXPECT_GE(count, 150) << "the rule sets are of no use";
  EXPECT_LT(too_careful, 100);
}

Traffic one_packet() {
  Traffic traffic;
  traffic.interface = "eth0";
  traffic.peers = {rules::parse_network("10.0.0.1").value()};
  traffic.ports = {{22, 22}};
  traffic.own = {rules::parse_network("10.0.0.200").value()};
  return traffic;
}
Buffer marked() { return meta(NFT_META_CGROUP) + cmp(octets({5, 0, 0, 0})); }
Passage passage_of(const FakeRuleset& fake) {
  return Evaluator(fake.all).judge_one(one_packet()).passage;
}

TEST(FirewallWalkWays, ADoubtfulAcceptHidesNoDropBehindIt) {
  FakeRuleset fake;
  fake.base("input", NF_ACCEPT).chain("bl");
  fake.rule("input", marked() + verdict(NFT_JUMP, "bl"));
  fake.rule("bl", expression("limit", {}) + verdict(NF_ACCEPT)).rule("bl", verdict(NF_DROP));
  EXPECT_EQ(passage_of(fake), Passage::unknown);

  FakeRuleset two;
  two.base("input", NF_ACCEPT).chain("b1").chain("b2");
  two.rule("input", marked() + verdict(NFT_JUMP, "b1"));
  two.rule("b1", marked() + verdict(NFT_JUMP, "b2")).rule("b1", verdict(NF_DROP));
  two.rule("b2", verdict(NF_ACCEPT));
  EXPECT_EQ(passage_of(two), Passage::unknown);
}

TEST(FirewallWalkWays, ADoubtfulDropHidesNoAcceptBehindIt) {
  FakeRuleset fake;
  fake.base("input", NF_DROP).chain("foo");
  fake.rule("input", marked() + verdict(NFT_JUMP, "foo"));
  fake.rule("foo", marked() + verdict(NF_DROP)).rule("foo", verdict(NF_ACCEPT));
  EXPECT_EQ(passage_of(fake), Passage::unknown);
}

TEST(FirewallWalkWays, AChainThatTheyMayComeIntoMayUntrackThem) {
  FakeRuleset fake;
  fake.base("raw", NF_ACCEPT, -300, NF_INET_PRE_ROUTING).base("input", NF_DROP).chain("sub");
  fake.rule("raw", marked() + verdict(NFT_JUMP, "sub")).rule("sub", expression("notrack", {}));
  fake.rule("input", expression("ct", number(NFTA_CT_DREG, 1) + number(NFTA_CT_KEY, 0)) +
                         cmp(raw_bytes(std::uint32_t{8})) + verdict(NF_ACCEPT));
  EXPECT_EQ(passage_of(fake), Passage::unknown);
}

TEST(FirewallWalkWays, ManyThatComeTogetherAgainAreWalkedOnce) {
  FakeRuleset fake;
  fake.base("input", NF_DROP).chain("sub");
  fake.rule("sub", marked() + verdict(NFT_RETURN)).rule("sub", expression("log", {}));
  for (int i = 0; i < 100; ++i) fake.rule("input", marked() + verdict(NFT_JUMP, "sub"));
  EXPECT_EQ(passage_of(fake), Passage::dropped);
  fake.rule("input", verdict(NF_ACCEPT));
  EXPECT_EQ(passage_of(fake), Passage::accepted);
}

}  // namespace
}  // namespace nettune::firewall::walk
