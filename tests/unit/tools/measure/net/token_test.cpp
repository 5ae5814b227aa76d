// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/net/token.hpp"

#include <gtest/gtest.h>

namespace nettune::tools::measure::net {
namespace {

TEST(MeasureNetToken, OneSecretMakesTwoThatDoNotTellEachOther) {
  const net::Tokens one = net::tokens_from("a secret of the job");
  EXPECT_EQ(one.caller.size(), net::kTokenSize);
  EXPECT_EQ(one.listener.size(), net::kTokenSize);
  EXPECT_NE(one.caller, one.listener);
  EXPECT_TRUE(net::same_token(one.caller, net::tokens_from("a secret of the job").caller));
  EXPECT_FALSE(net::same_token(one.caller, one.listener));
  EXPECT_FALSE(net::same_token("", ""));
  EXPECT_FALSE(net::same_token(one.caller, one.caller + "x"));
  EXPECT_NE(net::new_tokens()->caller, net::new_tokens()->caller);
}

}  // namespace
}  // namespace nettune::tools::measure::net
