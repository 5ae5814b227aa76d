// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>

#include "base/text.hpp"
#include "tools/nccl/scripts/assignments.hpp"
#include "tools/nccl/scripts/read_python.hpp"
#include "tools/nccl/scripts/shell_conditions.hpp"
#include "tools/nccl/scripts/shell_constants.hpp"
#include "tools/nccl/scripts/shell_pair.hpp"
#include "tools/nccl/scripts/shell_text.hpp"
#include "tools/nccl/scripts/shell_words.hpp"
#include "tools/nccl/scripts/stored_commands.hpp"
#include "tools/nccl/scripts/unread_lines.hpp"

namespace nettune::tools::nccl::scripts {
namespace {

/// Words before a command that are not part of it.
constexpr std::array<std::string_view, 12> kBefore = {
    "then", "do", "else", "if", "elif", "while", "!", "{", "time", "sudo", "exec", "nohup"};
/// Commands in whose arguments NAME=VALUE sets nothing. A Dockerfile's ARG applies only to its
/// build.
constexpr std::array<std::string_view, 13> kOnlyLook = {"grep",     "egrep", "fgrep", "rg", "zgrep",
                                                        "sed",      "awk",   "test",  "[",  "[[",
                                                        "printenv", "which", "ARG"};
/// Programs that run their last argument as a script.
constexpr std::array<std::string_view, 4> kRemote = {"ssh", "pdsh", "clush", "eval"};
/// A heredoc may hold a script that writes a heredoc.
constexpr int kMaxDepth = 4;

/// python3 - <<EOF: what reads the here document is Python.
bool runs_python(const ShellCommand& command) {
  return std::ranges::any_of(command.words, [](const ShellWord& word) {
    const std::string_view path = word.text;
    return path.substr(path.rfind('/') + 1).starts_with("python");
  });
}

/// -c, -lc, -exc: the next argument is a script.
bool is_script_option(std::string_view word) {
  return word.size() > 1 && word.size() < 6 && word[0] == '-' && word[1] != '-' &&
         word.ends_with('c');
}

/// --cmd "NAME=VALUE program": whether the argument of an option that does not set variables begins
/// with an assignment and continues after a space.
bool takes_script(std::string_view option, const ShellWord& word) {
  if (is_script_option(option)) return true;
  const bool sets = option == "--env" || option == "--export" || option == "--setenv";
  return option.starts_with("--") && option.find('=') == option.npos && !sets && word.quoted;
}

/// "NAME=VALUE NAME=VALUE", with names that no option or path has.
bool are_pairs(std::string_view text) {
  const auto parts = words(text);
  return parts.size() > 1 && std::ranges::all_of(parts, [](std::string_view part) {
           const auto pair = pair_of(part);
           return pair && pair->name == upper(pair->name);
         });
}

/// The names of $NAME and ${NAME...}.
std::set<std::string_view> used_names(std::string_view text) {
  constexpr std::string_view kOfNames =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  std::set<std::string_view> names;
  for (std::size_t at = text.find('$'); at != text.npos; at = text.find('$', at + 1)) {
    std::string_view name = text.substr(at + 1);
    if (name.starts_with('{')) name.remove_prefix(1);
    names.insert(name.substr(0, name.find_first_not_of(kOfNames)));
  }
  return names;
}

constexpr std::string_view kSlurmExport = "--export=";
constexpr std::string_view kExport = "export ";
constexpr std::string_view kUnit = "Environment=";

bool is_conf(std::string_view path) { return path.ends_with("nccl.conf"); }

class ShellReader {
 public:
  /// The wanted result.
  enum class Aim { lines, steps, printed_exports };

  ShellReader(std::string file, int depth, Aim aim = Aim::lines)
      : file_(std::move(file)), depth_(depth), aim_(aim) {}

