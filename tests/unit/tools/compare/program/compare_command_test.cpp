// SPDX-License-Identifier: Apache-2.0
//
// The built programs: what they exit with, and what they print.

#include <fstream>

#include "unit/tools/built_programs.hpp"
#include "unit/tools/compare/fixture.hpp"

namespace nettune::tools::compare::program {
namespace {

class CompareProgramCommand : public BuiltPrograms {
 protected:
  void write_fleet(const std::string& directory, int count) const {
    for (int i = 0; i < count; ++i) write(cat(directory, "/gpu", i, ".json"), facts(i).dump(2));
  }
  /// Runs it in the room; the shipped rules are those of the source.
  int run(const std::string& line) {
    return shell(cat("cd ", room_, " && ", line,
                     " --rules " NETTUNE_SOURCE_DIR "/catalog/compare.toml 2>&1"));
  }
};

TEST_F(CompareProgramCommand, ASmallFileThatUnpacksToTooMuchIsNamed) {
  write_fleet("alike", 4);
  ASSERT_EQ(shell(cat("yes '{\"kind\": \"facts\"}' | head -n 200002 | gzip > ", room_,
                      "/alike/bomb.json.gz")),
            0);
  EXPECT_NE(run(NETTUNE_BINARY " compare alike"), 0);
  EXPECT_NE(out_.find("holds more than 200000 documents"), std::string::npos)
      << out_.substr(0, 2000);
}

TEST_F(CompareProgramCommand, ExitCodes) {
  write_fleet("alike", 4);
  EXPECT_EQ(run(NETTUNE_BINARY " compare alike"), 0) << out_;
  EXPECT_EQ(out_, "4 nodes: no differences in what is compared\n");
  EXPECT_EQ(run("cat alike/* | " NETTUNE_BINARY " compare -"), 0) << out_;
  EXPECT_EQ(run(NETTUNE_BINARY " compare alike/gpu1.json alike/gpu2.json"), 0) << out_;
  EXPECT_EQ(shell(cat("gzip -k ", room_, "/alike/gpu*.json && mkdir ", room_, "/packed && mv ",
                      room_, "/alike/*.gz ", room_, "/packed")),
            0)
      << out_;
  EXPECT_EQ(run(NETTUNE_BINARY " compare packed"), 0) << out_;
  EXPECT_EQ(out_, "4 nodes: no differences in what is compared\n");
  EXPECT_EQ(shell(cat("truncate -s -20 ", room_, "/packed/gpu1.json.gz")), 0);
  EXPECT_EQ(run(NETTUNE_BINARY " compare packed"), 9) << out_;
  EXPECT_NE(out_.find("gpu1.json.gz: this gzip file is truncated"), std::string::npos) << out_;
  write("alike/cut.json", "{\"node\": {");
  EXPECT_EQ(run(NETTUNE_BINARY " compare alike"), 9);
  EXPECT_NE(out_.find("cut.json: is not JSON"), std::string::npos) << out_;
  Json odd = facts(7);
  odd["node"]["kernel"] = "6.12";
  write("alike/gpu7.json", odd.dump());
  EXPECT_EQ(run(NETTUNE_BINARY " compare alike"), 3);
  EXPECT_NE(out_.find("node.kernel: 6.12 on gpu7; 6.1.0-37-amd64 on 4"), std::string::npos) << out_;
  EXPECT_EQ(run(NETTUNE_BINARY " compare --json alike"), 3);
  EXPECT_EQ(Json::parse(out_)["findings"][0]["others"][0]["nodes"][0], "gpu7");
  for (const char* const wrong :
       {" compare", " compare nosuch", " compare --group-by node.rack alike",
        " compare --explain nosuch alike"})
    EXPECT_EQ(run(std::string(NETTUNE_BINARY) + wrong), 2) << wrong << out_;
  std::filesystem::create_directory(room_ + "/empty");
  EXPECT_EQ(run(NETTUNE_BINARY " compare empty"), 2);
  EXPECT_NE(out_.find("nettune facts --json"), std::string::npos) << out_;
}

TEST_F(CompareProgramCommand, WhoIsSlowComesFromAnyOfFourForms) {
  for (int i = 0; i < 16; ++i) {
    Json document = facts(i);
    if (i < 5) document["node"]["kernel"] = "6.12";
    write(cat("facts/gpu", i, ".json"), document.dump());
    write("tests.jsonl", "");
  }
  std::ofstream results(room_ + "/tests.jsonl");
  for (int i = 0; i < 16; ++i)
    results << Json{{"kind", "test"},
                    {"test", "bandwidth"},
                    {"from", {{"host", cat("gpu", i)}, {"interface", "eth1"}}},
                    {"gbps", i < 5 ? 40.0 : 98 + i * 0.05},
                    {"verdict", i < 5 ? "bad" : "ok"}}
                   .dump()
            << "\n";
  results.close();
  write("names.txt", "gpu[0-4]\n");
  write("slow.json", R"({"slow": ["gpu0", "gpu1", "gpu2", "gpu3", "gpu4"]})");
  EXPECT_EQ(
      shell(cat("cd ", room_,
                " && " NETTUNE_BINARY " compare --json tests.jsonl --rules " NETTUNE_SOURCE_DIR
                "/catalog/compare.toml > result.json")),
      3);
  for (const char* const slow : {"names.txt", "slow.json", "result.json", "tests.jsonl"}) {
    EXPECT_EQ(run(cat(NETTUNE_BINARY " compare facts --explain ", slow)), 3);
    EXPECT_NE(out_.find("node.kernel = 6.12: 5 of 5 slow nodes, 0 of 11 others"), std::string::npos)
        << slow << "\n"
        << out_;
  }
  write("odd.json", R"({"slow": 5})");
  EXPECT_EQ(run(NETTUNE_BINARY " compare facts --explain odd.json"), 2) << out_;
  EXPECT_NE(out_.find("gpu[003,117-127]"), std::string::npos) << out_;
}

}  // namespace
}  // namespace nettune::tools::compare::program
