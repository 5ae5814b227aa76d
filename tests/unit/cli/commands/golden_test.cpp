// SPDX-License-Identifier: Apache-2.0
// Profile, facts and present values in, plan out. tests/golden/NODE/{facts,state}.json describe a
// node (tests/golden/README.md). NODE/CASE/command is what is asked, expect.txt and expect.rc are
// the answer; expect.json is there for three nodes. Every other shipped profile does not match the
// node: tests/golden/misfits says why. scripts/accept writes the answers of a build into the tree.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <pty.h>
#include <sstream>
#include <stdlib.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/text.hpp"
#include "cli/line_diff.hpp"

namespace nettune::cli::commands {
namespace {

namespace fs = std::filesystem;

const fs::path kGolden = fs::path(NETTUNE_SOURCE_DIR) / "tests/golden";

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Profiles where nobody else can write, whatever the umask of the checkout was.
class Shelf {
 public:
  /// The profiles that ship, and the one of the tests' own that a command asks for.
  explicit Shelf(const std::string& command) {
    std::string pattern = ::testing::TempDir() + "nettune-golden-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
    fs::create_directory(path_ / "profiles");
    for (const auto& entry : fs::directory_iterator(fs::path(NETTUNE_SOURCE_DIR) / "profiles"))
      if (entry.path().extension() == ".toml")
        put(path_ / "profiles" / entry.path().filename(), read_file(entry.path()));
    const std::string own = std::string(words(command).at(1)) + ".toml";
    if (fs::exists(kGolden / own)) put(path_ / "profiles" / own, read_file(kGolden / own));
    put(path_ / "site.toml", "# no site values\n");
    ::chmod((path_ / "profiles").c_str(), 0755);
  }
  ~Shelf() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Shelf(const Shelf&) = delete;
  Shelf& operator=(const Shelf&) = delete;
  const fs::path& path() const { return path_; }

 private:
  static void put(const fs::path& path, const std::string& text) {
    write_file(path, text);
    ::chmod(path.c_str(), 0644);
  }
  fs::path path_;
};

struct Answer {
  std::string out;
  int exit = -1;
};

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string command_line(const fs::path& node, const std::string& command, const Shelf& shelf) {
  std::string line = quoted(NETTUNE_BINARY);
  for (const std::string_view word : words(command)) line += " " + quoted(std::string(word));
  line += " --facts " + quoted(node / "facts.json") + " --state " + quoted(node / "state.json");
  line += " --profiles " + quoted(shelf.path() / "profiles");
  return line + " --site " + quoted(shelf.path() / "site.toml");
}

/// What a terminal of that width shows.
std::string on_terminal(const std::string& line, unsigned short columns) {
  winsize size{};
  size.ws_row = 50;
  size.ws_col = columns;
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    ::_exit(127);
  }
  std::string out;
  if (child < 0) return out;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(terminal, buffer, sizeof buffer)) > 0;)
    out.append(buffer, static_cast<std::size_t>(got));
  ::close(terminal);
  ::waitpid(child, nullptr, 0);
  return replace_all(out, "\r\n", "\n");
}

Answer run(const fs::path& node, const std::string& command, const Shelf& shelf, bool as_json) {
  std::string line = command_line(node, command, shelf);
  line += as_json ? " --json 2>&1" : " 2>&1";
  Answer answer;
  FILE* const pipe = ::popen(line.c_str(), "r");
  if (!pipe) return answer;
  char buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    answer.out.append(buffer, got);
  const int status = ::pclose(pipe);
  answer.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  answer.out = replace_all(std::move(answer.out), shelf.path().string(), "/SHELF");
  return answer;
}

using Json = nlohmann::ordered_json;

/// What most items have in common is left out of the expected files.
const Json& item_defaults() {
  static const Json kDefaults = {{"relation", "exact"},     {"optional", false},
                                 {"nearest", false},        {"same_on_all_nodes", false},
                                 {"device", nullptr},       {"role", "set"},
                                 {"verdict", "different"},  {"writes", true},
                                 {"impact", "none"},        {"undo", "exact"},
                                 {"residue", nullptr},      {"lifetime", "runtime"},
                                 {"takes_effect", nullptr}, {"touches", Json::array()},
                                 {"disturbs", nullptr},     {"no_effect", nullptr},
                                 {"refused", nullptr}};
  return kDefaults;
}

Json short_item(const Json& item) {
  Json out = Json::object();
  for (const auto& [key, value] : item.items()) {
    const auto found = item_defaults().find(key);
    const bool usual = found != item_defaults().end() && *found == value;
    const bool follows = (key == "unit" && value == item["address"]) ||
                         (key == "after" && value == (item["writes"] ? item["want"] : Json()));
    if (!usual && !follows) out[key] = value;
  }
  return out;
}

/// One line for the plan and one for each item, without what every release changes.
std::string normalized(const std::string& json) {
  Json document = Json::parse(json, nullptr, false);
  if (document.is_discarded()) return "not JSON: " + json;
  document["nettune"] = "VERSION";
  document.erase("build");
  const Json items = document["items"];
  document["items"] = items.size();
  std::string out = document.dump() + "\n";
  for (const Json& item : items) out += short_item(item).dump() + "\n";
  return out;
}

