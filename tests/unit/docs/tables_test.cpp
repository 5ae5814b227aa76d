// SPDX-License-Identifier: Apache-2.0
// The tables of docs/profile-format.md are the schema's, and the synopsis of docs/man/nettune.8 is
// that of the commands' option tables; docs/messages.md has what `nettune explain` prints.
// scripts/accept writes them into the tree.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <stdlib.h>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cli/commands/command_table.hpp"
#include "cli/messages.hpp"
#include "cli/table.hpp"
#include "kinds/boot/argument.hpp"
#include "kinds/sysfs/table.hpp"
#include "kinds/unit/value.hpp"
#include "nccl/finding.hpp"
#include "node/check/rule_files.hpp"
#include "profile/profile.hpp"
#include "profile/schema.hpp"

namespace nettune::docs {
namespace {

std::string document(const std::string& name) {
  std::ifstream file(cat(NETTUNE_SOURCE_DIR, "/docs/", name));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void compare(const std::string& name, const std::string& before, const std::string& text) {
  ASSERT_FALSE(before.empty()) << name;
  if (::getenv("NETTUNE_ACCEPT") != nullptr)
    std::ofstream(cat(NETTUNE_SOURCE_DIR, "/docs/", name)) << text;
  else
    EXPECT_EQ(before, text) << "docs/" << name << " is stale: scripts/accept BUILD";
}

/// "*" of [rdma.SET] is "cc-NAME": its help begins with that.
std::string row(const profile::Rule& rule) {
  std::string key(rule.path.substr(rule.path.rfind('/') + 1));
  std::string help(rule.help);
  if (key == "*") {
    const auto colon = help.find(": ");
    key = help.substr(0, colon);
    help = help.substr(colon + 2);
  }
  std::string choices;
  for (const std::string_view choice : profile::choices_of(rule))
    choices += cat(choices.empty() ? "" : ", ", "`", choice, "`");
  if (!choices.empty()) help += cat(": ", choices);
  const unsigned types = rule.types & ~unsigned{profile::kVariable | profile::kTable};
  const std::string type = profile::types_text(types == 0 ? rule.types : types);
  return cat("| `", key, "` | ", type, " | ", help, rule.required ? "; required" : "", " |\n");
}

/// The keys of [sysfs] are a table of their own.
std::string sysfs_table() {
  std::string text = "| Key | File below /sys | |\n|-|-|-|\n";
  for (const kinds::sysfs::SysfsRow& row : kinds::sysfs::sysfs_rows())
    text += cat("| `[sysfs", row.of_interface() ? ".SET" : "", "] ", row.key, "` | ", "`",
                row.pattern, "` | ", row.help, " |\n");
  return text;
}

/// The directives of [units].
std::string directives_table() {
  std::string text = "| Directive | Value |\n|-|-|\n";
  for (const kinds::unit::Directive& row : kinds::unit::directives()) {
    std::string keys;
    for (const std::string_view section : words(row.sections))
      keys += cat(keys.empty() ? "`" : ", `", section, ".", row.name, "`");
    text += cat("| ", keys, " | ", kinds::unit::wanted_form(row), " |\n");
  }
  return text;
}

/// What [boot.cmdline] knows.
std::string arguments_table() {
  std::string text = "| Argument | Value | |\n|-|-|-|\n";
  for (const kinds::boot::Argument& row : kinds::boot::arguments()) {
    std::string name(row.name);
    std::ranges::replace(name, '#', '.');
    text +=
        cat("| `", name, "` | ", kinds::boot::values_text(row), " | ",
            row.opens.empty() ? "" : cat("`", row.weak, "` weakens the node: ", row.opens), " |\n");
  }
  return text;
}

std::string table(std::string_view path) {
  if (path == "sysfs") return sysfs_table();
  if (path == "units") return directives_table();
  if (path == "boot.cmdline") return arguments_table();
  std::string text = "| Key | Type | |\n|-|-|-|\n";
  for (const profile::Rule* const rule : profile::rules_below(path)) text += row(*rule);
  return text;
}

TEST(DocsTables, TheKeysOfAProfileAreTheSchemas) {
  const std::string before = document("profile-format.md");
  std::istringstream lines(before);
  std::string text;
  std::vector<std::string> shown;
  bool in_table = false;
  constexpr std::string_view kMark = "<!-- keys of ";
  for (std::string line; std::getline(lines, line);) {
    if (in_table && line.starts_with('|')) continue;
    in_table = line.starts_with(kMark);
    text += line + "\n";
    if (!in_table) continue;
    shown.push_back(line.substr(kMark.size(), line.find(' ', kMark.size()) - kMark.size()));
    text += table(shown.back());
  }
  compare("profile-format.md", before, text);
  // What is a table of fixed keys is shown, but for [sysctl], [link] and so on in their sections.
  for (const profile::Rule& rule : profile::rules()) {
    const auto end = rule.path.rfind('/');
    const std::string parent(rule.path.substr(0, end == std::string_view::npos ? 0 : end));
    if (!rule.path.starts_with("profile/") || rule.path.ends_with('*')) continue;
    if (rule.path.ends_with("/value") || rule.path.ends_with("/optional") ||
        rule.path.ends_with("/nearest"))
      continue;
    if (rule.path == "profile/firewall/*/peers/file") continue;  // in the prose
    if (rule.path.starts_with("profile/sysfs/")) continue;       // its table has the keys
    if (rule.path.starts_with("profile/units/*/") && parent != "profile/units/*") continue;
    EXPECT_EQ(std::ranges::count(shown, parent), 1) << rule.path;
  }
}

std::string said(const std::string& words_typed) {
  FILE* const pipe = ::popen(cat(NETTUNE_BINARY, " ", words_typed).c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), got);
  ::pclose(pipe);
  return text;
}

/// What stands between `begin` and `end`, each time in `text`.
std::vector<std::string> between(const std::string& text, std::string_view begin,
                                 std::string_view end) {
  std::vector<std::string> found;
  for (std::size_t at = 0; (at = text.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    found.push_back(text.substr(at, text.find(end, at) - at));
  }
  return found;
}

TEST(DocsTables, AnEditorIsGivenTheSchemasThatAreWritten) {
  const auto sections = between(document("profile-format.md"), "\n## In an editor\n", "\n## ");
  ASSERT_EQ(sections.size(), 1U);
  std::vector<std::string> written;
  for (const std::string& line : between(sections[0], "\nnettune schema", "\n")) {
    const auto parts = words(line);  // of "site > ~/.config/nettune/site.schema.json"
    ASSERT_GE(parts.size(), 2U) << line;
    written.emplace_back(parts.back().substr(1));
    const bool of_site = parts[0] == "site";
    EXPECT_EQ(said(of_site ? "schema site" : "schema"),
              of_site ? profile::site_schema_json() : profile::schema_json());
  }
  ASSERT_EQ(written.size(), 2U);
  std::vector<std::string> named = between(sections[0], "#:schema file:///home/alice", "\n");
  for (std::string& path : between(sections[0], "schema = { path = \"/home/alice", "\""))
    named.push_back(std::move(path));
  EXPECT_EQ(named, (std::vector<std::string>{written[0], written[0], written[1]}));
}

std::string lower(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// " what [file ...]" is ".Ar what" and ".Op Ar file ...".
std::string positionals(const std::string& form) {
  std::string out;
  for (std::size_t at = 0; at < form.size();) {
    at = form.find_first_not_of(' ', at);
    if (at == std::string::npos) break;
    const bool optional = form[at] == '[';
    std::size_t end = std::min(form.find(optional ? ']' : ' ', at), form.size());
    if (!optional && form.compare(end, 4, " ...") == 0) end += 4;
    std::string text = lower(form.substr(at + (optional ? 1 : 0), end - at - (optional ? 1 : 0)));
    text = text.starts_with("-- ") ? cat("Fl - Ar ", text.substr(3)) : cat("Ar ", text);
    out += cat(optional ? ".Op " : ".", text, "\n");
    at = end + 1;
  }
  return out;
}

/// Of "  -v, --verbose   Show ..." the line that a synopsis has for it.
std::string option(std::string_view line) {
  line.remove_prefix(2);
  const std::string_view left = line.substr(0, line.find("  "));
  std::string out = ".Op";
  for (const std::string_view word : words(left)) {
    if (word.ends_with(',')) continue;  // the short form
    out += word.starts_with("--") ? cat(" Fl -", word.substr(2)) : cat(" Ar ", lower(word));
  }
  return out + "\n";
}

/// The options that every command takes have a section of their own, and begin with --json.
std::string synopsis(const std::string& command) {
  std::istringstream help(said(command + " --help"));
  std::string out = cat(".Nm\n.Cm ", command, "\n");
  const std::string usage = cat("Usage: nettune ", command, " [OPTION...]");
  bool in_options = false;
  for (std::string line; std::getline(help, line);) {
    if (line.starts_with(usage)) out += positionals(line.substr(usage.size()));
    if (line.starts_with("  --json ")) break;
    if (in_options && line.starts_with("  -")) out += option(line);
    if (line == "Options:") in_options = true;
  }
  return out;
}

TEST(DocsTables, TheSynopsisIsThatOfTheOptions) {
  const std::string before = document("man/nettune.8");
  const std::string begin = ".Sh SYNOPSIS\n";
  const std::string end = ".Sh DESCRIPTION\n";
  const auto from = before.find(begin);
  const auto to = before.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  std::string text = before.substr(0, from + begin.size());
  text += ".\\\" Made of the commands' tables of options by scripts/accept.\n";
  for (const std::string& command : cli::commands::command_names()) text += synopsis(command);
  compare("man/nettune.8", before, text + before.substr(to));
}

/// A text as Markdown, also in a cell of a table.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '|':
      case '*':
      case '`':
        out += '\\';
        [[fallthrough]];
      default:
        out += c;
    }
  return out;
}

std::vector<cli::Message> messages_of_the_tree() {
  auto all = cli::built_in_messages();
  EXPECT_TRUE(all) << all.error().text;
  const auto disk = posix_disk();
  const auto rules = node::check::read_rules_of(*disk, NETTUNE_SOURCE_DIR "/checks", {{}, false});
  EXPECT_TRUE(rules) << rules.error().text;
  for (const checks::Rule& rule : *rules) all->push_back(cli::message_of(rule));
  std::ranges::stable_sort(*all, {}, &cli::Message::group);
  return *all;
}

/// A heading, which is the anchor.
std::string entry(const cli::Message& message) {
  constexpr std::size_t kWidth = 100;
  std::string text =
      cat("\n### ", message.id, "\n\n", cli::wrap(plain(message.means), "", kWidth), "\n");
  for (const std::string& what : message.act)
    text += "- " + cli::wrap(plain(what), "  ", kWidth).substr(2);
  std::string also;
  for (std::string word : message.also) {
    std::ranges::replace(word, '-', ' ');
    also += cat(also.empty() ? "\nAlso: " : ", ", word);
  }
  if (!also.empty()) text += cli::wrap(also, "", kWidth).insert(0, "\n");
  // All rules have the page of their group.
  if (message.group != cli::MessageGroup::rule)
    text += cat("\nMore: [", message.more, "](", message.more, ")\n");
  return text;
}

TEST(DocsTables, TheMessagesAreThoseOfExplain) {
  const std::string before = document("messages.md");
  const std::string mark = "<!-- made by scripts/accept -->\n";
  ASSERT_NE(before.find(mark), std::string::npos);
  std::string text = before.substr(0, before.find(mark) + mark.size());
  std::set<std::string> anchors;
  const cli::Message* last = nullptr;
  for (const cli::Message& message : messages_of_the_tree()) {
    const bool in_table =
        message.group == cli::MessageGroup::cause || message.group == cli::MessageGroup::xid;
    if (!last || last->group != message.group) {
      text += cat("\n## ", cli::heading_of(message.group), "\n");
      if (message.group == cli::MessageGroup::rule)
        text += "\nHow rules are read: [checks.md](checks.md), [doctor.md](doctor.md).\n";
      if (in_table)
        text +=
            cat("\nMore: [", message.more, "](", message.more, ")\n\n| Id | Means | ",
                message.group == cli::MessageGroup::cause ? "Check first" : "Do", " |\n|-|-|-|\n");
    }
    last = &message;
    // A cause has no anchor: a rule may have the same id.
    const bool is_cause = message.group == cli::MessageGroup::cause;
    EXPECT_TRUE(is_cause || anchors.insert(message.id).second) << message.id;
    text += !in_table ? entry(message)
                      : cat("| ", is_cause ? "" : cat("<a id=\"", message.id, "\"></a>"),
                            message.id, " | ", plain(cli::in_short(message)), " | ",
                            plain(message.act.front()), " |\n");
  }
  compare("messages.md", before, text);
}

/// What the page must have, whatever the catalogue says.
TEST(DocsTables, EveryExitCodeFlagAndVerdictHasAMessage) {
  const std::vector<cli::Message> all = messages_of_the_tree();
  const auto has = [&](std::string_view id) {
    return !cli::find_messages(all, cli::message_id(id)).empty();
  };
  const auto codes = between(document("../src/node/exit_codes.hpp"), "enum class Exit", "};");
  ASSERT_EQ(codes.size(), 1U);
  for (const std::string& code : between(codes.front(), " = ", ","))
    EXPECT_TRUE(has("exit-" + code)) << code;
  std::set<std::string> options;
  for (const cli::commands::CommandSpec& spec : cli::commands::commands())
    for (const std::string& name : cli::option_names(cli::commands::command_of(spec).options))
      options.insert(name);
  for (const std::string& name : options)
    EXPECT_TRUE(has(name) || !(name.starts_with("--allow-") || name.starts_with("--accept-")))
        << name;
  for (int i = 0; !verdict_text(static_cast<Verdict>(i)).empty(); ++i)
    EXPECT_TRUE(has(verdict_text(static_cast<Verdict>(i)))) << i;
  for (int i = 1; i <= static_cast<int>(nccl::Verdict::unsettled); ++i)
    EXPECT_TRUE(has(nccl::verdict_word(static_cast<nccl::Verdict>(i)))) << i;
  for (const cli::Message& message : all) {
    EXPECT_FALSE(message.act.empty() || message.act.front().empty()) << message.id;
    EXPECT_FALSE(document(message.more).empty()) << message.id << ": " << message.more;
    EXPECT_EQ(message.id, cli::message_id(message.id));
    for (const std::string& also : message.also) EXPECT_EQ(also, cli::message_id(also));
    EXPECT_TRUE(message.group != cli::MessageGroup::flag || options.contains("--" + message.id))
        << message.id;
  }
}

}  // namespace
}  // namespace nettune::docs
