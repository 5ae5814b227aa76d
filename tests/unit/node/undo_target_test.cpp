// SPDX-License-Identifier: Apache-2.0
#include "node/undo_target.hpp"

#include <gtest/gtest.h>

#include "core/undo_path.hpp"

namespace nettune::node {
namespace {

Transaction made(std::uint64_t number, std::string action, std::string profile) {
  Transaction transaction;
  transaction.number = number;
  transaction.action = std::move(action);
  transaction.profile = std::move(profile);
  transaction.committed = true;
  return transaction;
}

TEST(NodeUndoTarget, TheFirstApplyGoesBackToTheBaseline) {
  EXPECT_EQ(previous_generation({}), 0U);
  EXPECT_EQ(previous_generation({made(1, "apply", "a")}), 0U);
}

TEST(NodeUndoTarget, TheSecondGoesBackToTheFirst) {
  EXPECT_EQ(previous_generation({made(1, "apply", "a"), made(2, "apply", "b")}), 1U);
}

TEST(NodeUndoTarget, TwoRollbacksAreTwoStepsBack) {
  EXPECT_EQ(previous_generation(
                {made(1, "apply", "a"), made(2, "apply", "b"), made(3, rollback_action(1), "a")}),
            0U);
  EXPECT_EQ(previous_generation({made(1, "apply", "a"), made(2, "apply", "b"),
                                 made(3, "apply", "c"), made(4, rollback_action(2), "b")}),
            1U);
}

TEST(NodeUndoTarget, AnApplyAfterARollbackGoesBackToThatState) {
  EXPECT_EQ(previous_generation({made(1, "apply", "a"), made(2, "apply", "b"),
                                 made(3, rollback_action(1), "a"), made(4, "apply", "c")}),
            1U);
  EXPECT_EQ(previous_generation(
                {made(1, "apply", "a"), made(2, rollback_action(0), ""), made(3, "apply", "c")}),
            0U);
}

TEST(NodeUndoTarget, RepairedDriftIsNoStep) {
  EXPECT_EQ(previous_generation({made(1, "apply", "a"), made(2, "apply", "a")}), 0U);
  EXPECT_EQ(
      previous_generation({made(1, "apply", "a"), made(2, "apply", "b"), made(3, "apply", "b")}),
      1U);
}

TEST(NodeUndoTarget, AbortedTransactionsDoNotCount) {
  Transaction aborted = made(2, "apply", "b");
  aborted.aborted = true;
  EXPECT_EQ(previous_generation({made(1, "apply", "a"), aborted}), 0U);
}

TEST(NodeUndoTarget, ActionsThatLookLikeRollbacksAreNone) {
  EXPECT_EQ(previous_generation({made(1, "apply", "a"), made(2, "rollback to x", "b")}), 1U);
}

TEST(NodeUndoTarget, WhatLayBeforeTheOldestThatIsKeptIsNotKnown) {
  EXPECT_EQ(previous_generation({made(7, "apply", "a"), made(8, "apply", "a")}), std::nullopt);
  EXPECT_EQ(previous_generation({made(7, "apply", "a"), made(8, "apply", "b")}), 7U);
  // A rollback to the baseline says what lies below, and so does the first transaction of all.
  EXPECT_EQ(previous_generation({made(6, rollback_action(0), ""), made(8, "apply", "a")}), 0U);
  Transaction failed = made(1, "apply", "a");
  failed.aborted = true;
  EXPECT_EQ(previous_generation({failed, made(8, "apply", "a")}), 0U);
}

TEST(NodeUndoTarget, WhatAnImageWasPreparedForIsWholeSinceItsFirstBoot) {
  Transaction prepared = made(1, "apply", "a");
  prepared.image = true;
  EXPECT_EQ(previous_generation({prepared, made(2, "reapply", "a")}), 0U);
  EXPECT_EQ(previous_generation({prepared, made(2, "reapply", "a"), made(3, "reapply", "a"),
                                 made(4, "apply", "b")}),
            2U);
  EXPECT_EQ(previous_generation({prepared, made(2, "reapply", "a"), made(3, "apply", "b"),
                                 made(4, rollback_action(2), "a")}),
            0U);
}

}  // namespace
}  // namespace nettune::node
