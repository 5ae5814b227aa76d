// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

namespace nettune::tools::advise {

/// t(m): the seconds that an all-reduce of m bytes takes.
using Time = std::function<double(double bytes)>;

/// A measured t(m), which never falls with m. It is linear between sizes, as latency and bandwidth
/// are; below the smallest size it goes to latency(), above the largest it continues with its
/// bandwidth. Where has_slope() is false, it goes through the origin: an estimate.
class TimeTable {
 public:
  struct Point {
    double bytes = 0;
    double seconds = 0;
  };
  /// Points in any order; for equal sizes the shortest time counts. Points with 0 bytes or 0
  /// seconds are left out.
  explicit TimeTable(std::vector<Point> points);
  TimeTable() = default;

  bool empty() const { return points_.empty(); }
  const std::vector<Point>& points() const { return points_; }
  double at(double bytes) const;
  /// Whether sizes are far enough apart (by a fifth) to separate latency and bandwidth. All buckets
  /// of one size, the usual case of DDP, are not.
  bool has_slope() const;
  /// The time of a message of any size: the start of the line through the smallest size and the
  /// first that is far enough from it; 0 without a slope.
  double latency() const;

  /// An estimate for another number of ranks, by the steps of a ring: its latency grows with n - 1,
  /// the rest with (n - 1)/n.
  TimeTable scaled(int from_ranks, int to_ranks) const;

 private:
  /// The second point of the line of latency(); null for none.
  const Point* far_from_the_smallest() const;
  std::vector<Point> points_;
};

}  // namespace nettune::tools::advise
