// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "node/exit_codes.hpp"
#include "tools/measure/measurement.hpp"
#include "tools/measure/paths.hpp"
#include "tools/measure/program/this_node.hpp"

/// Measurements for people.
namespace nettune::tools::measure::program {

/// The result of a collective at one size, with a bar: its share of `best_busbw`.
std::string line_of(const Measurement& one, const cli::Style& style, double best_busbw);

/// "64 KiB"
std::string size_text(double bytes);

/// "15.2 us", "48.1 ms"
std::string duration_text(double seconds);

/// Names what runs on these nodes and would be disturbed, unless `share`. Nothing if nothing runs.
std::optional<node::Exit> refuse_busy(const std::vector<const NodeView*>& nodes, bool share,
                                      bool json, cli::Output& output);

/// A line on standard error with the current measurement, which is erased afterwards.
class Progress {
 public:
  explicit Progress(bool wanted) : wanted_(wanted) {}
  void show(const std::string& what);
  void clear();

 private:
  bool wanted_;
  bool shown_ = false;
};

}  // namespace nettune::tools::measure::program
