// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <gtest/gtest.h>
#include <linux/netfilter/xt_rpfilter.h>
#include <linux/rtnetlink.h>

#include "firewall/walk/evaluate.hpp"
#include "firewall/walk/routes.hpp"
#include "kernel/route_lookup.hpp"
#include "unit/support/nf_fixture.hpp"

namespace nettune::firewall::walk {
namespace {

using namespace test;

rules::U128 number_in(const std::string& address) {
  const auto network = rules::parse_network(address).value();
  return rules::interval_of(network).first;
}

/// Routes of prefixes, the longest of which counts.
class FakeRoutes final : public Routes {
 public:
  FakeRoutes& add(const std::string& prefix, RouteAnswer answer) {
    const auto network = rules::parse_network(prefix).value();
    const rules::Interval interval = rules::interval_of(network);
    routes_.push_back({network.prefix, interval, std::move(answer)});
    borders_.push_back(interval.first);
    borders_.push_back(interval.last + 1);
    std::sort(borders_.begin(), borders_.end());
    return *this;
  }
  std::span<const rules::U128> borders(bool) override { return borders_; }
  std::optional<RouteAnswer> ask(const Query& query) override {
    asked.push_back(query);
    const Route* best = nullptr;
    for (const Route& route : routes_) {
      const bool in = route.interval.first <= query.address && query.address <= route.interval.last;
      if (in && (best == nullptr || best->length < route.length)) best = &route;
    }
    return best != nullptr ? best->answer : RouteAnswer{};
  }
  std::vector<Query> asked;

