// SPDX-License-Identifier: Apache-2.0
#include "tools/slurm/node.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::tools::slurm {

namespace {

constexpr std::string_view kIndent = "   ";

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Of one node, field by field.
class NodeReader {
 public:
  Result<> take(std::string_view line) {
    const std::string_view field = line.substr(kIndent.size());
    const auto value_of = [&](std::string_view key) { return field.substr(key.size()); };
    if (field.starts_with("State=")) {
      TRY(once("State"));
      const auto parts = split(value_of("State=").substr(0, value_of("State=").find(' ')), '+');
      if (!parts.empty()) node.base = parts.front();
      for (std::size_t i = 1; i < parts.size(); ++i) node.flags.emplace(parts[i]);
    } else if (field.starts_with("Reason=")) {
      TRY(once("Reason"));
      take_reason(value_of("Reason="));
    } else if (field.starts_with("Comment=")) {
      TRY(once("Comment"));
      node.comment = value_of("Comment=");
    } else if (field.starts_with("Extra=")) {
      TRY(once("Extra"));
      node.extra = value_of("Extra=");
    } else if (field.starts_with("       ") && !node.reason.empty()) {
      node.reason += cat('\n', trim(field));  // the next line of a reason
    }
    return {};
  }

  Result<> check() const {
    if (!node.base.empty()) return {};
    return fail(Errc::corrupt,
                cat("scontrol shows no state of the node '", printable(node.name), "'"));
  }

  Node node;

 private:
  Result<> once(std::string_view key) {
    if (seen_.insert(key).second) return {};
    return fail(Errc::corrupt,
                cat("scontrol shows ", key, "= of the node '", printable(node.name),
                    "' twice; is there a line break in its comment? Remove it: scontrol update "
                    "NodeName=",
                    printable(node.name), " Comment="));
  }

  void take_reason(std::string_view text) {
    const auto at = text.rfind(" [");
    if (at == text.npos || !text.ends_with(']')) {
      node.reason = text;
      return;
    }
    node.reason = text.substr(0, at);
    node.reason_by = text.substr(at + 2, text.size() - at - 3);
  }

  std::set<std::string_view> seen_;
};

}  // namespace

Result<std::vector<Node>> parse_nodes(std::string_view text) {
  constexpr std::string_view kBegin = "NodeName=";
  std::vector<Node> nodes;
  NodeReader reader;
  const auto end = [&]() -> Result<> {
    if (reader.node.name.empty()) return {};
    TRY(reader.check());
    nodes.push_back(std::move(reader.node));
    reader = {};
    return {};
  };
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with(kBegin)) {
      TRY(end());
      reader.node.name = line.substr(kBegin.size(), line.find(' ') - kBegin.size());
    } else if (line.starts_with(kIndent) && !reader.node.name.empty()) {
      TRY(reader.take(line));
    }
  }
  TRY(end());
  return nodes;
}

bool is_node_name(std::string_view name) {
  constexpr std::size_t kLongest = 64;  // HOST_NAME_MAX
  return !name.empty() && name.size() <= kLongest && is_letter_or_digit(name.front()) &&
         std::ranges::all_of(name, [](char c) {
           return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
         });
}

std::string plain(std::string_view text, std::size_t most) {
  constexpr std::string_view kOthers = " .,:;/-_+()%#";
  std::string out;
  for (const char c : text.substr(0, most))
    out += is_letter_or_digit(c) || kOthers.find(c) != kOthers.npos ? c : '_';
  return std::string(trim(out));
}

}  // namespace nettune::tools::slurm