void compare(const fs::path& expected, const std::string& actual) {
  if (::getenv("NETTUNE_ACCEPT")) {
    write_file(expected, actual);
    return;
  }
  ASSERT_TRUE(fs::exists(expected)) << expected << " is missing; NETTUNE_ACCEPT=1 writes it";
  const std::string wanted = read_file(expected);
  EXPECT_TRUE(wanted == actual) << expected << "\n" << cli::line_diff(wanted, actual);
}

std::vector<fs::path> cases() {
  std::vector<fs::path> found;
  for (const auto& node : fs::directory_iterator(kGolden))
    if (node.is_directory())
      for (const auto& entry : fs::directory_iterator(node.path()))
        if (fs::exists(entry.path() / "command")) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

/// Sorted, as directories do not come.
std::vector<fs::path> entries_of(const fs::path& directory) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(directory)) all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

TEST(CliCommandsGolden, EveryOtherProfileDoesNotMatchTheNode) {
  std::string table;
  for (const fs::path& node : entries_of(kGolden)) {
    if (!fs::is_directory(node)) continue;
    for (const fs::path& profile : entries_of(fs::path(NETTUNE_SOURCE_DIR) / "profiles")) {
      const std::string name = profile.stem().string();
      if (profile.extension() != ".toml" || fs::exists(node / name)) continue;
      const std::string command = "plan " + name;
      const Shelf shelf(command);
      const Answer answer = run(node, command, shelf, true);
      EXPECT_EQ(answer.exit, 8) << node << ' ' << name;
      const Json document = Json::parse(answer.out, nullptr, false);
      ASSERT_FALSE(document.is_discarded()) << answer.out;
      EXPECT_TRUE(document["items"].empty()) << node << ' ' << name;
      table += node.filename().string() + ' ' + name + '\n';
      for (const auto& key : {"misfits", "notes"})
        for (const Json& why : document[key]) table += "    " + why.get<std::string>() + '\n';
    }
  }
  compare(kGolden / "misfits", table);
}

TEST(CliCommandsGolden, AShippedProfileFitsOnOneScreen) {
  constexpr unsigned short kColumns = 100;
  constexpr std::ptrdiff_t kLines = 30;
  for (const char* const node : {"roce8", "ib8"})
    for (const fs::path& profile : entries_of(fs::path(NETTUNE_SOURCE_DIR) / "profiles")) {
      if (profile.extension() != ".toml") continue;
      const std::string command = "plan " + profile.stem().string();
      const Shelf shelf(command);
      const std::string text =
          on_terminal(command_line(kGolden / node, command, shelf) + " --no-color 2>&1", kColumns);
      EXPECT_FALSE(text.empty());
      EXPECT_LE(std::ranges::count(text, '\n'), kLines) << node << ' ' << command << '\n' << text;
    }
}

class CliCommandsGoldenCase : public ::testing::TestWithParam<fs::path> {};

TEST_P(CliCommandsGoldenCase, ThePlanIsTheExpectedOne) {
  const fs::path& path = GetParam();
  const std::string command = read_file(path / "command");
  const Shelf shelf(command);
  const Answer text = run(path.parent_path(), command, shelf, false);
  const Answer json = run(path.parent_path(), command, shelf, true);
  EXPECT_EQ(text.exit, json.exit);
  // In sync, changes pending, not permitted, refused: anything else is no plan.
  EXPECT_TRUE(text.exit == 0 || text.exit == 3 || text.exit == 6 || text.exit == 8) << text.out;
  compare(path / "expect.txt", text.out);
  if (fs::exists(path / "expect.json")) compare(path / "expect.json", normalized(json.out));
  compare(path / "expect.rc", cat(text.exit, "\n"));
}

/// That the expected files hold on every machine says most of it; here that this machine's own
/// names do not show.
TEST_P(CliCommandsGoldenCase, NothingOfThisMachineShows) {
  const fs::path& path = GetParam();
  const std::string command = read_file(path / "command");
  const Shelf shelf(command);
  const Answer json = run(path.parent_path(), command, shelf, true);
  char host[256] = {};
  ASSERT_EQ(::gethostname(host, sizeof host - 1), 0);
  const auto machine_id = std::string(trim(read_file("/etc/machine-id")));
  const auto boot_id = std::string(trim(read_file("/proc/sys/kernel/random/boot_id")));
  for (const std::string& own : {machine_id, boot_id}) {
    if (!own.empty()) {
      EXPECT_EQ(json.out.find(own), std::string::npos);
    }
  }
  // Shorter names stand in ordinary words.
  if (std::string(host).size() > 4) {
    EXPECT_EQ(json.out.find(host), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, CliCommandsGoldenCase, ::testing::ValuesIn(cases()),
                         [](const auto& each) {
                           std::string name = each.param.parent_path().filename().string() + "_" +
                                              each.param.filename().string();
                           std::replace_if(
                               name.begin(), name.end(),
                               [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace nettune::cli::commands