  std::vector<Assignment> read(std::string_view text) {
    text_ = text;
    read_batch_options(text);
    std::vector<ShellCommand> commands = split_shell(text);
    for (std::size_t i = 0; i < commands.size(); ++i) {
      if (commands[i].piped && i + 1 < commands.size())
        for (const ShellWord& word : commands[i + 1].words)
          if (is_conf(word.text)) commands[i].target = word.text;
      conditions_.enter(commands[i]);
      take(commands[i]);
    }
    if (aim_ == Aim::lines && depth_ == 0 && is_python(file_, text)) take_python(text, 0);
    for (Assignment& one : found_)
      if (const auto at = exported_.find(one.name); at != exported_.end()) {
        one.conditional = one.conditional || (!one.exported && !at->second);
        one.exported = true;
      }
    const std::set<std::string_view> used = used_names(text);
    for (Assignment& one : found_) one.handed_on = !one.exported && used.contains(one.name);
    for (Assignment& one : found_)
      if (const auto at = unset_.find(one.name); at != unset_.end() && at->second > one.line)
        one.unset_later = true;
    std::ranges::stable_sort(found_, {}, &Assignment::line);
    if (depth_ == 0) assume_constants(text, found_);
    return std::move(found_);
  }
  /// Lines that read() did not understand.
  std::vector<UnreadLine>& unread() { return unread_; }

 private:
  void add(const Pair& pair, const ShellWord& word, bool exported = true) {
    if (aim_ == Aim::printed_exports && !printed_) return;
    found_.push_back({pair.name, pair.value, file_, word.line, Kind::shell,
                      word.computed || pair.appended, exported, false, false, false, word.goes_on,
                      !conditions_.certain(pair.name), conditions_.only_if_unset(pair.name), false,
                      for_one_command_, for_one_command_ ? command_ : 0, conditions_.branches()});
  }

  /// A program in Python: the whole file, or a here document behind so many lines.
  void take_python(std::string_view text, int lines_before) {
    std::set<int> whole;
    std::vector<Assignment> found = read_python_lines(text, file_, whole);
    std::erase_if(unread_, [&](const UnreadLine& one) {
      return one.why == kNoShell && whole.contains(one.line - lines_before);
    });
    for (Assignment& one : found) {
      one.line += lines_before;
      one.of_script = lines_before != 0;
      found_.push_back(std::move(one));
    }
  }

  /// #SBATCH is a comment for the shell and a command line for Slurm.
  void read_batch_options(std::string_view text) {
    int number = 0;
    for (const std::string_view line : split(text, '\n')) {
      ++number;
      if (!line.starts_with("#SBATCH")) continue;
      bool named = false;
      for (const std::string_view word : words(line)) {
        if (word.starts_with(kSlurmExport))
          take_slurm_export(word.substr(kSlurmExport.size()), number, false);
        else if (named)
          take_slurm_export(word, number, false);
        named = word == "--export";
      }
    }
  }

  /// --export=ALL,A=1,B=2: a comma always ends a value.
  void take_slurm_export(std::string_view list, int line, bool computed) {
    for (const std::string_view part : split(list, ','))
      if (const auto pair = pair_of(part)) add(*pair, {{}, line, computed, false});
  }

  /// Only once for each line: a call with parentheses is several commands.
  void note(UnreadLine one) {
    if (unread_.empty() || unread_.back().line != one.line || unread_.back().why != one.why)
      unread_.push_back(std::move(one));
  }

  void take(const ShellCommand& command) {
    if (!command.words.empty()) command_ = command.words[0].line;
    for_one_command_ = true;
    for (const HereDocument& document : command.documents) {
      take_document(command, document);
      if (aim_ == Aim::lines && runs_python(command)) take_python(document.text, document.line - 1);
    }
    for (const Substitution& one : command.substitutions) take_script(one.text, one.line);
    for_one_command_ = false;
    std::span<const ShellWord> rest(command.words);
    while (!rest.empty() && std::ranges::find(kBefore, rest[0].text) != kBefore.end())
      rest = rest.subspan(1);
    if (!rest.empty() && rest[0].text.starts_with(kUnit)) return take_unit(rest);
    std::size_t assigned = 0;
    while (assigned < rest.size() && pair_of(rest[assigned].text)) ++assigned;
    // Without a command after them they are shell variables, until they are exported.
    const bool alone = assigned == rest.size();
    for_one_command_ = !alone;
    for (const ShellWord& word : rest.first(assigned))
      add(*pair_of(word.text), word, !alone || export_all_);
    for_one_command_ = alone;
    if (alone)
      for (const ShellWord& word : rest) take_text(word);
    for_one_command_ = false;
    rest = rest.subspan(assigned);
    const std::string name = rest.empty() ? "" : rest[0].text;
    if (!rest.empty()) rest = rest.subspan(1);
    if (const auto stored = stored_.run(name, rest, text_))
      return take_script(stored->text, stored->line);
    if (auto one = find_unread_line(file_, command, name, rest)) note(std::move(*one));
    if (!name.empty()) take_command(command, name, rest);
  }

