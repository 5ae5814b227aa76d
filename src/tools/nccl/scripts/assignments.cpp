// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/scripts/assignments.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "conf/environment.hpp"
#include "toml/load.hpp"
#include "tools/nccl/scripts/read_python.hpp"
#include "tools/nccl/scripts/shell_words.hpp"

namespace nettune::tools::nccl::scripts {
namespace {

std::string_view base_name(std::string_view file) { return file.substr(file.rfind('/') + 1); }

/// The text after the first space that is neither quoted nor in "{{ ... }}".
std::string_view behind_blank(std::string_view value) {
  char quote = '\0';
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (value.substr(i).starts_with("{{")) {
      i = std::min(value.find("}}", i), value.size());
    } else if (c == ' ' || c == '\t') {
      return trim(value.substr(i));
    }
  }
  return {};
}

bool looks_like_env_file(std::string_view text) {
  bool any = false;
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t equals = line.find('=');
    if (equals == line.npos || !is_variable_name(line.substr(0, equals))) return false;
    // A shell would take the text after a space for a command.
    if (line.find(" && ") != line.npos || line.find("; ") != line.npos || line.ends_with(';'))
      return false;
    const std::string_view more = behind_blank(line.substr(equals + 1));
    if (!more.empty() && more[0] != '#' && more[0] != '-') return false;
    any = true;
  }
  return any;
}

/// Whether a .env is meant to be sourced: it begins like a script, exports everything, or has
/// commands.
bool is_script(std::string_view text) {
  if (text.starts_with("#!")) return true;
  static constexpr std::array<std::string_view, 9> kCommands = {
      "source", ".", "if", "fi", "case", "for", "set", "unset", "module"};
  std::size_t exports = 0;
  std::size_t others = 0;
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.empty() || line.starts_with('#')) continue;
    const std::string_view first = line.substr(0, line.find_first_of(" \t;"));
    if (std::ranges::find(kCommands, first) != kCommands.end()) return true;
    ++(first == "export" ? exports : others);
  }
  return exports > 0 && others == 0;
}

/// systemd and PAM remove quotes; docker and podman do not.
bool takes_quotes_off(std::string_view file) {
  return is_pam_environment(file) || file.find("/default/") != file.npos;
}

/// pam_env ends a line at the first '#', and removes "export ".
std::string_view as_pam_reads(std::string_view line) {
  line = trim(line.substr(0, line.find('#')));
  if (line.starts_with("export ")) line.remove_prefix(7);
  return line;
}

}  // namespace

bool is_pam_environment(std::string_view file) { return base_name(file) == "environment"; }

Kind guess_kind(std::string_view file, std::string_view text) {
  const std::string_view name = base_name(file);
  const auto ends = [&](std::string_view end) { return name.ends_with(end); };
  if (ends("nccl.conf")) return Kind::conf;
  if (ends(".toml")) return Kind::profile;
  if (ends(".yaml") || ends(".yml") || ends(".json")) return Kind::yaml;
  if (ends(".env")) return is_script(text) ? Kind::shell : Kind::env_file;
  if (is_pam_environment(file)) return Kind::env_file;
  if (ends(".sh") || ends(".bash") || ends(".sbatch") || ends(".slurm")) return Kind::shell;
  if (text.starts_with("#!")) return Kind::shell;
  if (text.find("apiVersion:") != text.npos || text.find("\"apiVersion\"") != text.npos)
    return Kind::yaml;
  return looks_like_env_file(text) ? Kind::env_file : Kind::shell;
}

UnreadLine unread_line(const std::string& file, int line, std::string_view text, std::string why) {
  constexpr std::size_t kLongest = 80;
  return {file, line, std::string(trim(text).substr(0, kLongest)), std::move(why)};
}

namespace {

/// The lines of YAML with a list that has names of variables alone: "- NCCL_DEBUG", "[NCCL_DEBUG]".
std::set<int> yaml_lines_with_names(std::string_view text) {
  std::set<int> found;
  int number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = trim(line.substr(0, line.find(" #")));
    if (line.starts_with('#')) continue;
    const auto open = line.find('[');
    if (line.starts_with("- "))
      line.remove_prefix(2);
    else if (open != line.npos)
      line.remove_prefix(open + 1);
    else
      continue;
    for (std::string_view word : split(line, ',')) {
      while (!word.empty() && std::string_view(" \t\"'[]").find(word.front()) != word.npos)
        word.remove_prefix(1);
      while (!word.empty() && std::string_view(" \t\"'[]").find(word.back()) != word.npos)
        word.remove_suffix(1);
      const std::string_view name = word.substr(0, word.find('='));
      if (name.starts_with("NCCL_") && is_variable_name(name)) found.insert(number);
    }
  }
  return found;
}

/// Adds those lines of which nothing was read.
void add_unfollowed(const std::set<int>& lines, std::string_view text, const std::string& file,
                    const std::vector<Assignment>& found, std::vector<UnreadLine>* unread) {
  if (unread == nullptr || lines.empty()) return;
  std::set<int> known;
  for (const Assignment& one : found) known.insert(one.line);
  for (const UnreadLine& one : *unread)
    if (one.file == file) known.insert(one.line);
  const auto all = split(text, '\n');
  for (const int line : lines)
    if (!known.contains(line))
      unread->push_back(unread_line(file, line, all[static_cast<std::size_t>(line) - 1],
                                    "it names a variable; what becomes of it is not followed"));
}

}  // namespace

