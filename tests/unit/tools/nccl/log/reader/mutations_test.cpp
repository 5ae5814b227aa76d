// SPDX-License-Identifier: Apache-2.0
// Logs with bytes changed, taken out, doubled and mixed: the reader neither crashes nor hangs, and
// what it says still adds up.
#include <algorithm>
#include <random>

#include "tools/nccl/program/print_nccl_explain.hpp"
#include "unit/tools/nccl/log/cases.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log::reader {
namespace {

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  std::size_t below(std::size_t limit) {
    return limit == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }

  std::string mutate(std::string text, const std::string& other) {
    static const std::string kTokens[] = {"NCCL",
                                          "NCCL INFO ",
                                          " NCCL WARN ",
                                          "\n",
                                          "\r",
                                          "\x1b[",
                                          "[repeated ",
                                          "Channel 0",
                                          " : ",
                                          "99999999999",
                                          "[",
                                          "nranks ",
                                          " Init START",
                                          "/",
                                          "\x1f\x8b",
                                          "Last error:",
                                          "ncclSystemError: ",
                                          "[rank3]: ",
                                          "SeqNum=",
                                          "Watchdog caught collective operation timeout: ",
                                          " -> 3",
                                          ", retrying (34/34)",
                                          " rank 3 nRanks 4 nNodes 2",
                                          "slurmstepd: error: *** CANCELLED AT DUE TO TIME LIMIT",
                                          "NVRM: Xid (PCI:0): 79,",
                                          "NCCL version 21.0.3"};
    for (std::size_t i = 1 + below(8); i > 0; --i) {
      const std::size_t at = below(text.size());
      const std::size_t length = below(std::min<std::size_t>(text.size() - at, 200));
      switch (below(6)) {
        case 0:
          if (!text.empty()) text[at] = static_cast<char>(below(256));
          break;
        case 1:
          text.erase(at, length);
          break;
        case 2:
          text.insert(at, text.substr(at, length));
          break;
        case 3:
          text.insert(at, kTokens[below(std::size(kTokens))]);
          break;
        case 4:
          text.insert(at, other.substr(below(other.size()), length));
          break;
        default:
          text.resize(at);
      }
    }
    return text;
  }

 private:
  std::mt19937 random_;
};

TEST(NcclLogReaderMutations, NoCrashAndNoHang) {
  constexpr int kRounds = 200;
  std::vector<std::string> texts;
  for (const auto& [name, text] : logs()) texts.push_back(text);
  for (const Written& one : written_cases())
    if (one.subject() == "parts-of-logs") texts.push_back(one.log);
  Mutator mutator(20260131);
  const std::vector<judge::Expectation> expectations =
      judge::parse_expectations("ib,gdr,p2p,nvls,net:x")
          .value_or(std::vector<judge::Expectation>());
  for (int round = 0; round < kRounds; ++round) {
    for (const std::string& text : texts) {
      const std::string mutated = mutator.mutate(text, texts[mutator.below(texts.size())]);
      const Case one(mutated, 1 + mutator.below(mutated.size() + 1));
      std::vector<judge::Outcome> outcomes;
      for (const judge::Expectation& expectation : expectations)
        outcomes.push_back(judge::compare(expectation, one.log, one.verdict));
      ASSERT_FALSE(printed(one.log, one.verdict, true, outcomes).empty());
      ASSERT_FALSE(printed(one.log, one.verdict, false, outcomes).empty());
      ASSERT_FALSE(printed_json(one, outcomes).empty());
      std::uint64_t lines = 0;
      for (const std::uint64_t count : one.log.connections) lines += count;
      ASSERT_LE(lines, one.log.messages);
      ASSERT_LE(one.log.edges.all().size(), lines);
    }
  }
}

TEST(NcclLogReaderMutations, LongLinesAndManyMessagesOnOne) {
  std::string text(3 << 20, 'x');
  text += "NCCL";
  const Case blob(text);
  EXPECT_EQ(blob.log.messages, 0U);
  std::string many;
  for (int i = 0; i < 20000; ++i) many += "a:1:2 [0] NCCL INFO Using network IB ";
  EXPECT_EQ(Case(many).verdict.networks, std::vector<std::string>{"IB"});
  std::string bare;
  for (int i = 0; i < 200000; ++i) bare += "NCCL ";
  EXPECT_EQ(Case(bare).log.messages, 0U);
}

}  // namespace
}  // namespace nettune::tools::nccl::log::reader
