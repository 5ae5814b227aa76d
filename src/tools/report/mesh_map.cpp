// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "base/node_set.hpp"
#include "base/number_text.hpp"
#include "base/text.hpp"
#include "tools/report/html.hpp"
#include "tools/report/parts.hpp"

namespace nettune::tools::report {

namespace {

/// So many rows a map has; more nodes share rows.
constexpr std::size_t kMostRows = 400;
/// So many nodes have names beside their rows, and a text for each pair.
constexpr std::size_t kMostNamedRows = 48;
constexpr std::size_t kMostMaps = 4;

/// Classes of the style sheet, h0 to h5. The worst of several pairs counts: kBadness.
enum class Heat : std::uint8_t { none, full, near, low, bad, missing };
constexpr std::array<int, 6> kBadness = {0, 1, 2, 4, 5, 3};

/// A pair is bad below 0.8 of what it should reach (docs/test.md).
Heat heat_of(const Mesh& mesh, const MeshPair& pair) {
  if (!pair.gbps) return Heat::missing;
  const double of = pair.expected.value_or(mesh.median);
  const double share = of > 0 ? *pair.gbps / of : 1;
  if (pair.state == "bad") return share < 0.5 ? Heat::bad : Heat::low;
  if (share < 0.5) return Heat::bad;
  if (share < 0.8) return Heat::low;
  return share < 0.9 ? Heat::near : Heat::full;
}

struct Cell {
  Heat heat = Heat::none;
  std::string text;
};

/// A square matrix of rows x rows.
struct Matrix {
  std::size_t rows = 0;
  std::size_t nodes_a_row = 1;
  std::vector<Cell> cells;
  Cell& at(std::size_t y, std::size_t x) { return cells[y * rows + x]; }
};

Matrix matrix_of(const Mesh& mesh, const std::vector<std::uint32_t>& order, bool has_texts) {
  Matrix out;
  out.nodes_a_row = (order.size() + kMostRows - 1) / kMostRows;
  out.rows = (order.size() + out.nodes_a_row - 1) / out.nodes_a_row;
  out.cells.resize(out.rows * out.rows);
  std::vector<std::size_t> row(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) row[order[i]] = i / out.nodes_a_row;
  for (const MeshPair& pair : mesh.pairs) {
    const Heat heat = heat_of(mesh, pair);
    std::string text;
    if (has_texts)
      text = cat(pair.rail, pair.rail.empty() ? "" : " ",
                 pair.gbps ? cat(significant(*pair.gbps, 3), " Gb/s") : "no result");
    for (const auto& [y, x] : {std::pair(row[pair.a], row[pair.b]), {row[pair.b], row[pair.a]}}) {
      Cell& cell = out.at(y, x);
      if (kBadness[static_cast<std::size_t>(heat)] > kBadness[static_cast<std::size_t>(cell.heat)])
        cell.heat = heat;
      if (has_texts) cell.text += cat(cell.text.empty() ? "" : ", ", text);
    }
  }
  return out;
}

/// Runs of one colour in a row are one rectangle of a path.
std::string paths_html(Matrix& matrix) {
  std::array<std::string, 6> paths;
  for (std::size_t y = 0; y < matrix.rows; ++y) {
    for (std::size_t x = 0; x < matrix.rows;) {
      const Heat heat = matrix.at(y, x).heat;
      std::size_t end = x + 1;
      while (end < matrix.rows && matrix.at(y, end).heat == heat) ++end;
      if (heat != Heat::none)
        paths[static_cast<std::size_t>(heat)] +=
            cat("M", x, " ", y, "h", end - x, "v1h-", end - x, "z");
      x = end;
    }
  }
  std::string out;
  for (std::size_t i = 1; i < paths.size(); ++i)
    if (!paths[i].empty()) out += cat("<path class=\"h", i, "\" d=\"", paths[i], "\"/>");
  return out;
}

std::string rectangles_html(Matrix& matrix, const Mesh& mesh,
                            const std::vector<std::uint32_t>& order) {
  std::string out;
  for (std::size_t y = 0; y < matrix.rows; ++y)
    for (std::size_t x = 0; x < matrix.rows; ++x) {
      const Cell& cell = matrix.at(y, x);
      if (cell.heat == Heat::none) continue;
      out += cat("<rect class=\"h", static_cast<int>(cell.heat), "\" x=\"", x, "\" y=\"", y,
                 "\" width=\"1\" height=\"1\"><title>", escaped(mesh.names[order[y]]), " - ",
                 escaped(mesh.names[order[x]]), ": ", escaped(cell.text), "</title></rect>");
    }
  return out;
}

std::map<std::string, std::string> leaves_by_node(const Mesh& mesh) {
  std::map<std::string, std::string> out;
  for (const auto& [leaf, nodes] : mesh.leaves)
    for (const std::string& node : nodes) out[node] = leaf;
  return out;
}

/// The map is drawn in units of a node; names beside it are not scaled.
std::string map_html(const Mesh& mesh, bool is_first) {
  const std::vector<std::uint32_t> order = mesh_order(mesh);
  const bool is_named = order.size() <= kMostNamedRows;
  Matrix matrix = matrix_of(mesh, order, is_named && is_first);
  const double cell = std::clamp(640.0 / static_cast<double>(matrix.rows), 1.0, 30.0);
  const auto px = [](double value) { return decimals(value, 1); };
  const double size = cell * static_cast<double>(matrix.rows);
  const double left = is_named ? 130 : 8;
  const double right = mesh.leaves.empty() ? 8 : 130;
  std::string out =
      cat("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"heat map\"><svg "
          "class=\"map\" role=\"img\" aria-label=\"rates between nodes, ordered by leaf\" width=\"",
          px(left + size + right), "\" height=\"", px(size + 16), "\" viewBox=\"0 0 ",
          px(left + size + right), " ", px(size + 16), "\"><g transform=\"translate(", px(left),
          " 8) scale(", px(cell), ")\"><rect class=\"h0\" width=\"", matrix.rows, "\" height=\"",
          matrix.rows, "\"/>",
          is_named && is_first ? rectangles_html(matrix, mesh, order) : paths_html(matrix), "</g>");
  if (is_named)
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::string& name = mesh.names[order[i]];
      out += cat("<text class=\"end\" x=\"", px(left - 6), "\" y=\"",
                 px(8 + cell * (static_cast<double>(i) + 0.5) + 4), "\">",
                 escaped(name.size() > 20 ? name.substr(0, 20) : name), "</text>");
    }
  // A line between leaves, and the name of each.
  const auto leaves = leaves_by_node(mesh);
  const auto leaf_of = [&](std::size_t i) {
    const auto found = leaves.find(mesh.names[order[i]]);
    return found == leaves.end() ? std::string() : found->second;
  };
  double last_label = -100;
  for (std::size_t i = 0; !leaves.empty() && i < order.size();) {
    std::size_t end = i + 1;
    while (end < order.size() && leaf_of(end) == leaf_of(i)) ++end;
    const double scale = cell / static_cast<double>(matrix.nodes_a_row);
    const double begin = 8 + scale * static_cast<double>(i);
    const double middle = 8 + scale * static_cast<double>(i + end) / 2;
    if (i > 0) {
      const std::string at = px(begin);
      const std::string across = px(left - 8 + begin);
      out += cat("<path class=\"leaf\" d=\"M", px(left), " ", at, "h", px(size), "M", across, " 8v",
                 px(size), "\"/>");
    }
    if (middle - last_label >= 13) {  // else it would cover the last one
      const std::string leaf = leaf_of(i).empty() ? "leaf not known" : leaf_of(i);
      out += cat("<text x=\"", px(left + size + 6), "\" y=\"", px(middle + 4), "\">",
                 escaped(leaf.size() > 20 ? leaf.substr(0, 20) : leaf), "</text>");
      last_label = middle;
    }
    i = end;
  }
  out += "</svg></div>\n";
  if (matrix.nodes_a_row > 1)
    out +=
        cat("<p>", matrix.nodes_a_row, " nodes share a row; the worst pair has the colour.</p>\n");
  return out;
}

/// The nodes with the most bad pairs.
std::string worst_html(const Mesh& mesh) {
  struct Row {
    std::size_t bad = 0;
    std::size_t pairs = 0;
    double sum = 0;
    std::size_t known = 0;
  };
  constexpr std::size_t kMost = 10;
  std::vector<Row> rows(mesh.names.size());
  for (const MeshPair& pair : mesh.pairs)
    for (const std::uint32_t node : {pair.a, pair.b}) {
      Row& row = rows[node];
      ++row.pairs;
      const Heat heat = heat_of(mesh, pair);
      if (heat == Heat::low || heat == Heat::bad) ++row.bad;
      if (!pair.gbps) continue;
      row.sum += *pair.gbps;
      ++row.known;
    }
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::uint32_t left, std::uint32_t right) {
    return rows[left].bad * rows[right].pairs > rows[right].bad * rows[left].pairs;
  });
  const auto leaves = leaves_by_node(mesh);
  std::string out;
  for (std::size_t i = 0; i < std::min(kMost, order.size()); ++i) {
    const Row& row = rows[order[i]];
    if (row.bad == 0) break;
    const std::string& name = mesh.names[order[i]];
    const auto leaf = leaves.find(name);
    out += cat("<tr><td>", escaped(name), "</td><td>",
               leaf == leaves.end() ? "not known" : escaped(leaf->second), "</td><td>", row.bad,
               " of ", row.pairs, "</td><td>",
               row.known > 0 ? significant(row.sum / static_cast<double>(row.known), 3) : "-",
               " Gb/s</td></tr>\n");
  }
  if (out.empty()) return out;
  return cat(
      "<div class=\"wide\"><table><caption>Nodes with the largest share of slow pairs</caption>"
      "<thead><tr><th>node</th><th>leaf</th><th>slow pairs</th><th>mean rate</th></tr></thead>"
      "<tbody>\n",
      out, "</tbody></table></div>\n");
}

}  // namespace

