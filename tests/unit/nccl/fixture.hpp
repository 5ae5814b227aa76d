// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

#include "nccl/lint.hpp"

namespace nettune::nccl {

/// The catalogue that is shipped.
inline const Catalog& catalog() {
  static const Catalog loaded = [] {
    const std::string file = std::string(NETTUNE_SOURCE_DIR) + "/catalog/nccl.toml";
    std::ifstream stream(file);
    std::stringstream text;
    text << stream.rdbuf();
    auto parsed = parse_catalog(text.str(), file);
    EXPECT_TRUE(parsed.has_value()) << parsed.error().text << " line " << parsed.error().line;
    return parsed ? std::move(*parsed) : Catalog();
  }();
  return loaded;
}

inline Version version(const std::string& text) {
  const auto parsed = parse_version(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed.value_or(Version());
}

inline facts::RdmaDevice hca(const std::string& name, const std::string& link_layer) {
  facts::RdmaDevice device;
  device.name = name;
  facts::RdmaPort port;
  port.link_layer = link_layer;
  port.state = "ACTIVE";
  if (link_layer == "Ethernet")
    port.gids = {{0, "fe80::1", "IB/RoCE v1", "ens1"},
                 {1, "fe80::1", "RoCE v2", "ens1"},
                 {3, "::ffff:10.0.0.1", "RoCE v2", "ens1"}};
  device.ports = {port};
  return device;
}

inline facts::NetDevice interface(const std::string& name) {
  facts::NetDevice device;
  device.name = name;
  device.addresses = {"10.0.0.1/24"};
  return device;
}

/// As a script has them on one line: NAME=VALUE of its shell, with a blank between two; a value may
/// be in single quotes.
inline std::vector<Assignment> exported(const std::string& text) {
  std::vector<Assignment> all;
  bool quoted = false;
  std::string word;
  const auto end = [&] {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos)
      all.push_back({word.substr(0, equals), word.substr(equals + 1), "job.sh", 1});
    word.clear();
  };
  for (const char c : text) {
    if (c == '\'')
      quoted = !quoted;
    else if (c == ' ' && !quoted)
      end();
    else
      word += c;
  }
  end();
  return all;
}

/// What lint says of the variables of a script, for a release.
inline std::vector<Finding> judged(const std::vector<Assignment>& script,
                                   const std::string& release, const facts::Facts* node = nullptr) {
  Job job{&catalog(), version(release), node};
  job.exists = [](const std::string& path) { return path == "/there"; };
  return lint(job, script);
}

inline std::vector<Finding> judged(const std::string& text, const std::string& release,
                                   const facts::Facts* node = nullptr) {
  return judged(exported(text), release, node);
}

/// The finding with this verdict; null for none.
inline const Finding* with(const std::vector<Finding>& findings, Verdict verdict) {
  for (const Finding& finding : findings)
    if (finding.judgement.verdict == verdict) return &finding;
  return nullptr;
}

inline std::string told(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings)
    text += finding.set.file + ":" + std::to_string(finding.set.line) + ": " + finding.set.name +
            "=" + finding.set.value + " " + std::string(level_word(finding.judgement.level)) + " " +
            std::string(verdict_word(finding.judgement.verdict)) + ": " + finding.judgement.why +
            " | " + finding.judgement.instead + "\n";
  return text;
}

}  // namespace nettune::nccl
