// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace nettune::render {

/// A value of a template, with where it comes from: "--gpus", "rocev2-100g.toml:95".
struct Value {
  std::string text;
  std::string source;
  bool is_number = false;
};

/// By name; of a member of a list without the list's name: "rank".
using Values = std::map<std::string, Value, std::less<>>;

/// What goes into a template, and all of it: the text is a function of the template and this.
struct Inputs {
  Values values;
  std::map<std::string, std::vector<Values>, std::less<>> lists;
};

}  // namespace nettune::render
