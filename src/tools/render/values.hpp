// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace nettune::tools::render {

/// A value for a template, and its source: "--gpus", "rocev2-100g.toml:95".
struct Value {
  std::string text;
  std::string source;
  bool is_number = false;
};

/// By name; members of a list are without the list's name: "rank".
using Values = std::map<std::string, Value, std::less<>>;

/// All inputs of a template: the text depends only on the template and these.
struct Inputs {
  Values values;
  std::map<std::string, std::vector<Values>, std::less<>> lists;
};

}  // namespace nettune::tools::render
