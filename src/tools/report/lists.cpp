// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/node_set.hpp"
#include "base/text.hpp"
#include "tools/report/html.hpp"
#include "tools/report/parts.hpp"

namespace nettune::tools::report {

namespace {

constexpr std::size_t kMostLinks = 8;
constexpr std::size_t kShort = 160;
constexpr std::size_t kLong = 20'000;

/// A list may break behind each comma.
std::string breakable(std::string_view folded) {
  std::string out;
  for (const char c : escaped(folded)) {
    out += c;
    if (c == ',') out += "<wbr>";
  }
  return out;
}

/// A folded list, cut after a name; a long one is shown on request.
std::string folded_html(const std::string& folded) {
  if (folded.size() <= kShort) return breakable(folded);
  const auto cut = folded.rfind(',', kShort);
  const std::string head = folded.substr(0, cut == std::string::npos ? kShort : cut);
  const std::string all =
      folded.size() <= kLong ? folded : cat(folded.substr(0, folded.rfind(',', kLong)), ", ...");
  return cat("<details class=\"list\"><summary>", breakable(head), ", ...</summary>",
             breakable(all), "</details>");
}

}  // namespace

std::string NodeLists::html_of(std::span<const std::string> names) {
  return folded_html(fold_names(names));
}

const std::string& NodeLists::html(const Nodes& nodes) {
  const auto [found, is_new] = made_.try_emplace(nodes);
  std::string& out = found->second;
  if (!is_new) return out;
  const std::size_t all = page_->nodes.size();
  if (nodes.size() == all && all > 3) return out = cat("all ", with_commas(all), " nodes");
  if (nodes.size() <= kMostLinks) {
    for (const std::uint32_t node : nodes)
      out += cat(out.empty() ? "" : ", ", "<a href=\"#n", node, "\">",
                 escaped(page_->nodes[node].name), "</a>");
    return out;
  }
  const bool are_most = nodes.size() * 2 > all;
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < all; ++i)
    if (std::ranges::binary_search(nodes, i) != are_most) names.push_back(page_->nodes[i].name);
  out = cat("<b>", with_commas(nodes.size()), "</b> nodes",
            are_most ? cat(", all but ", with_commas(names.size())) : "", ": ",
            folded_html(fold_names(names)));
  return out;
}

}  // namespace nettune::tools::report
