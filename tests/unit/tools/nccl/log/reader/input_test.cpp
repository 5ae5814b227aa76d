// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/reader/input.hpp"

#include <cstdlib>
#include <fstream>

#include "base/text.hpp"
#include "node/exit_codes.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log::reader {
namespace {

class NcclLogReaderInput : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "nettune-nccl-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string write(const std::string& name, const std::string& content) const {
    const std::string path = directory_ + "/" + name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  std::string packed(const std::string& name, const std::string& content) const {
    const std::string path = write(name, content);
    EXPECT_EQ(std::system(("gzip -f " + path).c_str()), 0);
    return path + ".gz";
  }
  static std::string slurp(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::string directory_;
};

struct Told {
  Log log;
  bool cut = false;
  std::string error;
  Errc code = Errc::io;
};

Told read_files(const std::vector<std::string>& paths) {
  Told told;
  Reader reader(causes());
  for (const std::string& path : paths)
    if (const auto result = read_log(path, reader, told.cut); !result) {
      told.error = result.error().text;
      told.code = result.error().code;
    }
  told.log = reader.finish();
  return told;
}

TEST_F(NcclLogReaderInput, PackedIsReadLikePlain) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += logs().at("mpirun-ib-gdr");  // more than one piece
  const Told plain = read_files({write("a.log", text)});
  const std::string path = packed("b.log", text);
  const Told gzip = read_files({path});
  EXPECT_EQ(gzip.error, "");
  EXPECT_FALSE(gzip.cut);
  EXPECT_EQ(gzip.log.messages, plain.log.messages);
  EXPECT_GT(gzip.log.messages, 0U);
  // Two members are one file, and zeros behind them are padding.
  const std::string member = slurp(path);
  const Told twice = read_files({write("c.gz", member + member)});
  EXPECT_EQ(twice.log.messages, 2 * plain.log.messages);
  const Told padded = read_files({write("d.gz", member + std::string(512, '\0'))});
  EXPECT_EQ(padded.error, "");
  EXPECT_EQ(padded.log.messages, plain.log.messages);
}

TEST_F(NcclLogReaderInput, PackedThatIsCutOrDamagedIsSaidToBe) {
  const std::string whole = slurp(packed("a.log", logs().at("mpirun-ib-gdr")));
  const Told cut = read_files({write("cut.gz", whole.substr(0, whole.size() / 2))});
  EXPECT_TRUE(cut.cut);
  EXPECT_EQ(cut.error, "");
  EXPECT_GT(cut.log.messages, 0U);
  std::string damaged = whole;
  for (std::size_t i = 20; i < 60; ++i) damaged[i] = static_cast<char>(damaged[i] ^ 0x5a);
  const Told bad = read_files({write("damaged.gz", damaged)});
  EXPECT_NE(bad.error.find("damaged"), std::string::npos);
  // 5 would say that recover can mend it.
  EXPECT_EQ(node::exit_for(bad.code), node::Exit::usage);
}

TEST_F(NcclLogReaderInput, WhatIsNoFileIsNamed) {
  EXPECT_NE(read_files({directory_}).error.find("is a directory"), std::string::npos);
  EXPECT_NE(read_files({directory_ + "/none"}).error.find("No such file"), std::string::npos);
}

TEST_F(NcclLogReaderInput, Utf16GetsAHint) {
  std::string wide = "\xff\xfe";
  for (const char c : std::string("n0:1:2 [0] NCCL INFO Using network IB\n")) wide += {c, '\0'};
  EXPECT_NE(read_files({write("mark.log", wide)}).error.find("iconv -f UTF-16"), std::string::npos);
  const std::string bare = wide.substr(2);
  EXPECT_NE(read_files({write("bare.log", bare)}).error.find("UTF-16"), std::string::npos);
  EXPECT_EQ(read_files({write("zeros.log", std::string(64, '\0'))}).error, "");
  EXPECT_EQ(read_files({write("plain.log", "n0:1:2 [0] NCCL INFO Using network IB\n")}).error, "");
}

/// Lines that a carriage return alone ends: no connection is damaged, and none is lost.
TEST_F(NcclLogReaderInput, CarriageReturnsAreNewlines) {
  std::string text = logs().at("srun-one-on-sockets");
  const Told plain = read_files({write("plain.log", text)});
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) text[at] = '\r';
  std::string large;
  while (large.size() < (std::size_t{3} << 20U)) large += text;  // longer than any line may be
  for (const std::string& one : {text, large}) {
    const Told told = read_files({write("cr.log", one)});
    EXPECT_EQ(told.log.damaged, plain.log.damaged);
    EXPECT_EQ(told.log.messages * text.size(), plain.log.messages * one.size());
    EXPECT_EQ(told.log.edges.all().size(), plain.log.edges.all().size());
  }
}

TEST_F(NcclLogReaderInput, LinesThatReturnsEndAreCounted) {
  const std::string error = "n0:1:2 [0] x.cc:1 NCCL WARN Cuda failure 2 'out of memory'";
  const std::string info = "n0:1:2 [0] NCCL INFO Using network IB";
  const auto line_of = [&](const std::string& text) {
    const Told told = read_files({write("cr.log", text)});
    return told.log.events.empty() ? 0U : told.log.events[0].line;
  };
  EXPECT_EQ(line_of(cat(info, "\r", info, "\r", error, "\r")), 3U);
  EXPECT_EQ(line_of(cat("a\r\r", error)), 3U);
  EXPECT_EQ(line_of("a\rb\rslurmstepd: error: Detected 1 oom-kill event(s) in StepId=7.0\r"), 3U);
  // More than is looked at in one piece.
  std::string large;
  std::uint64_t lines = 0;
  for (; large.size() < (std::size_t{3} << 20U); ++lines) large += cat(info, "\r");
  EXPECT_EQ(line_of(cat(large, error, "\r")), lines + 1);
  // Where newlines end lines, a return is of a progress bar, or of "\r\n".
  EXPECT_EQ(line_of(cat("10%\r20%\r", info, "\n", error, "\n")), 2U);
  EXPECT_EQ(line_of(cat(info, "\r\n", error, "\r\n")), 2U);
}

TEST_F(NcclLogReaderInput, PackedUtf16GetsAHint) {
  std::string wide = "\xff\xfe";
  for (const char c : std::string("n0:1:2 [0] NCCL INFO Using network IB\n")) wide += {c, '\0'};
  const Told told = read_files({packed("wide.log", wide)});
  EXPECT_NE(told.error.find("zcat | iconv -f UTF-16"), std::string::npos) << told.error;
  EXPECT_EQ(told.code, Errc::unsupported);
}

TEST_F(NcclLogReaderInput, OneFileEachRankIsOneJob) {
  const std::string& text = logs().at("srun-one-on-sockets");
  std::vector<std::string> files;
  for (char rank = '0'; rank < '4'; ++rank) {
    std::string own;
    for (const std::string_view line : split(text, '\n'))
      if (line.starts_with(cat(rank, ": "))) own += cat(line, "\n");
    files.push_back(write(cat("rank", rank, ".log"), own));
  }
  const Told told = read_files(files);
  EXPECT_EQ(told.log.processes.size(), 4U);
  EXPECT_EQ(judge::judge(told.log, causes()).unseen.size(), 0U);
  EXPECT_EQ(told.log.messages, read(text).messages);
}

}  // namespace
}  // namespace nettune::tools::nccl::log::reader
