// SPDX-License-Identifier: Apache-2.0
#include "node/confirm/connection.hpp"

#include <gtest/gtest.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/text.hpp"
#include "kernel/process.hpp"
#include "unit/support/model_disk.hpp"

namespace nettune::node::confirm {
namespace {

using namespace test;

constexpr int kChanged = 1000;  ///< seconds since boot
const std::uint64_t kPts = gnu_dev_makedev(136, 3);

class NodeConfirmConnection : public testing::Test {
 protected:
  NodeConfirmConnection() { disk.put_directory("/proc"); }
  /// Leads a session of its own where none is given.
  void process(int pid, const std::string& name, int parent, double started_s,
               std::uint64_t terminal = kPts, int session = 0) {
    const auto ticks =
        static_cast<std::int64_t>(started_s * static_cast<double>(::sysconf(_SC_CLK_TCK)));
    disk.put_directory(cat("/proc/", pid));
    disk.put(
        cat("/proc/", pid, "/stat"),
        cat(pid, " (", name, ") S ", parent, " 1 ", session == 0 ? pid : session, " ", terminal,
            " 1 4194304 100 0 0 0 1 2 3 4 20 0 1 0 ", ticks, " 1000 10 18446744073709551615\n"));
  }
  Errc code(int pid) {
    const auto checked = node::confirm::check_connection(disk, pid, kChanged * 1000);
    EXPECT_FALSE(checked) << *checked;
    return checked ? Errc::io : checked.error().code;
  }

  ModelDisk disk;
};

TEST_F(NodeConfirmConnection, ANewerOneCounts) {
  for (const char* const server : {"sshd", "sshd-session", "dropbear"}) {
    process(50, server, 1, 10);
    process(60, server, 50, kChanged + 1.5);
    process(61, "bash", 60, kChanged + 2);
    process(62, "sudo", 61, kChanged + 9);
    process(63, "nettune", 62, kChanged + 9);
    const auto checked = node::confirm::check_connection(disk, 63, kChanged * 1000);
    ASSERT_TRUE(checked) << checked.error().text;
    EXPECT_EQ(*checked, cat(server, ", pid 60"));
  }
}

TEST_F(NodeConfirmConnection, AnOlderOneDoesNotHoweverNewItsShellIs) {
  process(60, "sshd", 1, kChanged - 50);
  process(61, "bash", 60, kChanged + 20);
  process(62, "nettune", 61, kChanged + 30);
  EXPECT_EQ(code(62), Errc::conflict);
  // A process that came just after the change may be that of a connection from before it.
  process(60, "sshd", 1, kChanged + 0.4);
  EXPECT_EQ(code(62), Errc::conflict);
  // Which is not known, so it is not called older.
  const auto checked = node::confirm::check_connection(disk, 62, kChanged * 1000);
  EXPECT_NE(checked.error().text.find("may be older"), std::string::npos) << checked.error().text;
}

TEST_F(NodeConfirmConnection, ItsAgeIsNotThatOfTheLogin) {
  process(50, "sshd", 1, 10);
  process(60, "sshd", 50, kChanged - 50);           // waited at its password prompt
  process(61, "sshd", 60, kChanged + 5, kPts, 60);  // of the user, forked behind the login
  process(62, "bash", 61, kChanged + 5);
  process(63, "nettune", 62, kChanged + 9);
  EXPECT_EQ(code(63), Errc::conflict);
  process(60, "sshd", 50, kChanged + 2);
  EXPECT_TRUE(node::confirm::check_connection(disk, 63, kChanged * 1000));
  EXPECT_EQ(node::confirm::check_connection(disk, 63, 0).error().code, Errc::unsupported);
}

TEST_F(NodeConfirmConnection, ATerminalOfTheMachineCountsAlsoUnderSudo) {
  for (const std::uint64_t terminal : {gnu_dev_makedev(4, 1), gnu_dev_makedev(4, 64),
                                       gnu_dev_makedev(5, 1), gnu_dev_makedev(229, 0)}) {
    process(70, "bash", 1, 10, terminal);
    process(71, "sudo", 70, 20, terminal);
    process(72, "nettune", 71, 20, kPts);
    EXPECT_TRUE(node::confirm::check_connection(disk, 72, kChanged * 1000));
  }
}

TEST_F(NodeConfirmConnection, WhatCannotBeToldDoesNotCount) {
  process(80, "tmux: server", 1, 10, 0);
  process(81, "bash", 80, kChanged + 10);
  process(82, "nettune", 81, kChanged + 10);
  EXPECT_EQ(code(82), Errc::unsupported);
  process(80, "cron", 1, kChanged + 10, 0);
  EXPECT_EQ(code(82), Errc::unsupported);
}

TEST_F(NodeConfirmConnection, NamesWithParenthesesAndBlanksMoveNoField) {
  process(90, "a) S 1 (b", 1, 5);
  const auto read = kernel::read_process(disk, 90);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->name, "a) S 1 (b");
  EXPECT_EQ(read->parent, 1);
  EXPECT_EQ(read->terminal, kPts);
  EXPECT_EQ(read->started_s, 5);
  EXPECT_EQ(read->state, 'S');
  EXPECT_EQ(read->group, 1);
  EXPECT_EQ(read->used_s, 3.0 / static_cast<double>(::sysconf(_SC_CLK_TCK)));
  disk.put("/proc/90/stat", "90 (cut) S 1");
  EXPECT_EQ(kernel::read_process(disk, 90).error().code, Errc::io);
  EXPECT_EQ(kernel::read_process(disk, 91).error().code, Errc::not_found);
}

}  // namespace
}  // namespace nettune::node::confirm
