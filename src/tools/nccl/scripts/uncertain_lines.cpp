// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/scripts/uncertain_lines.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.hpp"

namespace nettune::tools::nccl::scripts {
namespace {

constexpr std::string_view kLiteral =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:,=^+@%-";

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Whether the line contains the word as a whole word.
bool names(std::string_view line, std::string_view word) {
  for (auto at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(line[at - 1])) && (end == line.size() || !is_word(line[end])))
      return true;
  }
  return false;
}

bool take(std::string_view& line, std::string_view prefix) {
  if (!line.starts_with(prefix)) return false;
  line.remove_prefix(prefix.size());
  return true;
}

bool is_quoted(std::string_view value, char quote, std::string_view without) {
  return value.size() > 1 && value.starts_with(quote) && value.ends_with(quote) &&
         value.substr(1, value.size() - 2).find_first_of(without) == value.npos;
}

/// Whether the value means the same in every shell.
bool is_literal(std::string_view value) {
  return value.find_first_not_of(kLiteral) == value.npos || is_quoted(value, '\'', "'") ||
         is_quoted(value, '"', "\"$`\\!");
}

/// Whether the whole line is one of: export NAME=VALUE; NAME=VALUE; both in one; unset NAME; or the
/// output of conf::shell_exports().
bool is_plain_command(std::string_view line, std::string_view name) {
  line = trim(line);
  const std::string guard = cat("if [ -z \"${", name, "+set}\" ]; then ");
  const std::string then_export = cat("; export ", name);
  if (line == cat("unset ", name)) return true;
  if (take(line, guard)) {
    if (!line.ends_with(cat(then_export, "; fi"))) return false;
    line.remove_suffix(4);
  } else if (!take(line, "export ")) {
    (void)take(line, "declare -x ");
  }
  if (!take(line, cat(name, "="))) return false;
  if (line.ends_with(then_export)) line.remove_suffix(then_export.size());
  return is_literal(line);
}

/// Whether PAM, systemd and a shell all read the line alike.
bool is_plain_setting(std::string_view line) {
  return line.find_first_not_of(cat(kLiteral, " \t\"")) == line.npos;
}

bool is_shell(Source source) { return source >= Source::profile && source <= Source::user_bashrc; }

/// Whether the commands after the line may not run, or may assign in another way.
bool changes_the_shell(std::string_view line) {
  return names(line, "exit") || names(line, "exec") || names(line, "trap") ||
         (names(line, "set") && line.find("set -") != line.npos);
}

class Doubts {
 public:
  Doubts(const NodePlaces& places, std::string_view name) : name_(name) {
    for (const VariablePlace& place : places.all)
      if (place.set.name == name) read_.emplace(place.set.file, place.set.line);
  }

  void add(const ReadText& text) {
    bool is_named = false;
    int number = 0;
    std::size_t doubtful = 0;
    for (const std::string_view whole : split(text.text, '\n')) {
      ++number;
      const std::string_view line = trim(whole);
      if (line.starts_with('#')) continue;
      const auto doubt = [&](std::string_view why) {
        if (++doubtful <= kDoubtsOfAFile) found_.push_back(cat(text.file, ":", number, " ", why));
      };
      if (is_shell(text.source) && changes_the_shell(line))
        doubt("may end the shell, or change what assignments do");
      if (!names(line, name_)) continue;
      is_named = true;
      if (!text.followed)
        doubt("names it, and is not followed here");
      else if (!is_plain(text, line, number))
        doubt("names it in a way that only running it can settle");
      else if (is_shell(text.source) && line.find("export") == line.npos &&
               !line.starts_with("declare") && !line.starts_with("unset"))
        not_exported_ = true;
    }
    if (doubtful > kDoubtsOfAFile)
      found_.push_back(cat(text.file, ": ", doubtful - kDoubtsOfAFile, " more lines like these"));
    if (!is_named) return;
    if (is_shell(text.source)) {
      shells_.push_back(text.file);
      early_ = early_ || text.source <= Source::bashrc;
    } else if (text.source <= Source::pam_environment) {
      pam_.push_back(text.file);
    }
  }

  std::vector<std::string> take_all() {
    if (shells_.size() > 1 && (early_ || not_exported_))
      found_.push_back(
          cat(join(shells_, ", "),
              " all name it: which one wins depends on their order and on each other"));
    if (pam_.size() > 1)
      found_.push_back(cat(join(pam_, ", "), " both name it: PAM may read them more than once"));
    return std::move(found_);
  }

 private:
  /// Whether the reader's result has the line, and covers all of it.
  bool is_plain(const ReadText& text, std::string_view line, int number) const {
    return read_.contains({text.file, number}) &&
           (is_shell(text.source) ? is_plain_command(line, name_) : is_plain_setting(line));
  }

  /// Enough to find the others.
  static constexpr std::size_t kDoubtsOfAFile = 3;

  std::string_view name_;
  std::set<std::pair<std::string_view, int>> read_;  // file and line
  std::vector<std::string> found_;
  std::vector<std::string> shells_;
  std::vector<std::string> pam_;
  bool early_ = false;
  bool not_exported_ = false;
};

}  // namespace

std::vector<std::string> doubts_of(const NodePlaces& places, const EffectiveValue& outcome,
                                   std::string_view name) {
  const auto is_read = [&](Source source) {
    const auto when = reach(outcome.start, source);
    return when && when->empty();
  };
  const bool from_environment =
      outcome.winner && places.all[*outcome.winner].source > Source::user_conf;
  Doubts doubts(places, name);
  for (const ReadText& text : places.texts)
    if (is_read(text.source)) doubts.add(text);
  std::vector<std::string> found = doubts.take_all();
  for (const Gap& gap : places.gaps)
    if (is_read(gap.source) && (gap.source > Source::user_conf || !from_environment))
      found.push_back(gap.why);
  return found;
}

}  // namespace nettune::tools::nccl::scripts
