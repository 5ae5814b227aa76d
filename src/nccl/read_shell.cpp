// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "base/text.hpp"
#include "nccl/assignments.hpp"
#include "nccl/shell_words.hpp"

namespace nettune::nccl {
namespace {

/// Words that stand in front of a command and are none.
constexpr std::array<std::string_view, 12> kBefore = {
    "then", "do", "else", "if", "elif", "while", "!", "{", "time", "sudo", "exec", "nohup"};
/// A heredoc may hold a script that writes a heredoc.
constexpr int kMaxDepth = 4;

struct Pair {
  std::string name;
  std::string value;
};

/// NAME=VALUE; nothing where what stands before '=' is no name.
std::optional<Pair> pair_of(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos || !is_variable_name(text.substr(0, equals))) return {};
  return Pair{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

bool is_conf(std::string_view path) { return path.ends_with("nccl.conf"); }

class Reader {
 public:
  Reader(std::string file, int depth) : file_(std::move(file)), depth_(depth) {}

  std::vector<Assignment> read(std::string_view text) {
    read_batch_options(text);
    for (const ShellCommand& command : split_shell(text)) take(command);
    for (Assignment& one : found_)
      if (exported_.contains(one.name)) one.exported = true;
    std::ranges::stable_sort(found_, {}, &Assignment::line);
    return std::move(found_);
  }

 private:
  void add(const Pair& pair, const ShellWord& word, bool exported = true) {
    found_.push_back(
        {pair.name, pair.value, file_, word.line, Kind::shell, word.computed, exported});
  }

  /// #SBATCH is a comment for the shell and a command line for Slurm.
  void read_batch_options(std::string_view text) {
    int number = 0;
    for (const std::string_view line : split(text, '\n')) {
      ++number;
      if (!line.starts_with("#SBATCH")) continue;
      for (const std::string_view word : words(line))
        if (word.starts_with("--export=")) take_slurm_export({std::string(word), number, false});
    }
  }

  /// --export=ALL,A=1,B=2: a comma always ends a value.
  void take_slurm_export(const ShellWord& word) {
    for (const std::string_view part : split(std::string_view(word.text).substr(9), ','))
      if (const auto pair = pair_of(part)) add(*pair, word);
  }

  void take(const ShellCommand& command) {
    for (const HereDocument& document : command.documents) take_document(command, document);
    std::span<const ShellWord> rest(command.words);
    while (!rest.empty() && std::ranges::find(kBefore, rest[0].text) != kBefore.end())
      rest = rest.subspan(1);
    std::size_t assigned = 0;
    while (assigned < rest.size() && pair_of(rest[assigned].text)) ++assigned;
    // Nothing behind them: variables of the shell alone, until one exports them.
    const bool alone = assigned == rest.size();
    for (const ShellWord& word : rest.first(assigned))
      add(*pair_of(word.text), word, !alone || export_all_);
    rest = rest.subspan(assigned);
    if (!rest.empty()) take_command(command, rest[0].text, rest.subspan(1));
  }

  void take_command(const ShellCommand& command, const std::string& name,
                    std::span<const ShellWord> arguments) {
    if (name == "export" || name == "declare" || name == "typeset" || name == "local" ||
        name == "readonly")
      return take_declaration(name, arguments);
    if (name == "set") return take_set(arguments);
    if (name == "echo" || name == "printf") return take_echo(command, arguments);
    if ((name == "setenv" || name == "ENV") && arguments.size() == 2 &&
        is_variable_name(arguments[0].text))
      return add({arguments[0].text, arguments[1].text}, arguments[1]);
    take_options(arguments);
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
      } else if (exports && is_variable_name(word.text)) {
        exported_.insert(word.text);
      }
    }
  }

  void take_set(std::span<const ShellWord> arguments) {
    for (const ShellWord& word : arguments) {
      const bool all = word.text.find('a') != std::string::npos && word.text.size() < 6;
      if (all && word.text.starts_with('-')) export_all_ = true;
      if (all && word.text.starts_with('+')) export_all_ = false;
    }
  }

  /// echo NAME=VALUE >> /etc/nccl.conf
  void take_echo(const ShellCommand& command, std::span<const ShellWord> arguments) {
    if (!is_conf(command.target)) return;
    for (const ShellWord& word : arguments)
      if (const auto pair = pair_of(word.text)) {
        add(*pair, word);
        found_.back().kind = Kind::conf;
      }
  }

  /// env NAME=VALUE, mpirun -x NAME=VALUE, docker run -e NAME=VALUE, --env=NAME=VALUE,
  /// mpiexec -genv NAME VALUE, srun --export=...
  void take_options(std::span<const ShellWord> arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const ShellWord& word = arguments[i];
      if (word.text.starts_with("--export=")) {
        take_slurm_export(word);
      } else if ((word.text == "-genv" || word.text == "-env") && i + 2 < arguments.size() &&
                 is_variable_name(arguments[i + 1].text)) {
        add({arguments[i + 1].text, arguments[i + 2].text}, arguments[i + 2]);
        i += 2;
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
    } else if (text.find("NCCL_") != text.npos && text.find_first_of(" \n") != text.npos &&
               depth_ < kMaxDepth) {
      // bash -c "export NAME=VALUE; ..."
      append(Reader(file_, depth_ + 1).read(text), word.line - 1);
    }
  }

  void take_document(const ShellCommand& command, const HereDocument& document) {
    if (depth_ >= kMaxDepth) return;
    std::vector<Assignment> inner;
    if (is_conf(command.target) || command.line.find("nccl.conf") != std::string::npos) {
      inner = read_conf(document.text, file_);
    } else if (guess_kind("", document.text) == Kind::env_file) {
      inner = read_env_file(document.text, file_);
    } else if (guess_kind("", document.text) == Kind::yaml) {
      inner = read_yaml(document.text, file_);
    } else {
      inner = Reader(file_, depth_ + 1).read(document.text);
    }
    append(std::move(inner), document.line - 1);
  }

  void append(std::vector<Assignment> more, int lines_before) {
    for (Assignment& one : more) {
      one.line += lines_before;
      found_.push_back(std::move(one));
    }
  }

  std::string file_;
  int depth_;
  bool export_all_ = false;
  std::set<std::string> exported_;
  std::vector<Assignment> found_;
};

}  // namespace

std::vector<Assignment> read_shell(std::string_view text, const std::string& file) {
  return Reader(file, 0).read(text);
}

}  // namespace nettune::nccl
