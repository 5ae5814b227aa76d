// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <string>

#include "toml/load.hpp"

namespace nettune::toml {

inline Node parsed_toml(const std::string& text) {
  const auto read = parse_toml(text, "x.toml");
  EXPECT_TRUE(read) << read.error().text << "\n" << text;
  return read ? *read : Node();
}

}  // namespace nettune::toml
