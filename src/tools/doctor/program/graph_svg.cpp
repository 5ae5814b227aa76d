// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/markup.hpp"
#include "base/text.hpp"
#include "cli/table.hpp"
#include "node/display_text.hpp"
#include "tools/doctor/program/graph.hpp"

namespace nettune::tools::doctor::program {

namespace {

// In units of the picture. The text is set in a font whose characters are at most kCharacter wide.
constexpr int kCharacter = 8;
constexpr int kLine = 17;
constexpr int kMargin = 16;
constexpr int kPortWidth = 230;
constexpr int kEndWidth = 480;
constexpr int kGap = 26;
constexpr int kLane = 12;  ///< between the arcs of two rails
constexpr int kPadding = 8;

/// Colours are repeated, as not every viewer knows variables; paper is always light.
constexpr std::string_view kStyle = R"(<style>
text { font: 12px "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #1b1f24; }
.back { fill: #fff; } .panel { fill: #f6f8fa; stroke: #8c959f; }
.box { fill: #fff; stroke: #8c959f; } .way { fill: none; stroke: #8c959f; stroke-width: 1.5; }
.box.bad, .way.bad { stroke: #b3151b; stroke-width: 3; }
.box.hint, .way.hint { stroke: #a85500; stroke-width: 2; stroke-dasharray: 5 3; }
.name { font-weight: bold; }
text.dim { fill: #57606a; } text.bad { fill: #b3151b; } text.hint { fill: #a85500; }
@media screen and (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .back { fill: #0f1318; } .panel { fill: #1a2028; stroke: #6e7782; }
  .box { fill: #0f1318; stroke: #6e7782; } .way { stroke: #6e7782; }
  .box.bad, .way.bad { stroke: #ff7074; } .box.hint, .way.hint { stroke: #f0a94e; }
  text.dim { fill: #a3adb8; } text.bad { fill: #ff7074; } text.hint { fill: #f0a94e; }
}
</style>
)";

std::string_view class_of(const std::vector<std::size_t>& marks, bool is_faulty) {
  if (marks.empty()) return "";
  return is_faulty ? " bad" : " hint";
}

std::string text_at(int x, int y, std::string_view kind, std::string_view text) {
  return cat("<text class=\"", kind, "\" x=\"", x, "\" y=\"", y, "\">", escaped(text), "</text>\n");
}

std::string fitted(const std::string& text, int width) {
  return cli::shorten_middle(node::safe(text),
                             static_cast<std::size_t>((width - 2 * kPadding) / kCharacter));
}

/// Lines of at most `columns`; a word that is longer is cut in its middle.
std::vector<std::string> lines_of(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  const std::string shown = node::safe(text);
  for (const std::string_view one : words(shown)) {
    const std::string word = cli::shorten_middle(one, columns);
    if (lines.empty() || cli::display_width(lines.back()) + 1 + cli::display_width(word) > columns)
      lines.push_back(word);
    else
      lines.back() += cat(" ", word);
  }
  return lines;
}

/// Where an end was drawn.
struct Drawn {
  const GraphItem* item = nullptr;
  int y = 0;  ///< of its middle
};

/// The pictures of all items, from the left to the right and from the top down.
class Picture {
 public:
  explicit Picture(const Graph& graph) : graph_(&graph) {
    for (const GraphGroup& group : graph.groups)
      for (const GraphItem& item : group.items) deepest_ = std::max(deepest_, depth_of(item));
    ends_x_ = 2 * kMargin + deepest_ * (kPortWidth + kGap);
  }

  std::string text() {
    y_ = 2 * kMargin + kLine;
    for (const GraphGroup& group : graph_->groups) draw_group(group);
    for (const GraphRail& rail : graph_->rails) draw_rail(rail);
    const int right = ends_x_ + kEndWidth + kMargin + (static_cast<int>(lanes_.size()) + 1) * kLane;
    width_ = std::max(right + kMargin, kLeastWidth);
    draw_words();
    const std::string title = cat("Paths of ", graph_->host.empty() ? "a node" : graph_->host, ": ",
                                  graph_summary(*graph_));
    return cat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width_, "\" height=\"",
               y_ + kMargin, "\" viewBox=\"0 0 ", width_, " ", y_ + kMargin,
               "\" role=\"img\">\n<title>", escaped(title), "</title>\n", kStyle,
               "<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n",
               text_at(kMargin, kMargin + kLine, "name", fitted(title, width_)), panels_, out_,
               "</svg>\n");
  }

 private:
  static constexpr int kLeastWidth = 900;

  /// How many ports are above its deepest end.
  static int depth_of(const GraphItem& item) {
    int depth = 0;
    for (const GraphItem& below : item.below) depth = std::max(depth, 1 + depth_of(below));
    return depth;
  }

  void draw_group(const GraphGroup& group) {
    const int top = y_;
    y_ += kLine + kPadding;
    out_ += text_at(kMargin + kPadding, top + kLine, "name", group.title);
    for (const GraphItem& item : group.items) draw_item(item, 0);
    panels_ += cat("<rect class=\"panel\" x=\"", kMargin, "\" y=\"", top, "\" width=\"",
                   ends_x_ + kEndWidth, "\" height=\"", y_ - top, "\" rx=\"6\"/>\n");
    y_ += kMargin;
  }

  /// Returns the height of its middle.
  int draw_item(const GraphItem& item, int depth) {
    const bool is_port = item.kind == GraphItem::Kind::port;
    const int x = is_port ? 2 * kMargin + depth * (kPortWidth + kGap) : ends_x_;
    const int width = is_port ? kPortWidth : kEndWidth;
    const int height = static_cast<int>(1 + item.details.size()) * kLine + kPadding;
    const int top = y_;
    std::vector<int> middles;
    for (const GraphItem& below : item.below) middles.push_back(draw_item(below, depth + 1));
    y_ = std::max(y_, top + height + kPadding);
    const int middle = middles.empty()
                           ? top + height / 2
                           : std::max(top + height / 2, (middles.front() + middles.back()) / 2);
    for (std::size_t i = 0; i < middles.size(); ++i) {
      const GraphItem& below = item.below[i];
      const int to = below.kind == GraphItem::Kind::port ? x + width + kGap : ends_x_;
      out_ +=
          cat("<path class=\"way", class_of(below.marks, below.is_faulty), "\" d=\"M", x + width,
              " ", middle, "H", x + width + kGap / 2, "V", middles[i], "H", to, "\"/>\n");
    }
    draw_box(item, x, middle - height / 2, width, height);
    if (!is_port) ends_.push_back({&item, middle});
    return middle;
  }

  void draw_box(const GraphItem& item, int x, int y, int width, int height) {
    const std::string_view kind = class_of(item.marks, item.is_faulty);
    out_ +=
        cat("<rect class=\"box", kind, "\" x=\"", x, "\" y=\"", y, "\" width=\"", width,
            "\" height=\"", height, "\" rx=\"4\"><title>", escaped(item.name), "</title></rect>\n");
    const std::string marks = marks_text(item.marks);
    const int marks_width = static_cast<int>(marks.size()) * kCharacter;
    out_ += text_at(x + kPadding, y + kLine, cat("name", kind),
                    cat(fitted(item.name, width - marks_width), marks));
    for (std::size_t i = 0; i < item.details.size(); ++i)
      out_ += text_at(x + kPadding, y + static_cast<int>(i + 2) * kLine, "dim",
                      fitted(item.details[i], width));
  }

  const Drawn* end_of(const std::string& name) const {
    const auto found = std::ranges::find_if(
        ends_, [&](const Drawn& end) { return end.item->names.contains(name); });
    return found == ends_.end() ? nullptr : &*found;
  }

  /// The first lane in which nothing is between these heights.
  int lane_of(int from, int to) {
    std::size_t lane = 0;
    const auto is_taken = [&](const std::pair<int, int>& arc) {
      return arc.first <= to && from <= arc.second;
    };
    while (lane < lanes_.size() && std::ranges::any_of(lanes_[lane], is_taken)) ++lane;
    if (lane == lanes_.size()) lanes_.emplace_back();
    lanes_[lane].push_back({from, to});
    return static_cast<int>(lane);
  }

  void draw_rail(const GraphRail& rail) {
    const Drawn* const gpu = end_of(rail.gpu);
    const Drawn* const hca = end_of(rail.hca);
    if (!gpu || !hca) return;
    const int from = std::min(gpu->y, hca->y);
    const int to = std::max(gpu->y, hca->y);
    const int x = ends_x_ + kEndWidth;
    out_ +=
        cat("<path class=\"way", class_of(rail.marks, rail.is_faulty), "\" d=\"M", x, " ", gpu->y,
            "H", x + kMargin + (lane_of(from, to) + 1) * kLane, "V", hca->y, "H", x, "\"><title>",
            escaped(cat(rail.gpu, " - ", rail.hca, ": ", rail.distance)), "</title></path>\n");
  }

  void draw_line(int indent, std::string_view kind, std::string_view text) {
    const auto columns = static_cast<std::size_t>((width_ - 2 * kMargin - indent) / kCharacter);
    for (const std::string& line : lines_of(text, columns)) {
      y_ += kLine;
      out_ += text_at(kMargin + indent, y_, kind, line);
    }
  }

  void draw_words() {
    for (const GraphRail& rail : graph_->rails)
      draw_line(0, rail.marks.empty() ? "" : class_of(rail.marks, rail.is_faulty).substr(1),
                cat("rail ", rail.gpu, " - ", rail.hca, marks_text(rail.marks), ": ", rail.distance,
                    ", ", rail.way));
    for (std::size_t i = 0; i < graph_->faults.size(); ++i) {
      const GraphFault& fault = graph_->faults[i];
      y_ += kPadding;
      draw_line(0, fault.is_fault ? "name bad" : "name hint",
                cat("[", i + 1, "] ", fault.rule, " ",
                    fault.is_fault ? "(fault): " : "(suggestion): ", fault.why));
      for (const std::string& text : fault.texts) draw_line(4 * kCharacter, "", text);
    }
    y_ += kPadding;
    for (const std::string& note : graph_->notes) draw_line(0, "dim", cat("note: ", note));
  }

  const Graph* graph_;
  int deepest_ = 0;
  int ends_x_ = 0;
  int width_ = 0;
  int y_ = 0;  ///< the next free height
  std::vector<Drawn> ends_;
  std::vector<std::vector<std::pair<int, int>>> lanes_;
  std::string panels_;
  std::string out_;
};

}  // namespace

std::string graph_svg(const Graph& graph) { return Picture(graph).text(); }

}  // namespace nettune::tools::doctor::program
