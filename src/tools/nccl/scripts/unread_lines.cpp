// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/scripts/unread_lines.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"

namespace nettune::tools::nccl::scripts {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, text) != words.end();
}

/// $X, $(...), and "$X=1".
bool is_computed_name(const ShellWord& word) {
  const std::string_view name = std::string_view(word.text).substr(0, word.text.find('='));
  return word.computed && name.find_first_of("$`") != name.npos;
}

/// source FILE, . FILE. If they read a here document, that is below and is read.
std::string source(const ShellCommand& command, std::span<const ShellWord> arguments) {
  if (!command.documents.empty() || arguments.empty()) return "";
  return std::string(kAnotherFile);
}

/// export $(cat FILE), export "$NAME=$VALUE", env $VARIABLES COMMAND.
std::string declaration(std::string_view name, std::span<const ShellWord> arguments) {
  for (const ShellWord& word : arguments) {
    if (word.text.starts_with('-')) continue;
    if (is_computed_name(word)) return "its names are known only when it runs";
    const bool is_pair = word.text.find('=') != std::string::npos;
    if (name == "env" && !is_pair) break;  // the command that env runs
  }
  return "";
}

/// docker's and podman's --env-file FILE, srun's --export-file=FILE.
std::string options(std::span<const ShellWord> arguments) {
  static constexpr std::array<std::string_view, 2> kOptions = {"--env-file", "--export-file"};
  for (const ShellWord& word : arguments) {
    const std::string_view option = std::string_view(word.text).substr(0, word.text.find('='));
    if (is_one_of(option, kOptions)) return std::string(kAnotherFile);
  }
  return "";
}

/// os.environ["NCCL_X"] = ..., os.putenv("NCCL_X", ...), {"NCCL_X": ...}, NCCL_X: ...: a program in
/// another language, in a here document or as the whole file.
bool is_another_language(const ShellCommand& command) {
  static constexpr std::array<std::string_view, 2> kCalls = {"environ", "putenv"};
  const auto has = [&](std::string_view word) {
    return command.line.find(word) != command.line.npos;
  };
  if (!has("NCCL_")) return false;
  if (std::ranges::any_of(kCalls, has)) return true;
  return std::ranges::any_of(command.words, [&](const ShellWord& word) {
    const bool is_key = word.quoted || &word == &command.words[0];
    return is_key && word.text.ends_with(':') && word.text.starts_with("NCCL_") &&
           word.text.find(' ') == word.text.npos;
  });
}

/// Why the command is unread; "" if everything that it sets is visible.
std::string why_unread(const ShellCommand& command, const std::string& name,
                       std::span<const ShellWord> arguments) {
  static constexpr std::array<std::string_view, 6> kDeclarations = {"export", "declare",  "typeset",
                                                                    "local",  "readonly", "env"};
  static constexpr std::array<std::string_view, 2> kModules = {"module", "ml"};
  static constexpr std::array<std::string_view, 7> kQuestions = {
      "list", "avail", "purge", "show", "spider", "unload", "-t"};
  for (const ShellWord& word : command.words)
    if (word.open) return "an unterminated quote: everything after it is taken as one word";
  if (name == "source" || name == ".") return source(command, arguments);
  if (command.words[0].text.starts_with("EnvironmentFile="))
    return std::string(kAnotherFile);  // of systemd
  if (name == "eval" && std::ranges::any_of(arguments, &ShellWord::computed))
    return "what eval runs is known only then";
  if (is_one_of(name, kModules) && !arguments.empty() && !is_one_of(arguments[0].text, kQuestions))
    return "what a module sets is not read";
  if (is_one_of(name, kDeclarations)) {
    if (std::string why = declaration(name, arguments); !why.empty()) return why;
  }
  if (is_another_language(command)) return std::string(kNoShell);
  return options(arguments);
}

/// A short form of the command in one line.
std::string shown(const ShellCommand& command) {
  constexpr std::size_t kEnough = 80;
  std::string text;
  for (const ShellWord& word : command.words)
    if (text.size() < kEnough) text += cat(text.empty() ? "" : " ", word.text.substr(0, kEnough));
  return text;
}

}  // namespace

std::optional<UnreadLine> find_unread_line(const std::string& file, const ShellCommand& command,
                                           const std::string& name,
                                           std::span<const ShellWord> arguments) {
  if (command.words.empty()) return {};
  std::string why = why_unread(command, name, arguments);
  if (why.empty()) return {};
  return unread_line(file, command.words[0].line, shown(command), std::move(why));
}

}  // namespace nettune::tools::nccl::scripts
