// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/result.hpp"

namespace nettune::measure {

/// What one run of a command gave.
struct Reading {
  double value = 0;  ///< positive
  /// Of a metric that has several values a run ("eth1 to-peer"): `value` is their geometric mean.
  std::map<std::string, double> strata = {};
};

/// How the number is found in what a command printed: "$.end.sum_received.bits_per_second" is a
/// path in JSON, anything else an extended regular expression (regex(7)) whose first group, or
/// whole match, is the number; the last match counts.
class Metric {
 public:
  /// Errc::invalid for what is neither.
  static Result<Metric> parse(const std::string& text);
  /// Of the lines that `nettune test --json` prints: every bandwidth.
  static Metric of_test();
  /// Errc::invalid where it does not match, or is no positive number: names what was there.
  Result<Reading> read(const std::string& output) const;

 private:
  enum class Kind { regex, json, test };
  struct Compiled;
  Kind kind_ = Kind::regex;
  std::string text_;
  std::shared_ptr<const Compiled> compiled_;  ///< of a regular expression
};

}  // namespace nettune::measure
