// SPDX-License-Identifier: Apache-2.0
#include "toml/value.hpp"

#include <gtest/gtest.h>

#include "unit/toml/fixture.hpp"

namespace nettune::toml {
namespace {

TEST(TomlValue, AValueIsReadAgainToTheSame) {
  const Node root = parsed_toml(
      "v = { \"a b\" = [1, -2], c = \"x\\\"\\\\\\n\\u00e4\", d = true, e = 1.5, f = {} }");
  const Node& value = root.entries[0].second;
  EXPECT_TRUE(parsed_toml("v = " + toml_text(value)).entries[0].second.same_value(value))
      << toml_text(value);
}

}  // namespace
}  // namespace nettune::toml