std::string finding_text(const Mesh::Finding& finding) {
  const std::string on = finding.rail.empty() ? "" : cat(" on ", finding.rail);
  if (finding.where == "leaf") return cat("leaf ", finding.leaf, " is slow with other leaves");
  if (finding.where == "rail") return cat("rail ", finding.rail, " is slow");
  if (finding.where == "cable")
    return cat("the cable or port of ", finding.rail, " is slow; the node's other rails are good");
  if (finding.where == "link") return cat("a link is slow", on, "; both ends are good with others");
  if (finding.where == "node") return cat("a node is slow with every good node", on);
  if (finding.where == "passed") return cat("slow at first", on, ", good when measured again");
  return cat("slow", on, ", and a second pass did not decide why");
}

std::vector<std::uint32_t> mesh_order(const Mesh& mesh) {
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < mesh.leaves.size(); ++i)
    for (const std::string& node : mesh.leaves[i].second) place.emplace(node, i);
  const auto leaf_of = [&](std::uint32_t node) {
    const auto found = place.find(mesh.names[node]);
    return found == place.end() ? mesh.leaves.size() : found->second;
  };
  std::vector<std::uint32_t> order(mesh.names.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::uint32_t left, std::uint32_t right) {
    const std::size_t a = leaf_of(left);
    const std::size_t b = leaf_of(right);
    return a != b ? a < b : name_less(mesh.names[left], mesh.names[right]);
  });
  return order;
}

