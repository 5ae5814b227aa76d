// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "base/utc.hpp"
#include "tools/report/html.hpp"
#include "tools/report/parts.hpp"

namespace nettune::tools::report {

namespace {

/// "37.2%": a place in a plot of any width.
std::string place(double share) { return cat(decimals(std::clamp(share, 0.0, 1.0) * 100, 2), "%"); }

std::string per_cent(double value) {
  return cat(value > 0 ? "+" : "", significant(value, 3), " %");
}

/// Half of the width of the plots: all intervals fit.
double reach_of(const std::vector<Experiment>& experiments) {
  double reach = 1;
  for (const Experiment& one : experiments) {
    reach = std::max(reach, one.delta * 1.5);
    for (const Judged& judged : one.judged)
      for (const auto& value : {judged.low, judged.high, judged.estimate})
        if (value && std::isfinite(*value)) reach = std::max(reach, std::abs(*value) * 1.1);
  }
  return reach;
}

std::string interval_svg(const Judged& judged, double delta, double reach) {
  const auto at = [reach](double value) { return 0.5 + value / reach / 2; };
  std::string out =
      cat("<svg class=\"plot\" role=\"img\" aria-label=\"interval\"><rect class=\"band\" x=\"",
          place(at(-delta)), "\" y=\"0\" width=\"", place(at(delta) - at(-delta)),
          "\" height=\"100%\"/><line class=\"zero\" x1=\"50%\" x2=\"50%\" y1=\"0\" y2=\"100%\"/>");
  if (judged.low && judged.high)
    out += cat("<line class=\"interval\" x1=\"", place(at(*judged.low)), "\" x2=\"",
               place(at(*judged.high)), "\" y1=\"50%\" y2=\"50%\"/>");
  if (judged.estimate)
    out += cat("<circle class=\"point\" cx=\"", place(at(*judged.estimate)),
               "\" cy=\"50%\" r=\"5\"/>");
  return out + "</svg>";
}

std::string_view verdict_class(std::string_view verdict) {
  if (verdict == "better") return "g";
  if (verdict == "worse") return "f";
  return verdict == "equivalent" ? "m" : "u";
}

std::string judged_row(const Experiment& one, const Judged& judged, double reach) {
  std::string numbers = "no interval yet";
  if (judged.estimate && judged.low && judged.high)
    numbers = cat(per_cent(*judged.estimate), " (", per_cent(*judged.low), " to ",
                  per_cent(*judged.high), ")");
  const std::string verdict = judged.verdict.empty() ? "no verdict" : judged.verdict;
  return cat("<tr><td>", judged.name.empty() ? "all" : escaped(judged.name),
             "</td><td><b class=\"word ", verdict_class(judged.verdict), "\">", escaped(verdict),
             "</b></td><td class=\"plots\">", interval_svg(judged, one.delta, reach), "</td><td>",
             numbers, "<br><small>", escaped(judged.blocks), " blocks</small></td></tr>\n");
}

}  // namespace

std::string experiments_part(const Page& page) {
  if (page.experiments.empty()) return {};
  const double reach = reach_of(page.experiments);
  std::string out = cat(
      "<p>To the right, B is better. A point is the estimate, a line its interval; the grey band "
      "is a difference too small to matter. All plots reach from ",
      per_cent(-reach), " to ", per_cent(reach), ".</p>\n");
  for (const Experiment& one : page.experiments) {
    out += cat("<h3>", escaped(one.a), " (A) against ", escaped(one.b), " (B) on ",
               escaped(one.host), " <small>", escaped(one.metric), ", ", escaped(one.confidence),
               " % interval, ", escaped(one.time), ", ", escaped(one.file), "</small></h3>\n",
               "<div class=\"wide\"><table class=\"ab\"><thead><tr><th>of</th><th>B is</th><th>A "
               "better | B better</th><th>B against A</th></tr></thead><tbody>\n");
    for (const Judged& judged : one.judged) out += judged_row(one, judged, reach);
    out += "</tbody></table></div>\n";
    if (one.notes.empty()) continue;
    out += "<ul>";
    for (const std::string& note : one.notes) out += cat("<li>", escaped(note), "</li>");
    out += "</ul>\n";
  }
  return out;
}

namespace {

constexpr std::size_t kMostTimelines = 60;

struct Span {
  long long from = 0;
  long long to = 0;
  double at(long long seconds) const {
    return to <= from
               ? 1
               : 0.01 + 0.98 * static_cast<double>(seconds - from) / static_cast<double>(to - from);
  }
};

Span span_of(const std::vector<Timeline>& timelines) {
  Span span;
  for (const Timeline& one : timelines)
    for (const Event& event : one.events) {
      if (event.seconds <= 0) continue;
      span.from = span.from == 0 ? event.seconds : std::min(span.from, event.seconds);
      span.to = std::max(span.to, event.seconds);
    }
  return span;
}

std::string event_svg(const Event& event, const Span& span, long long end) {
  // What has no time of its own is what the node was like when it was read.
  const long long seconds = event.seconds > 0 ? event.seconds : end;
  const std::string x = place(span.at(seconds));
  const std::string title =
      cat("<title>",
          escaped(event.seconds > 0 ? cat(utc_text(event.seconds), " ", event.text) : event.text),
          "</title>");
  switch (event.kind) {
    case Event::Kind::applied:
      return cat("<circle class=\"applied\" cx=\"", x, "\" cy=\"50%\" r=\"5\">", title,
                 "</circle>");
    case Event::Kind::undone:
      return cat("<circle class=\"undone\" cx=\"", x, "\" cy=\"50%\" r=\"5\">", title, "</circle>");
    case Event::Kind::unfinished:
    case Event::Kind::drift:
      return cat("<svg x=\"", x, "\" y=\"50%\" overflow=\"visible\"><rect class=\"",
                 event.kind == Event::Kind::drift ? "drift" : "unfinished",
                 "\" x=\"-6\" y=\"-6\" width=\"12\" height=\"12\">", title, "</rect></svg>");
    case Event::Kind::reboot:
      return cat("<line class=\"reboot\" x1=\"", x, "\" x2=\"", x, "\" y1=\"10%\" y2=\"90%\">",
                 title, "</line>");
    case Event::Kind::hold:
      return cat("<line class=\"hold\" x1=\"", x, "\" x2=\"", place(span.at(end)),
                 "\" y1=\"50%\" y2=\"50%\">", title, "</line>");
    case Event::Kind::seen:
      break;
  }
  return cat("<line class=\"seen\" x1=\"", x, "\" x2=\"", x, "\" y1=\"25%\" y2=\"75%\">", title,
             "</line>");
}

std::string timeline_row(const Page& page, const Timeline& one, const Span& span) {
  long long end = 0;
  for (const Event& event : one.events) end = std::max(end, event.seconds);
  if (end == 0) end = span.to;
  std::string events;
  for (const bool is_below : {true, false})  // bars and lines below marks
    for (const Event& event : one.events) {
      const bool is_line = event.kind == Event::Kind::hold || event.kind == Event::Kind::reboot ||
                           event.kind == Event::Kind::seen;
      if (is_line == is_below) events += event_svg(event, span, end);
    }
  return cat(
      "<tr><td><a href=\"#n", one.node, "\">", escaped(page.nodes[one.node].name),
      "</a></td><td class=\"plots\"><svg class=\"plot\" role=\"img\" aria-label=\"events\"><line "
      "class=\"axis\" x1=\"0\" x2=\"100%\" y1=\"50%\" y2=\"50%\"/>",
      events, "</svg></td><td>", one.has_trouble ? "<b>" : "", escaped(one.now),
      one.has_trouble ? "</b>" : "", "</td></tr>\n");
}

}  // namespace

std::string timelines_part(const Page& page) {
  if (page.timelines.empty()) return {};
  const Span span = span_of(page.timelines);
  std::vector<const Timeline*> order;
  for (const Timeline& one : page.timelines) order.push_back(&one);
  std::ranges::stable_sort(order, [](const Timeline* left, const Timeline* right) {
    return left->has_trouble > right->has_trouble;
  });
  std::string out =
      "<p class=\"legend\"><span class=\"key\"><i class=\"t applied\"></i> applied</span> <span "
      "class=\"key\"><i class=\"t undone\"></i> ended without a change, or undone</span> <span "
      "class=\"key\"><i class=\"t drift\"></i> drift</span> <span class=\"key\"><i class=\"t "
      "unfinished\"></i> not finished</span> <span class=\"key\"><i class=\"t hold\"></i> "
      "hold</span> <span class=\"key\"><i class=\"t reboot\"></i> rebooted</span></p>\n";
  if (span.from > 0)
    out += cat("<p>From ", utc_text(span.from), " to ", utc_text(span.to),
               ", the nodes with trouble first. Drift is drawn when it was read, not when it "
               "began: a document does not say that.</p>\n");
  out +=
      "<div class=\"wide\"><table class=\"times\"><thead><tr><th>node</th><th>events, the newest "
      "to "
      "the right</th><th>when it was read</th></tr></thead><tbody>\n";
  const std::size_t shown = std::min(kMostTimelines, order.size());
  for (std::size_t i = 0; i < shown; ++i) out += timeline_row(page, *order[i], span);
  out += "</tbody></table></div>\n";
  if (shown == order.size()) return out;
  const auto troubled = static_cast<std::size_t>(
      std::ranges::count_if(order, [](const Timeline* one) { return one->has_trouble; }));
  return out + cat("<p>", with_commas(order.size() - shown), " more nodes are not drawn, ",
                   troubled > shown ? cat(with_commas(troubled - shown), " of them with trouble")
                                    : "none of them with drift, a hold or an unfinished change",
                   "; each node's own part has its history.</p>\n");
}

}  // namespace nettune::tools::report