Result<std::vector<Assignment>> read_assignments(Kind kind, std::string_view text,
                                                 const std::string& file,
                                                 std::vector<UnreadLine>* unread) {
  if (text.size() > kMaxInputBytes)
    return fail(Errc::invalid, cat(printable(file), " has ", text.size(), " bytes; at most ",
                                   kMaxInputBytes, " are read"));
  switch (kind) {
    case Kind::conf:
      return read_conf(text, file, unread);
    case Kind::env_file:
      return read_env_file(text, file, unread);
    case Kind::yaml: {
      std::vector<Assignment> found = read_yaml(text, file, unread);
      add_unfollowed(yaml_lines_with_names(text), text, file, found, unread);
      return found;
    }
    case Kind::profile:
      return read_profile_env(text, file);
    default: {
      std::vector<Assignment> found = read_shell(text, file, unread);
      if (is_python(file, text))
        add_unfollowed(python_lines_with_names(text), text, file, found, unread);
      return found;
    }
  }
}

/// Like setEnvFile() in src/misc/param.cc: up to the first '=', byte for byte. A carriage return is
/// kept (before 2.30.3), and also a '#' (before 2.26.2); then the name is not that of a variable.
std::vector<Assignment> read_conf(std::string_view text, const std::string& file,
                                  std::vector<UnreadLine>* unread) {
  std::vector<Assignment> found;
  int number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    const std::size_t equals = line.find('=');
    if (line.starts_with('#')) continue;
    if (equals == line.npos) {
      if (unread && !trim(line).empty())
        unread->push_back(unread_line(file, number, line, "NCCL skips a line without '='"));
      continue;
    }
    found.push_back({std::string(line.substr(0, equals)), std::string(line.substr(equals + 1)),
                     file, number, Kind::conf});
  }
  return found;
}

namespace {

enum class Quotes { kept, off };

std::vector<Assignment> read_lines(std::string_view text, const std::string& file, Quotes quotes,
                                   std::vector<UnreadLine>* unread) {
  std::vector<Assignment> found;
  int number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (is_pam_environment(file)) line = as_pam_reads(line);
    auto set = conf::env_file_line(line);
    if (!set) {
      line = trim(line);
      if (unread && !line.empty() && !line.starts_with('#'))
        unread->push_back(unread_line(file, number, line,
                                      "a line without '=': docker and podman take such a variable "
                                      "from their own environment, systemd and PAM skip the line"));
      continue;
    }
    std::string& value = set->value;
    const bool quoted =
        value.size() > 1 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0];
    if (quoted && quotes == Quotes::off) value = value.substr(1, value.size() - 2);
    found.push_back({std::move(set->name), std::move(value), file, number, Kind::env_file});
  }
  return found;
}

}  // namespace

std::vector<Assignment> read_env_file(std::string_view text, const std::string& file,
                                      std::vector<UnreadLine>* unread) {
  return read_lines(text, file, takes_quotes_off(file) ? Quotes::off : Quotes::kept, unread);
}

std::vector<Assignment> read_systemd_env_file(std::string_view text, const std::string& file) {
  std::vector<Assignment> found = read_lines(text, file, Quotes::off, nullptr);
  for (Assignment& one : found) {
    one.value = trim(one.value);
    one.computed = file.find("/environment.d/") != file.npos && one.value.find('$') != file.npos;
  }
  return found;
}

std::vector<Assignment> read_environment(const std::vector<std::string>& entries) {
  std::vector<Assignment> found;
  for (const std::string& entry : entries)
    if (const std::size_t equals = entry.find('='); equals != entry.npos)
      found.push_back(
          {entry.substr(0, equals), entry.substr(equals + 1), "environment", 0, Kind::environment});
  return found;
}

/// _parse_line() and _check_var() of modules/pam_env/pam_env.c.
std::vector<Assignment> read_pam_env(std::string_view text, const std::string& file) {
  constexpr std::string_view kDefault = "DEFAULT=";
  constexpr std::string_view kOverride = "OVERRIDE=";
  std::vector<Assignment> found;
  for (const ShellCommand& command : split_shell(text)) {
    if (command.words.empty() || !is_variable_name(command.words[0].text)) continue;
    const std::string& name = command.words[0].text;
    for (const std::string_view which : {kDefault, kOverride})
      for (const ShellWord& word : command.words) {
        if (!word.text.starts_with(which)) continue;
        const std::string value = word.text.substr(which.size());
        if (which == kOverride && value.empty()) continue;
        found.push_back({name, value, file, word.line, Kind::env_file,
                         word.computed || value.find("@{") != value.npos});
      }
  }
  return found;
}

Result<std::vector<Assignment>> read_profile_env(std::string_view text, const std::string& file) {
  using toml::Node;
  TRY_ASSIGN(const Node root, toml::parse_toml(text, file));
  std::vector<Assignment> found;
  const Node* const env = root.find("env");
  if (!env) return found;
  for (const auto& [name, entry] : env->entries) {
    const Node* const inner = entry.find("value");
    const Node& value = inner ? *inner : entry;
    if (!value.is(Node::Kind::string) && !value.is(Node::Kind::integer)) continue;
    const std::string content = value.is(Node::Kind::string) ? value.text : toml::shown(value);
    found.push_back({name, content, file, value.origin.line, Kind::profile,
                     content.find("${") != content.npos});
  }
  return found;
}

}  // namespace nettune::tools::nccl::scripts
