// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace nettune::inline base {

struct MetricLabel {
  std::string_view name;
  std::string_view value;  ///< any text; it is escaped
};

/// Metrics in the text format of Prometheus (exposition_formats.md, version 0.0.4), for the
/// textfile collector of node_exporter. All are gauges. nettune_build_info is always the first.
class Metrics {
 public:
  /// `writer` tells the build information of the files apart: "check", "doctor".
  explicit Metrics(std::string_view writer);

  /// A sample. Those of one name stay together, below one HELP and TYPE, and have the first's help.
  template <std::integral T>
  void add(std::string_view name, std::string_view help, T value,
           std::initializer_list<MetricLabel> labels = {}) {
    add_text(name, help, std::to_string(value), labels);
  }
  /// A duration, in seconds with three digits.
  void add_seconds(std::string_view name, std::string_view help, std::int64_t milliseconds);

  std::string text() const;

 private:
  struct Family {
    std::string name;
    std::string help;
    std::string samples;
  };
  void add_text(std::string_view name, std::string_view help, std::string_view value,
                std::initializer_list<MetricLabel> labels);

  std::vector<Family> families_;
};

}  // namespace nettune::inline base