 private:
  struct Route {
    int length;
    rules::Interval interval;
    RouteAnswer answer;
  };
  std::vector<Route> routes_;
  std::vector<rules::U128> borders_;
};

RouteAnswer by(std::uint32_t interface, std::uint8_t type = RTN_UNICAST) {
  return {true, type, {interface}};
}

Traffic from(const std::string& peers) {
  Traffic traffic;
  traffic.interface = "eth0";
  traffic.interface_index = 2;
  traffic.peers = {rules::parse_network(peers).value()};
  traffic.ports = {{22, 22}};
  traffic.own = {rules::parse_network(traffic.peers[0].ipv6 ? "fd00::99" : "10.0.0.200").value()};
  return traffic;
}

/// "fib saddr . mark . iif oif missing drop", as firewalld has it.
FakeRuleset strict() {
  FakeRuleset fake;
  const std::uint32_t flags =
      NFTA_FIB_F_SADDR | NFTA_FIB_F_MARK | NFTA_FIB_F_IIF | NFTA_FIB_F_PRESENT;
  fake.base("early", NF_ACCEPT, 10, NF_INET_PRE_ROUTING);
  fake.rule("early", expression("fib", number(NFTA_FIB_DREG, NFT_REG_1) +
                                           number(NFTA_FIB_RESULT, NFT_FIB_RESULT_OIF) +
                                           number(NFTA_FIB_FLAGS, flags)) +
                         cmp(octets({0})) + verdict(NF_DROP));
  return fake;
}

Verdict judged(const FakeRuleset& fake, const Traffic& traffic, Routes* routes) {
  return Evaluator(fake.all, {}, routes).judge(traffic);
}

TEST(FirewallWalkFib, TheWayBackIsAskedOfTheRoutes) {
  FakeRoutes routes;
  routes.add("fd00::/64", by(2)).add("fd01::/64", by(3));
  EXPECT_EQ(judged(strict(), from("fd00::/64"), &routes).passage, Passage::accepted);
  ASSERT_FALSE(routes.asked.empty());
  EXPECT_EQ(routes.asked[0].source, number_in("fd00::99"));
  EXPECT_EQ(judged(strict(), from("fd01::/64"), &routes).passage, Passage::dropped);
  EXPECT_EQ(judged(strict(), from("fd02::/64"), &routes).passage, Passage::dropped) << "no route";
  const Verdict unknown = judged(strict(), from("fd00::/64"), nullptr);
  EXPECT_EQ(unknown.passage, Passage::unknown);
  EXPECT_EQ(unknown.why, "fib");
}

// Each interface has routes of fe80::/64; the kernel looks up those of the packet's own.
TEST(FirewallWalkFib, ALinkLocalAddressIsAskedWithItsInterface) {
  FakeRoutes routes;
  routes.add("fe80::/64", by(2)).add("fd00::/64", by(2));
  EXPECT_EQ(judged(strict(), from("fe80::/64"), &routes).passage, Passage::accepted);
  ASSERT_FALSE(routes.asked.empty());
  EXPECT_EQ(routes.asked[0].interface, 2U);
  routes.asked.clear();
  EXPECT_EQ(judged(strict(), from("fd00::/64"), &routes).passage, Passage::accepted);
  ASSERT_FALSE(routes.asked.empty());
  EXPECT_EQ(routes.asked[0].interface, 0U);
}

TEST(FirewallWalkFib, ARouteInTheMiddleOfThePeersIsFound) {
  FakeRoutes routes;
  routes.add("10.0.0.0/8", by(2)).add("10.1.2.0/24", by(3));
  const Verdict verdict = judged(strict(), from("10.0.0.0/8"), &routes);
  EXPECT_EQ(verdict.passage, Passage::dropped);
  EXPECT_EQ(verdict.packet, "10.1.2.1 -> tcp 22 on eth0");
  EXPECT_EQ(judged(strict(), from("10.0.0.0/16"), &routes).passage, Passage::accepted);
}

TEST(FirewallWalkFib, NobodySendsFromABroadcastAddress) {
  FakeRoutes routes;
  routes.add("10.0.0.0/24", by(2)).add("10.0.0.255", by(2, RTN_BROADCAST));
  EXPECT_EQ(judged(strict(), from("10.0.0.0/24"), &routes).passage, Passage::accepted);
}

TEST(FirewallWalkFib, OfSeveralNexthopsIpv6TakesOneThatIsNotKnown) {
  FakeRoutes routes;
  routes.add("fd00::/64", {true, RTN_UNICAST, {2, 3}})
      .add("10.0.0.0/8", {true, RTN_UNICAST, {2, 3}});
  EXPECT_EQ(judged(strict(), from("fd00::/64"), &routes).passage, Passage::unknown);
  EXPECT_EQ(judged(strict(), from("10.0.0.0/8"), &routes).passage, Passage::accepted);
}

TEST(FirewallWalkFib, KindsOfTheSourceAddress) {
  FakeRuleset fake;
  fake.base("input", NF_ACCEPT);
  fake.rule("input", expression("fib", number(NFTA_FIB_DREG, NFT_REG_1) +
                                           number(NFTA_FIB_RESULT, NFT_FIB_RESULT_ADDRTYPE) +
                                           number(NFTA_FIB_FLAGS, NFTA_FIB_F_SADDR)) +
                         cmp(raw_bytes(std::uint32_t{RTN_LOCAL})) + verdict(NF_DROP));
  FakeRoutes routes;
  routes.add("10.0.0.0/24", by(2));
  EXPECT_EQ(judged(fake, from("10.0.0.0/24"), &routes).passage, Passage::accepted);
  EXPECT_EQ(judged(fake, from("10.0.0.0/24"), nullptr).passage, Passage::unknown);
}

TEST(FirewallWalkFib, TheFilterOfIptablesAsksToo) {
  FakeRuleset fake;
  fake.base("early", NF_ACCEPT, -300, NF_INET_PRE_ROUTING);
  fake.rule("early", match("rpfilter", 0, raw_bytes(xt_rpfilter_info{XT_RPFILTER_INVERT})) +
                         verdict(NF_DROP));
  FakeRoutes routes;
  routes.add("fd00::/64", by(2)).add("fd01::/64", by(3));
  EXPECT_EQ(judged(fake, from("fd00::/64"), &routes).passage, Passage::accepted);
  EXPECT_EQ(judged(fake, from("fd01::/64"), &routes).passage, Passage::dropped);
}

TEST(FirewallWalkFib, TheKernelSaysWhereItsLoopbackIs) {
  auto lookup = kernel::RouteLookup::open();
  ASSERT_TRUE(lookup) << lookup.error().text;
  kernel::RouteRequest request;
  request.destination = {127, 0, 0, 1};
  const auto found = lookup->find(request);
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(found->found, !found->ifindexes.empty());
  if (found->found) {
    EXPECT_EQ(found->type, RTN_LOCAL);
  }
  EXPECT_TRUE(lookup->prefixes(false)) << "routes and rules are listed";
}

}  // namespace
}  // namespace nettune::firewall::walk