std::string meshes_part(const Page& page) {
  std::string out;
  for (std::size_t i = 0; i < page.meshes.size(); ++i) {
    const Mesh& mesh = page.meshes[i];
    if (i == kMostMaps) {
      out += cat("<p>", page.meshes.size() - i, " older results are not drawn.</p>\n");
      break;
    }
    std::size_t bad = 0;
    std::size_t without = 0;
    std::size_t unjudged = 0;
    for (const MeshPair& pair : mesh.pairs) {
      bad += pair.state == "bad" ? 1 : 0;
      without += pair.gbps ? 0 : 1;
      unjudged += pair.state == "unjudged" ? 1 : 0;
    }
    out += cat("<h3>", counted(mesh.names.size(), "node", "nodes"), ", ",
               counted(mesh.pairs.size(), "pair", "pairs"), ", median ",
               significant(mesh.median, 3), " Gb/s: ", with_commas(bad), " bad, ",
               with_commas(without), " without a result <small>", escaped(mesh.file), ", ",
               escaped(mesh.time), "</small></h3>\n");
    if (!mesh.findings.empty()) {
      out += "<ul>";
      for (const Mesh::Finding& one : mesh.findings)
        out += cat("<li>",
                   badge(one.where == "passed"    ? Level::good
                         : one.where == "unknown" ? Level::unknown
                                                  : Level::slows),
                   " ", escaped(finding_text(one)), ": ", NodeLists::html_of(one.nodes), "</li>");
      out += "</ul>\n";
    }
    if (unjudged > 0)
      out += cat("<p>", with_commas(unjudged),
                 " pairs are not judged, since no rate is known: their colours compare with the "
                 "median. --expect-rate judges them.</p>\n");
    if (mesh.leaves.empty())
      out +=
          "<p>Which leaf a node hangs on is not known (test --mesh --topology): ordered by "
          "name.</p>\n";
    out +=
        "<p class=\"legend\"><span class=\"key\"><i class=\"h1\"></i> 90 % and more of what is "
        "expected</span> <span class=\"key\"><i class=\"h2\"></i> 80 to 90 %</span> <span "
        "class=\"key\"><i class=\"h3\"></i> 50 to 80 %</span> <span class=\"key\"><i "
        "class=\"h4\"></i> below 50 %</span> <span class=\"key\"><i class=\"h5\"></i> no "
        "result</span> <span class=\"key\"><i class=\"h0\"></i> not measured</span></p>\n";
    out += map_html(mesh, i == 0);
    out += worst_html(mesh);
  }
  return out;
}

}  // namespace nettune::tools::report
