// SPDX-License-Identifier: Apache-2.0
#include "node/state_view.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nettune::node {
namespace {

TEST(NodeStateView, SomebodyWithTheLockIsAtWorkBeforeTheJournal) {
  StateView view;
  EXPECT_EQ(view.exit(), Exit::done);
  view.at_work = "pid 7 (nettune)";
  EXPECT_EQ(view.exit(), Exit::busy);
  EXPECT_EQ(view.notes().front(), "another nettune is running: pid 7 (nettune)");
}

TEST(NodeStateView, TheLinesToTypeAreForItsDirectory) {
  StateView view;
  view.directory = "/var/lib/nettune";
  view.journal.kind = JournalStatus::Kind::open;
  EXPECT_NE(view.notes().front().find("run: sudo nettune recover"), std::string::npos);
  EXPECT_EQ(view.notes().front().find("--state-dir"), std::string::npos);
  view.directory = "/srv/a state";
  EXPECT_NE(view.notes().front().find("sudo nettune recover --state-dir '/srv/a state'"),
            std::string::npos)
      << view.notes().front();
}

TEST(NodeStateView, AnOpenJournalIsUnfinishedUnlessSomebodyIsAtIt) {
  StateView view;
  view.journal.kind = JournalStatus::Kind::open;
  EXPECT_EQ(view.exit(), Exit::unfinished);
  EXPECT_NE(view.notes().front().find("nettune recover"), std::string::npos);
  view.at_work = "pid 7 (nettune)";
  EXPECT_EQ(view.exit(), Exit::busy);
  view.at_work.reset();
  view.journal.kind = JournalStatus::Kind::awaiting_confirm;
  view.confirm_left_s = 5;
  EXPECT_EQ(view.exit(), Exit::busy);
  // Nobody took it back although its time is over, or it is of another boot.
  view.confirm_left_s = 0;
  EXPECT_EQ(view.exit(), Exit::unfinished);
  EXPECT_NE(view.notes().front().find("nettune recover"), std::string::npos);
  view.journal.kind = JournalStatus::Kind::corrupt;
  EXPECT_EQ(view.exit(), Exit::unfinished);
  view.foreign = "another";
  EXPECT_EQ(view.exit(), Exit::done);
}

}  // namespace
}  // namespace nettune::node
