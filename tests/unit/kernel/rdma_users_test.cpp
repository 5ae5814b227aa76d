// SPDX-License-Identifier: Apache-2.0
#include "kernel/rdma_users.hpp"

#include <gtest/gtest.h>
#include <rdma/rdma_netlink.h>

#include "unit/support/netlink_bytes.hpp"

namespace nettune::kernel {
namespace {

using namespace test;

Buffer entry(const Buffer& fields) {
  return attribute(RDMA_NLDEV_ATTR_RES_PD_ENTRY | NLA_F_NESTED, fields);
}

TEST(KernelRdmaUsers, TakesATableApart) {
  const Buffer kernel = attribute(RDMA_NLDEV_ATTR_RES_USECNT, raw_bytes(std::uint64_t{3})) +
                        attribute(RDMA_NLDEV_ATTR_RES_PDN, raw_bytes(std::uint32_t{1})) +
                        attribute(RDMA_NLDEV_ATTR_RES_KERN_NAME, text_bytes("nvme_rdma"));
  const Buffer process = attribute(RDMA_NLDEV_ATTR_RES_USECNT, raw_bytes(std::uint64_t{8})) +
                         attribute(RDMA_NLDEV_ATTR_RES_PID, raw_bytes(std::uint32_t{4711}));
  const Buffer table =
      attribute(RDMA_NLDEV_ATTR_DEV_INDEX, raw_bytes(std::uint32_t{2})) +
      attribute(RDMA_NLDEV_ATTR_RES_PD | NLA_F_NESTED, entry(kernel) + entry(process) + entry({}));
  const auto domains = parse_protection_domains(table);
  ASSERT_EQ(domains.size(), 3U);
  EXPECT_EQ(domains[0].module, "nvme_rdma");
  EXPECT_EQ(domains[0].users, 3U);
  EXPECT_EQ(domains[0].pid, 0);
  EXPECT_EQ(domains[1].pid, 4711);
  EXPECT_EQ(domains[1].module, "");
  // Of a process in another PID namespace the kernel says nothing; it is still one.
  EXPECT_EQ(domains[2].pid, 0);
  EXPECT_EQ(domains[2].module, "");
}

TEST(KernelRdmaUsers, WhatIsCutOffGivesWhatIsWhole) {
  const Buffer table =
      attribute(RDMA_NLDEV_ATTR_RES_PD,
                entry(attribute(RDMA_NLDEV_ATTR_RES_KERN_NAME, text_bytes("rpcrdma"))) + entry({}));
  for (std::size_t size = 0; size < table.size(); ++size)
    EXPECT_LE(parse_protection_domains(Bytes(table).first(size)).size(), 2U);
}

TEST(KernelRdmaUsers, ADeviceThatIsNotThereIsAnError) {
  const auto answers = protection_domains({"no_such_device"});
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_FALSE(answers[0]);
}

}  // namespace
}  // namespace nettune::kernel
