// SPDX-License-Identifier: Apache-2.0
#include "base/metrics.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/version.hpp"

namespace nettune::inline base {

namespace {

/// A label's value: backslash, quote and newline are escaped.
std::string escaped_label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

Metrics::Metrics(std::string_view writer) {
  const auto& info = build_info();
  add("nettune_build_info", "The nettune that wrote this; the value is always 1.", 1,
      {{"version", info.at("version")},
       {"commit", info.at("commit")},
       {"catalog", info.at("catalog")},
       {"rules", info.at("rules")},
       {"writer", writer}});
}

void Metrics::add_seconds(std::string_view name, std::string_view help, std::int64_t milliseconds) {
  constexpr std::int64_t kSecond = 1000;
  add_text(
      name, help,
      cat(milliseconds / kSecond, ".", std::to_string(kSecond + milliseconds % kSecond).substr(1)),
      {});
}

void Metrics::add_text(std::string_view name, std::string_view help, std::string_view value,
                       std::initializer_list<MetricLabel> labels) {
  auto family = std::ranges::find(families_, name, &Family::name);
  if (family == families_.end())
    family = families_.insert(families_.end(), {std::string(name), std::string(help), {}});
  std::string& out = family->samples;
  out += name;
  char before = '{';
  for (const MetricLabel& label : labels) {
    out += cat(before, label.name, "=\"", escaped_label(label.value), "\"");
    before = ',';
  }
  if (before == ',') out += '}';
  out += cat(" ", value, "\n");
}

std::string Metrics::text() const {
  std::string out;
  for (const Family& family : families_)
    out += cat("# HELP ", family.name, " ", family.help, "\n# TYPE ", family.name, " gauge\n",
               family.samples);
  return out;
}

}  // namespace nettune::inline base
