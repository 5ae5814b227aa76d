// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/print_measurement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unistd.h>

#include "base/text.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"

namespace nettune::tools::measure::program {
namespace {

constexpr std::size_t kLabel = 14;

std::string label(std::string_view text) {
  std::string out = cat("  ", text);
  out.resize(std::max(out.size() + 1, kLabel + 2), ' ');
  return out;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

/// A point of the curve by size; the bar is the share of the best bus bandwidth.
std::string collective_line(const Collective& one, double best_busbw, const cli::Style& style) {
  constexpr double kBar = 24;
  const std::string out =
      cat(label(size_text(one.bytes)), padded(duration_text(one.time_us * 1e-6), 9), " bus ",
          short_number(one.busbw), " GB/s");
  if (const double wrong = one.wrong.value_or(0); wrong > 0)
    return cat(out, ": ", style.red("bad"), ", ", short_number(wrong), " values are wrong");
  const double share = best_busbw > 0 ? std::min(1.0, one.busbw / best_busbw) : 0;
  const auto bar = static_cast<std::size_t>(std::lround(kBar * std::max(0.0, share)));
  constexpr std::size_t kBarAt = 43;
  return bar == 0 ? out : padded(out, kBarAt) + std::string(bar, '#');
}

}  // namespace

std::string size_text(double bytes) {
  constexpr std::array kUnits = {" bytes", " KiB", " MiB", " GiB", " TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return short_number(bytes) + kUnits[unit];
}

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return cat(short_number(seconds * 1e6), " us");
  if (seconds < 1) return cat(short_number(seconds * 1e3), " ms");
  return cat(short_number(seconds), " s");
}

std::string line_of(const Measurement& one, const cli::Style& style, double best_busbw) {
  std::string out =
      one.error ? cat(label(one.name()), style.red("no result"), ": ", printable(one.error->text))
                : collective_line(one.collective, best_busbw, style);
  out += "\n";
  for (const Side* side : {&one.from, &one.to})
    if (const std::string lost = losses(*side); !lost.empty())
      out += cat(label(""), "at the same time, at ", printable(side->end.host), ": ",
                 printable(lost), "\n");
  return out;
}

std::optional<node::Exit> refuse_busy(const std::vector<const NodeView*>& nodes, bool share,
                                      bool json, cli::Output& output) {
  std::string busy;
  for (const NodeView* const view : nodes)
    for (const std::string& one : view->busy)
      busy += cat("\n  ", printable(view->host), ": ", printable(one));
  if (busy.empty() || share) return {};
  const Error error{Errc::denied,
                    cat("a measurement would disturb running jobs:", busy,
                        "\nwait until it has finished, or measure anyway with --share"),
                    0,
                    {},
                    0};
  if (json) output.print(cli::json::error(error, node::Exit::refused));
  output.complain(cli::text::error(error, cli::Style{}));
  return node::Exit::refused;
}

void Progress::show(const std::string& what) {
  if (!wanted_) return;
  const std::string text = cat("\r\033[K  ", what, " ...");
  (void)!::write(STDERR_FILENO, text.data(), text.size());
  shown_ = true;
}

void Progress::clear() {
  constexpr std::string_view kWipe = "\r\033[K";
  if (shown_) (void)!::write(STDERR_FILENO, kWipe.data(), kWipe.size());
  shown_ = false;
}

}  // namespace nettune::tools::measure::program
