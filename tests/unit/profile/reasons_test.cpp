// SPDX-License-Identifier: Apache-2.0
#include "profile/reasons.hpp"

#include <gtest/gtest.h>

namespace nettune::profile {
namespace {

constexpr const char* kProfile =
    "# SPDX-License-Identifier: Apache-2.0\n"  // 1
    "name = \"p\"\n"                           // 2
    "\n"                                       // 3
    "# Of the whole\n"                         // 4
    "# table.\n"                               // 5
    "[sysctl]\n"                               // 6
    "\"net.a\" = 1\n"                          // 7
    "# How far a program\n"                    // 8
    "# may go.\n"                              // 9
    "\"net.b\" = \"# no comment\"\n"           // 10
    "\"net.c\" = 2\n"                          // 11
    "\"net.d\" = 3  # its own\n"               // 12
    "\n"                                       // 13
    "\"net.e\" = 4\n"                          // 14
    "\n"                                       // 15
    "[env]\n"                                  // 16
    "A = 1\n";                                 // 17

TEST(ProfileReasons, TheCommentAboveAValueIsItsReason) {
  EXPECT_EQ(reason_in(kProfile, 10), "How far a program may go.");
  EXPECT_EQ(reason_in(kProfile, 11), "How far a program may go.") << "and that of its neighbour";
  EXPECT_EQ(reason_in(kProfile, 12), "its own");
}

TEST(ProfileReasons, AboveTheTableIsSaidOfAllOfIt) {
  EXPECT_EQ(reason_in(kProfile, 7), "Of the whole table.");
  EXPECT_EQ(reason_in(kProfile, 6), "Of the whole table.");
}

TEST(ProfileReasons, WhatHasNoneGetsNone) {
  EXPECT_EQ(reason_in(kProfile, 2), "") << "a licence is no reason";
  EXPECT_EQ(reason_in(kProfile, 14), "") << "a blank line ends what a comment is about";
  EXPECT_EQ(reason_in(kProfile, 17), "");
  EXPECT_EQ(reason_in(kProfile, 0), "");
  EXPECT_EQ(reason_in(kProfile, 99), "");
}

}  // namespace
}  // namespace nettune::profile