  /// What a variable gets may be options of a launcher, or a command.
  void take_text(const ShellWord& word) {
    const std::string_view text = word.text;
    const std::string_view name = text.substr(0, text.find_first_of("+="));
    const std::string_view value = text.substr(text.find('=') + 1);
    if (are_options_that_set(name, value))
      take_script(value, word.line);
    else if (conditions_.certain(name))
      stored_.keep(name, value, word.line);
  }

  /// Environment=NAME=VALUE "NAME=VALUE" of systemd, which does not expand $.
  void take_unit(std::span<const ShellWord> words) {
    for (const ShellWord& word : words) {
      std::string_view text = word.text;
      if (text.starts_with(kUnit)) text.remove_prefix(kUnit.size());
      if (const auto pair = pair_of(text)) add(*pair, {{}, word.line, false, false});
    }
  }

  void take_command(const ShellCommand& command, const std::string& name,
                    std::span<const ShellWord> arguments) {
    if (name == "export" || name == "declare" || name == "typeset" || name == "local" ||
        name == "readonly")
      return take_declaration(name, arguments);
    if (name == "set") return take_set(arguments);
    if (name == "echo" || name == "printf") return take_echo(command, arguments);
    if ((name == "setenv" || name == "ENV") && arguments.size() >= 2 &&
        is_variable_name(arguments[0].text))
      return take_words(arguments[0].text, arguments.subspan(1));
    if (name == "unset") return take_unset(arguments);
    if (std::ranges::find(kOnlyLook, name) != kOnlyLook.end()) return;
    for_one_command_ = name != "eval";
    take_options(name, arguments);
    for_one_command_ = false;
  }

  /// setenv NAME VALUE. For a Dockerfile's ENV NAME, the value is the rest of the line.
  void take_words(const std::string& name, std::span<const ShellWord> values) {
    ShellWord whole = values[0];
    for (const ShellWord& one : values.subspan(1)) {
      whole.text += cat(" ", one.text);
      whole.computed = whole.computed || one.computed;
    }
    whole.goes_on = false;
    add({name, whole.text}, whole);
  }

  void take_unset(std::span<const ShellWord> arguments) {
    for (const ShellWord& word : arguments) {
      if (aim_ == Aim::lines) {
        unset_[word.text] = word.line;
      } else if (is_variable_name(word.text)) {
        add({word.text, ""}, word);
        if (aim_ == Aim::steps) found_.back().removes = true;
      }
    }
  }

  void take_declaration(const std::string& name, std::span<const ShellWord> arguments) {
    bool exports = name == "export";
    for (const ShellWord& word : arguments) {
      if (word.text.starts_with('-')) {
        exports = exports || word.text.find('x') != std::string::npos;
        continue;
      }
      if (const auto pair = pair_of(word.text)) {
        add(*pair, word, exports);
        take_text(word);
        if (exports && nettune::nccl::passes_on(pair->name, pair->value))
          exported_[pair->name] = exported_[pair->name] || conditions_.certain(pair->name);
      } else if (exports && is_variable_name(word.text)) {
        exported_[word.text] = exported_[word.text] || conditions_.certain(word.text);
      }
    }
  }

  /// set -a, set -euxa, set -o allexport; '+' is the opposite.
  void take_set(std::span<const ShellWord> arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const ShellWord& word = arguments[i];
      const bool named = word.text.ends_with('o') && i + 1 < arguments.size() &&
                         arguments[i + 1].text == "allexport";
      const bool all = named || (word.text.find('a') != std::string::npos && word.text.size() < 6);
      if (all && word.text.starts_with('-')) export_all_ = true;
      if (all && word.text.starts_with('+')) export_all_ = false;
    }
  }

