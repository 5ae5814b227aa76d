// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "tools/report/page.hpp"

/// The parts of the page, each in its own file. A part that has nothing to show is "".
namespace nettune::tools::report {

/// One letter for a class of the style sheet: f, s, m, g, u.
char class_of(Level level);
/// The word in its colour.
std::string badge(Level level);

/// Writes lists of nodes; the same list is folded once.
class NodeLists {
 public:
  explicit NodeLists(const Page& page) : page_(&page) {}
  /// Few nodes are links to their articles; many are folded: "12 nodes: gpu[003,117-127]".
  const std::string& html(const Nodes& nodes);
  /// Names that may be no nodes of the page, folded.
  static std::string html_of(std::span<const std::string> names);

 private:
  const Page* page_;
  std::map<Nodes, std::string> made_;
};

/// How much the articles of nodes say: all of it with remedies, or the first findings alone.
struct Detail {
  bool has_remedies = true;
  std::size_t items = 1000;
  std::size_t history = 10;
  std::size_t unknown = 40;
};

std::string steps_part(const Page& page, NodeLists& lists);
std::string grid_part(const Page& page);
std::string rules_part(const Page& page, NodeLists& lists);
std::string differences_part(const Page& page, NodeLists& lists);
std::string meshes_part(const Page& page);
std::string experiments_part(const Page& page);
std::string timelines_part(const Page& page);
std::string versions_part(const Page& page, NodeLists& lists);
std::string unseen_part(const Page& page, NodeLists& lists);
std::string articles_part(const Page& page, const Detail& detail);

/// The order of a mesh's nodes on its map: by leaf, then by name. Indices into Mesh::names.
std::vector<std::uint32_t> mesh_order(const Mesh& mesh);

}  // namespace nettune::tools::report
