// SPDX-License-Identifier: Apache-2.0
//
// Nodes that could not be read, and nodes that no other is like: never silently left out.

#include <array>
#include <cstdio>
#include <filesystem>
#include <sys/wait.h>

#include "unit/tools/compare/fixture.hpp"

namespace nettune::tools::compare::program {
namespace {

class CompareProgramReadFiles : public testing::Test {
 protected:
  CompareProgramReadFiles() {
    char name[] = "/tmp/nettune-unread-XXXXXX";
    room_ = ::mkdtemp(name);
    for (int i = 0; i < 4; ++i) write(cat("gpu", i, ".json"), facts(i).dump(2));
  }
  ~CompareProgramReadFiles() override { std::filesystem::remove_all(room_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(room_ + "/" + name) << text;
  }
  int run(const std::string& line) {
    const std::string command = cat("cd ", room_, " && ", line,
                                    " --rules " NETTUNE_SOURCE_DIR "/catalog/compare.toml 2>&1");
    FILE* const pipe = ::popen(command.c_str(), "r");
    out_.clear();
    std::array<char, 4096> buffer{};
    while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
      out_.append(buffer.data(), got);
    const int status = ::pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  bool says(const std::string& text) const { return out_.find(text) != std::string::npos; }

  std::string room_;
  std::string out_;
};

TEST_F(CompareProgramReadFiles, EveryFileThatCannotBeReadIsCountedAndNamed) {
  const std::string whole = facts(7).dump(2);
  const std::vector<std::pair<std::string, std::string>> damages = {
      {"", "gpu7.json: is empty"},
      {" \n\n", "gpu7.json: is empty"},
      {whole.substr(0, whole.size() / 2), "gpu7.json: is not JSON"},
      {"bash: nettune: command not found\n", "gpu7.json: is not JSON"},
      {std::string("\0\0\0", 3), "gpu7.json: is not JSON"},
      {"[]", "gpu7.json: is not a JSON object"},
      {"null", "gpu7.json: is not a JSON object"}};
  for (const auto& [text, why] : damages) {
    write("gpu7.json", text);
    EXPECT_EQ(run(NETTUNE_BINARY " compare ."), 9) << out_;
    EXPECT_TRUE(out_.starts_with(
        "4 nodes, and 1 that could not be read: no differences in what is compared\n"))
        << out_;
    EXPECT_TRUE(says(why)) << out_;
  }
  std::filesystem::remove(room_ + "/gpu7.json");
  std::filesystem::create_directory(room_ + "/gpu7.json");
  EXPECT_EQ(run(NETTUNE_BINARY " compare ."), 9) << out_;
  EXPECT_TRUE(says("gpu7.json is a directory")) << out_;
  write("gpu8.json", "");
  EXPECT_EQ(run(NETTUNE_BINARY " compare ."), 9) << out_;
  EXPECT_TRUE(says("and 2 that could not be read")) << out_;
  EXPECT_TRUE(says("1 more could not be read: gpu8")) << out_;
  EXPECT_EQ(run(NETTUNE_BINARY " compare --json ."), 9);
  EXPECT_EQ(Json::parse(out_)["unread"][1]["node"], "gpu8");
}

TEST_F(CompareProgramReadFiles, ADamagedDocumentOfAStreamDoesNotEndTheOthers) {
  const std::string whole = facts(7).dump(2) + "\n";
  // The next document begins on its own line, or where the damaged one was cut.
  for (const char* const end : {"\n", ""}) {
    write("cut", whole.substr(0, whole.size() / 2) + end);
    EXPECT_EQ(run("cat gpu0.json gpu1.json cut gpu2.json gpu3.json | " NETTUNE_BINARY " compare -"),
              9)
        << out_;
    EXPECT_TRUE(out_.starts_with(
        "4 nodes, and 1 that could not be read: no differences in what is compared\n"))
        << out_;
    EXPECT_EQ(run("cat gpu0.json cut gpu1.json gpu2.json | " NETTUNE_BINARY " compare --json -"),
              9);
    EXPECT_EQ(Json::parse(out_)["unread"][0]["node"], "gpu7") << out_;
  }
  // A stream that does not fit into memory at once.
  std::string many;
  for (int i = 0; i < 400; ++i) many += facts(1000 + i).dump(2) + "\n";
  ASSERT_GT(many.size(), std::size_t{1} << 20);
  write("many", many);
  EXPECT_EQ(run("cat cut many cut many | " NETTUNE_BINARY " compare --json -"), 9) << out_;
  const Json said = Json::parse(out_);
  EXPECT_EQ(said["nodes"], 400);
  EXPECT_EQ(said["unread"].size(), 2U);
}

TEST_F(CompareProgramReadFiles, ADifferenceIsWorseThanAFileThatCannotBeRead) {
  write("gpu7.json", "");
  Json odd = facts(3);
  odd["node"]["kernel"] = "6.12";
  write("gpu3.json", odd.dump());
  EXPECT_EQ(run(NETTUNE_BINARY " compare ."), 3) << out_;
  EXPECT_TRUE(out_.starts_with("4 nodes, and 1 that could not be read; 1 differs")) << out_;
}

TEST_F(CompareProgramReadFiles, ANodeAloneInItsGroupIsNamed) {
  Json other = facts(7);
  for (Json& gpu : other["gpus"]) gpu["pci_id"] = "10de:20b2";
  write("gpu7.json", other.dump());
  EXPECT_EQ(run(NETTUNE_BINARY " compare ."), 9) << out_;
  EXPECT_TRUE(says("5 nodes in 2 groups: no differences in what is compared; 1 alone in its group"))
      << out_;
  EXPECT_TRUE(says("alone  gpu7: no other node")) << out_;
  EXPECT_EQ(run(NETTUNE_BINARY " compare --json ."), 9);
  EXPECT_EQ(Json::parse(out_)["alone"][0], "gpu7");
  // Two nodes, each of its own model.
  EXPECT_EQ(run(NETTUNE_BINARY " compare gpu1.json gpu7.json"), 9) << out_;
  EXPECT_TRUE(says("alone  2 (gpu[1,7])")) << out_;
  // Of a role that no other node has.
  other = facts(7);
  other["node"]["kernel"] = "6.12";
  write("gpu7.json", other.dump());
  EXPECT_EQ(run(NETTUNE_BINARY " compare --group-by node.kernel ."), 9) << out_;
  EXPECT_TRUE(says("alone  gpu7")) << out_;
}

TEST_F(CompareProgramReadFiles, ANodeThatLostItsCardsIsADifference) {
  Json lost = facts(7);
  lost["rdma"] = Json::array();
  write("gpu7.json", lost.dump());
  EXPECT_EQ(run(NETTUNE_BINARY " compare ."), 3) << out_;
  EXPECT_TRUE(says("gpu7: lacks rdma[].pci_id 15b3:1021")) << out_;
}

}  // namespace
}  // namespace nettune::tools::compare::program
