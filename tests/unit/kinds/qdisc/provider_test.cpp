// SPDX-License-Identifier: Apache-2.0
#include "kinds/qdisc/provider.hpp"

#include <algorithm>
#include <cerrno>
#include <gtest/gtest.h>
#include <linux/pkt_sched.h>

#include "unit/support/provider_fixture.hpp"

namespace nettune::kinds::qdisc {
namespace {

using namespace test;

using kernel::Qdisc;

constexpr int kOne = 2;   ///< a card with one queue
constexpr int kFour = 3;  ///< with four
constexpr int kVeth = 4;
constexpr int kDown = 5;

/// Does what net/sched/sch_api.c and sch_mq.c do with these few cards.
class KindsQdiscProvider : public testing::Test {
 protected:
  KindsQdiscProvider() {
    attach_default(kOne);
    attach_default(kFour);
    qdiscs.push_back({kVeth, 0, TC_H_ROOT, "noqueue"});
    qdiscs.push_back({kOne, TC_H_MAKE(TC_H_INGRESS, 0), TC_H_INGRESS, "clsact"});
  }

  void drop(int ifindex) {
    std::erase_if(qdiscs, [&](const Qdisc& qdisc) {
      return qdisc.ifindex == ifindex && qdisc.parent != TC_H_INGRESS;
    });
  }
  void attach(int ifindex, std::uint32_t handle, const std::string& kind) {
    drop(ifindex);
    qdiscs.push_back({ifindex, handle, TC_H_ROOT, kind});
    if (kind != "mq") return;
    for (std::uint32_t queue = 1; queue <= 4; ++queue)
      qdiscs.push_back({ifindex, 0, TC_H_MAKE(handle, queue), by_default});
  }
  void attach_default(int ifindex) { attach(ifindex, 0, ifindex == kFour ? "mq" : by_default); }

  QdiscCalls calls() {
    QdiscCalls fake;
    fake.dump = [this]() -> Result<std::vector<Qdisc>> {
      ++dumps;
      if (fails) return fail(Errc::io, "netlink: out of luck");
      return qdiscs;
    };
    fake.index_of = [](const std::string& name) {
      return name == "one"    ? kOne
             : name == "four" ? kFour
             : name == "veth" ? kVeth
             : name == "down" ? kDown
                              : 0;
    };
    fake.replace = [this](int ifindex, std::uint32_t parent, const std::string& kind) -> Result<> {
      ++writes;
      if (kind == "mq" && ifindex != kFour) return fail(Errc::unsupported, "no queues", EOPNOTSUPP);
      if (parent == TC_H_ROOT) {
        attach(ifindex, next_handle += 0x10000, kind);
        return {};
      }
      for (Qdisc& qdisc : qdiscs)
        if (qdisc.ifindex == ifindex && qdisc.parent == parent) qdisc.kind = kind;
      return TC_H_MAJ(parent) == 0 ? Result<>(fail(Errc::not_found, "no such parent", ENOENT))
                                   : Result<>();
    };
    fake.remove = [this](int ifindex) -> Result<> {
      ++writes;
      attach_default(ifindex);
      return {};
    };
    return fake;
  }

  std::string canonical(const std::string& address, Value want) {
    const auto value = provider.canonical(Address{address}, want);
    return value && *value ? **value : "refused";
  }
  Effects effects(const std::string& address, const Value& after) {
    const Reading now = read_one(provider, address);
    return provider.effects(Address{address}, now.value(), after);
  }

