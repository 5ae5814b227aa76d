// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

namespace nettune::advise {

/// t(m): the seconds that an all-reduce of m bytes takes.
using Time = std::function<double(double bytes)>;

/// A measured t(m), never falling with m: straight lines between its sizes, as latency and
/// bandwidth make them; below the smallest towards latency(), above the largest by its bandwidth.
class TimeTable {
 public:
  struct Point {
    double bytes = 0;
    double seconds = 0;
  };
  /// Points in any order; of one size the shortest counts. Those of 0 bytes or 0 seconds are left
  /// out.
  explicit TimeTable(std::vector<Point> points);
  TimeTable() = default;

  bool empty() const { return points_.empty(); }
  const std::vector<Point>& points() const { return points_; }
  double at(double bytes) const;
  /// What a message takes whatever its size: where the line through the two smallest sizes begins.
  double latency() const;

  /// The same on another number of ranks, by the steps of a ring: its latency grows with n - 1,
  /// what is left with (n - 1)/n. An estimate.
  TimeTable scaled(int from_ranks, int to_ranks) const;

 private:
  std::vector<Point> points_;
};

}  // namespace nettune::advise
