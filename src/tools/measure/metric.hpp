// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/result.hpp"

namespace nettune::tools::measure {

/// The result of one run of a command.
struct Reading {
  double value = 0;  ///< positive
  /// The values of a metric with several a run ("eth1 to-peer"); `value` is their geometric mean.
  std::map<std::string, double> strata = {};
};

/// Finds the number in a command's output. "$.end.sum_received.bits_per_second" is a path in JSON;
/// anything else is an extended regular expression (regex(7)) whose first group, or whole match, is
/// the number. The last match counts.
class Metric {
 public:
  /// Errc::invalid for what is neither.
  static Result<Metric> parse(const std::string& text);
  /// For the output of `nettune test --json`: every bandwidth.
  static Metric of_test();
  /// Errc::invalid if nothing matches, or if the match is not a positive number; names the text.
  Result<Reading> read(const std::string& output) const;

 private:
  enum class Kind { regex, json, test };
  struct Compiled;
  Kind kind_ = Kind::regex;
  std::string text_;
  std::shared_ptr<const Compiled> compiled_;  ///< of a regular expression
};

}  // namespace nettune::tools::measure
