// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/time_table.hpp"

#include <algorithm>

namespace nettune::tools::advise {

namespace {

/// Sizes are far enough apart for a slope if one is this many times the other.
constexpr double kApart = 1.2;

}  // namespace

TimeTable::TimeTable(std::vector<Point> points) {
  std::erase_if(points, [](const Point& one) { return !(one.bytes > 0 && one.seconds > 0); });
  std::ranges::sort(points, [](const Point& left, const Point& right) {
    if (left.bytes != right.bytes) return left.bytes < right.bytes;
    return left.seconds < right.seconds;
  });
  for (const Point& one : points) {
    if (!points_.empty() && points_.back().bytes == one.bytes) continue;
    const double before = points_.empty() ? 0 : points_.back().seconds;
    points_.push_back({one.bytes, std::max(one.seconds, before)});
  }
}

double TimeTable::at(double bytes) const {
  if (points_.empty() || bytes <= 0) return 0;
  const auto above = std::ranges::lower_bound(points_, bytes, {}, &Point::bytes);
  if (above == points_.begin())
    return latency() + (above->seconds - latency()) * bytes / above->bytes;
  if (above == points_.end()) return points_.back().seconds * bytes / points_.back().bytes;
  const Point& low = *(above - 1);
  const double share = (bytes - low.bytes) / (above->bytes - low.bytes);
  return low.seconds + (above->seconds - low.seconds) * share;
}

const TimeTable::Point* TimeTable::far_from_the_smallest() const {
  if (points_.empty()) return nullptr;
  const auto found =
      std::ranges::lower_bound(points_, kApart * points_.front().bytes, {}, &Point::bytes);
  return found == points_.end() ? nullptr : &*found;
}

bool TimeTable::has_slope() const { return far_from_the_smallest() != nullptr; }

double TimeTable::latency() const {
  const Point* const second = far_from_the_smallest();
  if (second == nullptr) return 0;
  const Point& first = points_.front();
  const double slope = (second->seconds - first.seconds) / (second->bytes - first.bytes);
  return std::clamp(first.seconds - slope * first.bytes, 0.0, first.seconds);
}

TimeTable TimeTable::scaled(int from_ranks, int to_ranks) const {
  const auto ring = [](int ranks) { return 1 - 1.0 / ranks; };
  const double steps = static_cast<double>(to_ranks - 1) / (from_ranks - 1);
  const double share = ring(to_ranks) / ring(from_ranks);
  std::vector<Point> points = points_;
  for (Point& one : points) one.seconds = latency() * steps + (one.seconds - latency()) * share;
  return TimeTable(std::move(points));
}

}  // namespace nettune::tools::advise
