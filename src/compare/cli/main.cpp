// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>

#include "base/text.hpp"
#include "compare/cli/compare_command.hpp"

int main(int argc, char** argv) {
  using namespace nettune;
  cli::CompareRequest request;
  bool plain = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string { return i + 1 < argc ? argv[++i] : ""; };
    if (word == "--json") request.json = true;
    else if (word == "--all") request.all = true;
    else if (word == "--no-color") plain = true;
    else if (word == "--group-by") request.group_by = value();
    else if (word == "--explain") request.slow_file = value();
    else if (word == "--rules") request.rules_file = value();
    else request.inputs.push_back(word);
  }
  cli::Output output(plain);
  const auto exit = cli::compare(request, output);
  if (!exit) {
    output.complain(cat("error: ", exit.error().text, "\n"));
    return static_cast<int>(cli::exit_for(exit.error().code));
  }
  output.flush();
  return static_cast<int>(*exit);
}
