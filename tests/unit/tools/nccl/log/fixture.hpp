// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "tools/nccl/log/judge/expect.hpp"
#include "tools/nccl/log/reader/reader.hpp"
#include "tools/nccl/program/nccl_causes.hpp"
#include "tools/nccl/program/print_nccl_explain.hpp"

namespace nettune::tools::nccl::log {

inline const std::vector<Cause>& causes() {
  static const std::vector<Cause> all = [] {
    auto loaded = program::built_in_causes();
    EXPECT_TRUE(loaded.has_value()) << (loaded ? "" : loaded.error().text);
    return loaded ? *loaded : std::vector<Cause>();
  }();
  return all;
}

/// Every log in tests/nccl_logs by its name.
inline const std::map<std::string, std::string>& logs() {
  static const std::map<std::string, std::string> all = [] {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(NETTUNE_SOURCE_DIR) +
                                                                 "/tests/nccl_logs")) {
      std::ifstream stream(entry.path(), std::ios::binary);
      files[entry.path().stem()] = {std::istreambuf_iterator<char>(stream), {}};
    }
    return files;
  }();
  return all;
}

/// `text` as a file that is read in pieces of so many bytes.
inline Log read(const std::string& text, std::size_t piece = 1 << 20) {
  reader::Reader reader(causes());
  reader.begin_file("log");
  for (std::size_t at = 0; at < text.size(); at += piece)
    reader.feed(std::string_view(text).substr(at, piece));
  return reader.finish();
}

/// One log, and what follows from it. A blank line ends it: what ends a file may be cut.
struct Case {
  Log log;
  judge::Verdict verdict;

  explicit Case(const std::string& text, std::size_t piece = 1 << 20)
      : log(read(text + "\n", piece)), verdict(judge::judge(log, causes())) {}

  /// How one word of --expect ends.
  Answer met(const std::string& word) const {
    const auto expectations = judge::parse_expectations(word);
    EXPECT_TRUE(expectations.has_value());
    return judge::compare(expectations->at(0), log, verdict).met;
  }
  std::string first() const {
    if (!verdict.first) return "none";
    const std::uint32_t cause = log.events[*verdict.first].cause;
    return cause == kNone ? "uncatalogued" : causes()[cause].id;
  }
};

/// What the program prints of a log, whole (-v) or on one screen.
inline std::string printed(const Log& log, const judge::Verdict& verdict, bool all = true,
                           const std::vector<judge::Outcome>& outcomes = {}) {
  const judge::Report report = judge::report(log, causes(), verdict);
  return program::text::nccl_explain({causes(), log, verdict, outcomes, report}, {}, all);
}

inline std::string printed(const Case& one) { return printed(one.log, one.verdict); }

inline std::string printed_json(const Case& one, const std::vector<judge::Outcome>& outcomes = {}) {
  const judge::Report report = judge::report(one.log, causes(), one.verdict);
  return program::json::nccl_explain({causes(), one.log, one.verdict, outcomes, report});
}

/// An error block of PyTorch, each line with `front`: pytorch/pytorch issue 150916,
/// NVIDIA/Megatron-LM issue 661.
inline std::string block(const std::string& front, const std::string& kind,
                         const std::string& text) {
  return cat(front,
             "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/"
             "ProcessGroupNCCL.cpp:1691, unhandled system error (run with NCCL_DEBUG=INFO for "
             "details), NCCL version 2.20.5\n",
             front, kind, ": What it means.\n", front, "Last error:\n", front, text, "\n", front,
             "Exception raised from getNCCLComm at ../torch/csrc (most recent call first):\n");
}

}  // namespace nettune::tools::nccl::log