  /// echo NAME=VALUE >> /etc/nccl.conf
  void take_echo(const ShellCommand& command, std::span<const ShellWord> arguments) {
    if (aim_ == Aim::printed_exports) return take_printed(arguments);
    if (!is_conf(command.target)) return;
    for (const ShellWord& word : arguments) {
      const std::string text = with_newlines(word.text);
      for (const std::string_view line : split(text, '\n'))
        if (const auto pair = pair_of(line)) {
          add(*pair, word);
          found_.back().kind = Kind::conf;
          found_.back().of_script = true;
        }
    }
  }

  /// echo export NAME=VALUE, printf '%s\n' 'export NAME=VALUE'
  void take_printed(std::span<const ShellWord> arguments) {
    ShellWord all{{}, 0, false, false};
    for (const ShellWord& word : arguments) {
      const bool separate = all.text.empty() || word.text.starts_with(kExport);
      all.text += cat(separate ? "\n" : " ", word.text);
      all.computed = all.computed || word.computed;
      all.line = word.line;
    }
    const std::string text = with_newlines(all.text);
    for (const std::string_view line : split(text, '\n')) take_printed_line(line, all);
  }

  void take_printed_line(std::string_view line, const ShellWord& printed) {
    if (!line.starts_with(kExport)) return;
    if (const auto pair = pair_of(line.substr(kExport.size()))) {
      printed_ = true;
      for_one_command_ = false;
      add(*pair, printed);
      printed_ = false;
    }
  }

  void take_printed_document(const HereDocument& document) {
    ShellWord at{{}, document.line, false, false};
    for (const std::string_view line : split(document.text, '\n')) {
      at.computed = document.expands && has_expansion(line);
      take_printed_line(line, at);
      ++at.line;
    }
  }

  /// env NAME=VALUE, mpirun -x NAME=VALUE, docker run -e NAME=VALUE, --env=NAME=VALUE,
  /// mpiexec -genv NAME VALUE, srun --export=..., bash -c "..."
  void take_options(std::string_view command, std::span<const ShellWord> arguments) {
    const bool remote = std::ranges::find(kRemote, command) != kRemote.end();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const ShellWord& word = arguments[i];
      const bool script = remote || (i > 0 && takes_script(arguments[i - 1].text, word));
      if (script && word.text.find_first_of(" \t\n") != std::string::npos) {
        take_script(word.text, word.line);
      } else if (word.text.starts_with(kSlurmExport)) {
        take_slurm_export(std::string_view(word.text).substr(kSlurmExport.size()), word.line,
                          word.computed);
      } else if (word.text == "--export" && i + 1 < arguments.size()) {
        ++i;
        take_slurm_export(arguments[i].text, arguments[i].line, arguments[i].computed);
      } else if ((word.text == "-genv" || word.text == "-env") && i + 2 < arguments.size() &&
                 is_variable_name(arguments[i + 1].text)) {
        add({arguments[i + 1].text, arguments[i + 2].text}, arguments[i + 2]);
        i += 2;
      } else if (word.quoted && command != "env" && are_pairs(word.text) &&
                 (i == 0 || !arguments[i - 1].text.starts_with('-')) &&
                 (i < 2 || !arguments[i - 2].text.ends_with("-mca"))) {
        // run "A=1 B=2" program, of a function that sets them
        for (const std::string_view part : words(word.text))
          add(*pair_of(part), {{}, word.line, word.computed, false});
      } else {
        take_pair(word);
      }
    }
  }

  void take_pair(const ShellWord& word) {
    std::string_view text = word.text;
    for (const std::string_view option : {"--env=", "-e", "-x"})
      if (text.starts_with(option)) {
        text.remove_prefix(option.size());
        break;
      }
    if (const auto pair = pair_of(text)) {
      add(*pair, word);
    } else if (text.find("NCCL_") != text.npos && text.find_first_of(" \n") != text.npos) {
      // su -c, or any other that runs "export NAME=VALUE; ..."; --cmd="NAME=VALUE program"
      if (text.starts_with("--")) text.remove_prefix(std::min(text.find('=') + 1, text.size()));
      take_script(text, word.line);
    }
  }