  std::vector<Qdisc> qdiscs;
  std::string by_default = "fq_codel";
  std::uint32_t next_handle = 0x80000000;
  int dumps = 0;
  int writes = 0;
  bool fails = false;
  Scratch tree;
  QdiscProvider provider{tree.path(), calls()};
};

TEST_F(KindsQdiscProvider, OneDumpAnswersAll) {
  const std::vector<Address> addresses = {Address{"qdisc:one:root"},  Address{"qdisc:four:root"},
                                          Address{"qdisc:veth:root"}, Address{"qdisc:down:root"},
                                          Address{"qdisc:gone:root"}, Address{"qdisc:one:leaf"}};
  const auto readings = provider.read(addresses);
  ASSERT_EQ(readings.size(), 6U);
  EXPECT_EQ(readings[0].value(), "fq_codel");
  EXPECT_EQ(readings[1].value(), "mq/fq_codel");
  EXPECT_EQ(readings[2].presence, Presence::not_applicable);
  EXPECT_NE(readings[2].why.find("no queue"), std::string::npos);
  EXPECT_EQ(readings[3].presence, Presence::not_applicable);
  EXPECT_NE(readings[3].why.find("never been up"), std::string::npos);
  EXPECT_EQ(readings[4].presence, Presence::missing);
  EXPECT_EQ(readings[5].presence, Presence::not_applicable);
  EXPECT_EQ(dumps, 1);
  fails = true;
  EXPECT_EQ(read_one(provider, "qdisc:one:root").presence, Presence::not_permitted);
}

TEST_F(KindsQdiscProvider, Canonical) {
  EXPECT_EQ(canonical("qdisc:one:root", " fq "), "fq");
  EXPECT_EQ(canonical("qdisc:one:root", "mq/fq"), "mq/fq");
  EXPECT_EQ(canonical("qdisc:one:root", "mq/fq+fq_codel"), "mq/fq+fq_codel");
  for (const char* const bad : {"", "mq", "mq/", "fq+pie", "fq/mq", "fq codel", "FQ", "ingress",
                                "clsact", "a234567890123456", "mq/fq+", "fq\n1"})
    EXPECT_EQ(canonical("qdisc:one:root", bad), "refused") << bad;
  EXPECT_EQ(canonical("qdisc:one:root", {}), "refused");
  for (const char* const bad : {"qdisc:one", "qdisc::root", "qdisc:a/b:root", "qdisc:..:root",
                                "qdisc:a234567890123456:root", "qdisc:one:leaf"})
    EXPECT_EQ(canonical(bad, "fq"), "refused") << bad;
}

TEST_F(KindsQdiscProvider, WritesAndComesBackToTheKernelsOwn) {
  ASSERT_TRUE(write_one(provider, "qdisc:one:root", "fq_codel", "fq"));
  EXPECT_EQ(read_one(provider, "qdisc:one:root").value(), "fq");
  const int before = writes;
  ASSERT_TRUE(write_one(provider, "qdisc:one:root", "fq", "fq"));
  EXPECT_EQ(writes, before) << "what is there already has parameters, maybe";
  ASSERT_TRUE(write_one(provider, "qdisc:one:root", "fq", "fq_codel"));
  EXPECT_EQ(read_one(provider, "qdisc:one:root").value(), "fq_codel");
  EXPECT_EQ(qdiscs.back().handle, 0U) << "the kernel's own";
}

TEST_F(KindsQdiscProvider, QueuesOfACard) {
  ASSERT_TRUE(write_one(provider, "qdisc:four:root", "mq/fq_codel", "mq/fq"));
  EXPECT_EQ(read_one(provider, "qdisc:four:root").value(), "mq/fq");
  ASSERT_TRUE(write_one(provider, "qdisc:four:root", "mq/fq", "mq/fq_codel"));
  EXPECT_EQ(read_one(provider, "qdisc:four:root").value(), "mq/fq_codel");
  EXPECT_EQ(std::ranges::find(qdiscs, kFour, &Qdisc::ifindex)->handle, 0U) << "the kernel's own";
  ASSERT_TRUE(write_one(provider, "qdisc:four:root", "mq/fq_codel", "fq"));
  EXPECT_EQ(read_one(provider, "qdisc:four:root").value(), "fq");
  const auto refused = write_one(provider, "qdisc:one:root", "fq_codel", "mq/fq");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("several queues"), std::string::npos);
}

TEST_F(KindsQdiscProvider, AChangedDefaultShowsOnlyWhereItIsInUse) {
  by_default = "fq";
  EXPECT_EQ(read_one(provider, "qdisc:four:root").value(), "mq/fq_codel");
  ASSERT_TRUE(write_one(provider, "qdisc:four:root", "mq/fq_codel", "mq/fq"));
  EXPECT_EQ(read_one(provider, "qdisc:four:root").value(), "mq/fq");
  ASSERT_TRUE(write_one(provider, "qdisc:four:root", "mq/fq", "mq/fq_codel"));
  EXPECT_EQ(read_one(provider, "qdisc:four:root").value(), "mq/fq_codel")
      << "and the old comes back";
}

TEST_F(KindsQdiscProvider, QueuesThatDifferAreReadAndNotWritten) {
  attach(kFour, 0x10000, "mq");
  qdiscs.back().kind = "fq";
  EXPECT_EQ(read_one(provider, "qdisc:four:root").value(), "mq/fq+fq_codel");
  EXPECT_FALSE(write_one(provider, "qdisc:four:root", "mq/fq_codel", "mq/fq_codel+pie"));
  attach(kFour, 0x10000, "mq");
  qdiscs.back().kind = "fq";
  EXPECT_EQ(effects("qdisc:four:root", "mq/fq").undo, Undo::none);
}

TEST_F(KindsQdiscProvider, UndoSaysWhatDoesNotComeBack) {
  tree.make("module/sch_fq");
  EXPECT_EQ(effects("qdisc:one:root", "fq").undo, Undo::exact);
  EXPECT_EQ(effects("qdisc:one:root", "fq").impact, Impact::queue_reopen);
  attach(kOne, 0x10000, "fq_codel");
  EXPECT_EQ(effects("qdisc:one:root", "fq").undo, Undo::residue);
  EXPECT_NE(effects("qdisc:one:root", "fq").residue.find("existing fq_codel"), std::string::npos);
  attach(kOne, 0x10000, "htb");
  EXPECT_EQ(effects("qdisc:one:root", "fq").undo, Undo::none);
}

TEST_F(KindsQdiscProvider, TheModuleIsAWitness) {
  ASSERT_NE(find_witness(effects("qdisc:one:root", "fq"), "module:sch_fq"), nullptr);
  ASSERT_NE(find_witness(effects("qdisc:four:root", "mq/fq"), "module:sch_fq"), nullptr);
  EXPECT_EQ(find_witness(effects("qdisc:four:root", "mq/fq"), "module:sch_fq")->predicted,
            "loaded");
  EXPECT_TRUE(effects("qdisc:four:root", "fq_codel").touches.empty()) << "it is in use";
  tree.make("module/sch_fq");
  EXPECT_TRUE(effects("qdisc:one:root", "fq").touches.empty());
}

TEST_F(KindsQdiscProvider, SomeAreInEveryKernel) {
  for (const char* const kind : {"pfifo_fast", "pfifo", "bfifo", "mq"}) {
    const Effects of_it = effects("qdisc:one:root", kind);
    EXPECT_TRUE(of_it.touches.empty()) << kind;
    EXPECT_EQ(of_it.impossible, "") << kind;
  }
}

}  // namespace
}  // namespace nettune::kinds::qdisc
