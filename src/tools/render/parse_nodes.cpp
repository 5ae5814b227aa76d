// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "base/node_set.hpp"
#include "base/text.hpp"
#include "tools/render/inputs.hpp"

namespace nettune::tools::render {
namespace {

constexpr std::size_t kLongestName = 253;  // of a DNS name (RFC 1035)

Failure too_many(std::string_view word) {
  return fail(Errc::invalid,
              cat("--nodes: with \"", printable(word.substr(0, 80)), "\" it has more than ",
                  kMostNodes, " nodes, and no more are supported"));
}

Failure wrong(std::string_view word, std::string_view why) {
  return fail(Errc::invalid, cat("--nodes: \"", printable(word), "\" ", why));
}

Result<> check_length(std::string_view name) {
  if (name.size() <= kLongestName) return {};
  return wrong(cat(name.substr(0, 60), "..."),
               cat("has ", name.size(), " characters; a host name has at most ", kLongestName));
}

/// Splits at commas outside of brackets.
std::vector<std::string_view> split_outside(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && !inside)) {
      out.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    } else if (text[i] == '[' || text[i] == ']') {
      inside = text[i] == '[';
    }
  }
  return out;
}

}  // namespace

Result<std::vector<JobNode>> parse_nodes(std::string_view text) {
  std::vector<JobNode> nodes;
  std::set<std::string, std::less<>> known;
  for (const std::string_view word : split_outside(text)) {
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const std::string_view address =
        equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
    if (name.empty()) return wrong(word, "has no name");
    if (equals != std::string_view::npos && address.empty())
      return wrong(word, "has no address after =");
    TRY(check_length(address));
    for (const std::string_view each : {name, address})
      if (each.starts_with('-'))
        return wrong(word, "begins with a dash, so commands would take it for an option");
    std::vector<std::string> names{std::string(name)};
    if (name.find('[') != name.npos) {
      auto expanded = expand_names(name, std::size_t{kMostNodes});
      if (!expanded) return wrong(word.substr(0, 80), cat("has ", expanded.error().text));
      names = *std::move(expanded);
    }
    if (names.size() > 1 && !address.empty())
      return wrong(word, "gives several nodes the same address");
    if (std::ssize(nodes) + std::ssize(names) > kMostNodes) return too_many(word);
    for (std::string& each : names) {
      TRY(check_length(each));
      if (!known.insert(each).second) return wrong(each, "is given twice");
      nodes.push_back({std::move(each), std::string(address)});
    }
  }
  if (nodes.empty()) return fail(Errc::invalid, "--nodes names no node");
  return nodes;
}

}  // namespace nettune::tools::render