  void take_script(std::string_view text, int line) {
    if (depth_ >= kMaxDepth || aim_ == Aim::printed_exports) return;
    ShellReader inner(file_, depth_ + 1);
    append(inner.read(text), line - 1);
    for (UnreadLine one : inner.unread()) {
      one.line += line - 1;
      unread_.push_back(std::move(one));
    }
  }

  void take_document(const ShellCommand& command, const HereDocument& document) {
    if (depth_ >= kMaxDepth) return;
    if (aim_ == Aim::printed_exports) return take_printed_document(document);
    Kind kind = guess_kind("", document.text);
    if (is_conf(command.target) || command.line.find("nccl.conf") != command.line.npos)
      kind = Kind::conf;
    if (kind != Kind::conf && kind != Kind::env_file && kind != Kind::yaml)
      return take_script(document.expands ? unescaped(document.text) : document.text,
                         document.line);
    std::vector<Assignment> inner =
        read_assignments(kind, document.text, file_).value_or(std::vector<Assignment>());
    if (document.expands)
      for (Assignment& one : inner) {
        one.computed = one.computed || has_expansion(one.value);
        one.value = unescaped(one.value);
      }
    append(std::move(inner), document.line - 1);
  }

  void append(std::vector<Assignment> more, int lines_before) {
    for (Assignment& one : more) {
      one.line += lines_before;
      one.conditional = one.conditional || !conditions_.certain(one.name);
      if (one.for_one_command) one.command += lines_before;
      if (for_one_command_) one.command = command_;
      one.for_one_command = one.for_one_command || for_one_command_;
      one.branches = conditions_.branches();
      one.of_script = true;
      found_.push_back(std::move(one));
    }
  }

  std::string file_;
  int depth_;
  Aim aim_;
  bool printed_ = false;
  bool export_all_ = false;
  bool for_one_command_ = false;
  int command_ = 0;  ///< the first line of the current one
  ShellConditions conditions_;
  std::map<std::string, bool> exported_;  ///< name, and whether the export always runs
  std::map<std::string, int> unset_;      ///< name and the last line
  std::string_view text_;                 ///< that read() was given
  StoredCommands stored_;
  std::vector<Assignment> found_;
  std::vector<UnreadLine> unread_;
};

/// Docker removes comment lines within a continued instruction, where a shell would end it, and the
/// carriage return of a line (moby/buildkit frontend/dockerfile/parser, trimNewline), which a shell
/// takes for a part of the value.
std::string as_docker_reads(std::string_view text) {
  std::string out;
  bool goes_on = false;
  for (std::string_view line : split(text, '\n')) {
    while (line.ends_with('\r')) line.remove_suffix(1);
    const std::string_view bare = trim(line);
    const bool comment = goes_on && bare.starts_with('#');
    out += cat(comment ? "\\" : line, "\n");
    goes_on = comment || bare.ends_with('\\');
  }
  return out;
}

bool is_dockerfile(std::string_view file) {
  return lower(file.substr(file.rfind('/') + 1)).find("dockerfile") != std::string::npos;
}

std::vector<Assignment> read_as(ShellReader::Aim aim, std::string_view text,
                                const std::string& file, std::vector<UnreadLine>* unread) {
  ShellReader reader(file, 0, aim);
  std::vector<Assignment> found =
      is_dockerfile(file) ? reader.read(as_docker_reads(text)) : reader.read(text);
  if (unread) std::ranges::move(reader.unread(), std::back_inserter(*unread));
  return found;
}

}  // namespace

std::vector<Assignment> read_shell(std::string_view text, const std::string& file,
                                   std::vector<UnreadLine>* unread) {
  return read_as(ShellReader::Aim::lines, text, file, unread);
}

std::vector<Assignment> read_shell_steps(std::string_view text, const std::string& file,
                                         std::vector<UnreadLine>* unread) {
  return read_as(ShellReader::Aim::steps, text, file, unread);
}

std::vector<Assignment> read_printed_exports(std::string_view text, const std::string& file) {
  return read_as(ShellReader::Aim::printed_exports, text, file, nullptr);
}

}  // namespace nettune::tools::nccl::scripts
