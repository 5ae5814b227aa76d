// SPDX-License-Identifier: Apache-2.0
#include "owners/shell_scripts.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "conf/units.hpp"

namespace nettune::owners {
namespace {

constexpr std::size_t kMaxCommands = 4096;
constexpr std::size_t kMaxWords = 64;    // of a list of a loop; also frames and variables
constexpr std::size_t kMaxTexts = 256;   // of one command in nested loops
constexpr std::size_t kMaxBytes = 4096;  // of one command
/// Programs that succeed where they can do what they are for. Others may be run for their answer.
constexpr std::array<std::string_view, 8> kSucceed = {"ip",       "sysctl",   "ethtool", "echo",
                                                      "ifconfig", "modprobe", ":",       "true"};

enum class Truth { no, maybe, yes };
Truth both(Truth left, Truth right) { return std::min(left, right); }
Truth opposite(Truth truth) {
  return truth == Truth::yes ? Truth::no : truth == Truth::no ? Truth::yes : Truth::maybe;
}

/// A line of shell in statements: at ';', at ";;" (which is kept), and before a comment.
std::vector<std::string> statements(std::string_view line) {
  std::vector<std::string> found(1);
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) break;
    if (quote == 0 && c == ';') {
      const bool twice = i + 1 < line.size() && line[i + 1] == ';';
      if (twice) found.emplace_back(";;");
      i += twice ? 1 : 0;
      found.emplace_back();
      continue;
    }
    if (quote != 0 ? c == quote : c == '\'' || c == '"') quote = quote != 0 ? '\0' : c;
    found.back() += c;
  }
  return found;
}

/// "EOF" of "cat <<'EOF'"; "" if the line has no such text.
std::string heredoc_of(std::string_view line) {
  const std::size_t at = line.find("<<");
  if (at == line.npos || line.substr(at).starts_with("<<<")) return {};
  const std::string_view before = line.substr(0, at);
  const bool is_text =
      std::ranges::count(before, '"') % 2 != 0 || std::ranges::count(before, '\'') % 2 != 0;
  if (is_text || before.find("((") != before.npos) return {};
  const std::string_view rest = line.substr(at + 2);
  const auto word = conf::unit_words(rest.substr(rest.starts_with('-') ? 1 : 0));
  return word.empty() ? std::string() : word[0];
}

bool is_variable(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  });
}

bool goes_on(std::string_view line) {
  return line.ends_with("&&") || line.ends_with("||") || line.ends_with('|');
}

/// What follows "name()" or "function name" in a statement; nothing if it begins no function.
std::optional<std::string_view> body_of_function(std::string_view text) {
  if (text.starts_with("function ")) {
    const std::size_t brace = text.find('{');
    return brace == text.npos ? std::string_view() : text.substr(brace);
  }
  const std::size_t end = text.find("()");
  if (end == text.npos || !is_variable(trim(text.substr(0, end)))) return std::nullopt;
  return trim(text.substr(end + 2));
}

class ScriptReader {
 public:
  explicit ScriptReader(ScriptVariables variables) : variables_(std::move(variables)) {}

  std::vector<ScriptCommand> run(std::string_view text) {
    std::string joined;
    std::string heredoc;  // the word that ends it
    int number = 0;
    for (const std::string_view raw : split(text, '\n')) {
      ++number;
      if (!heredoc.empty()) {
        if (trim(raw) == heredoc) heredoc.clear();
        continue;
      }
      if (line_ == 0) line_ = number;
      joined += raw;
      if (joined.ends_with('\\')) {
        joined.pop_back();
        continue;
      }
      if (goes_on(trim(joined))) {
        joined += ' ';
        continue;
      }
      heredoc = heredoc_of(joined);
      for (const std::string& one : statements(joined)) statement(trim(one));
      joined.clear();
      line_ = 0;
    }
    return std::move(found_);
  }

 private:
  struct Frame {
    std::string_view kind;  ///< "if", "case", "loop" or "function"
    Truth branch = Truth::yes;
    Truth taken = Truth::no;    ///< whether an earlier branch was
    std::string word = {};      ///< of case
    bool at_pattern = false;    ///< of case: a pattern comes next
    std::string variable = {};  ///< of for
  };

  Truth now() const {
    Truth truth = alive_;
    for (const Frame& frame : frames_) truth = both(truth, frame.branch);
    return truth;
  }

  void statement(std::string_view text) {
    if (text.empty() || text.size() > kMaxBytes || frames_.size() > kMaxWords) return;
    const auto word = words(text);
    const std::string_view first = word[0];
    const std::string_view rest = trim(text.substr(first.size()));
    if (first == "if") {
      frames_.push_back({"if", truth_of(rest)});
    } else if (first == "then" || first == "do") {
      statement(rest);
    } else if (first == "elif" || first == "else") {
      if (!in("if")) return;
      Frame& frame = frames_.back();
      frame.taken = std::max(frame.taken, frame.branch);
      frame.branch = both(opposite(frame.taken), first == "else" ? Truth::yes : truth_of(rest));
      if (first == "else") statement(rest);
    } else if (first == "fi" || first == "done" || first == "esac" || first == "}") {
      if (frames_.empty()) return;
      if (!frames_.back().variable.empty()) variables_.erase(frames_.back().variable);
      frames_.pop_back();
    } else if (first == "for") {
      loop(word);
    } else if (first == "while" || first == "until") {
      frames_.push_back({"loop", Truth::maybe});
    } else if (first == "case") {
      frames_.push_back(
          {"case", Truth::no, Truth::no, word.size() > 1 ? unquoted(word[1]) : "", true});
      if (const std::size_t in = text.find(" in "); in != text.npos)
        statement(trim(text.substr(in + 4)));
    } else if (text == ";;") {
      if (!in("case")) return;
      frames_.back().taken = std::max(frames_.back().taken, frames_.back().branch);
      frames_.back().branch = Truth::no;
      frames_.back().at_pattern = true;
    } else if (in("case") && frames_.back().at_pattern && text.find(')') != text.npos) {
      pattern(text);
    } else if (const auto body = body_of_function(text)) {
      // Calls are not followed. The '{' may be in the next line.
      begins_function_ = body->empty();
      if (body->starts_with('{')) {
        frames_.push_back({"function", Truth::maybe});
        statement(trim(body->substr(1)));
      }
    } else {
      list(text);
    }
  }

  bool in(std::string_view kind) const { return !frames_.empty() && frames_.back().kind == kind; }

  void loop(const std::vector<std::string_view>& word) {
    Frame frame{"loop"};
    std::vector<std::string> values;
    for (std::size_t i = 3; i < word.size() && values.size() <= kMaxWords; ++i)
      for (std::string& one : conf::unit_words(expanded(word[i])))
        if (values.size() <= kMaxWords) values.push_back(std::move(one));
    const bool known = word.size() > 3 && word[2] == "in" && values.size() <= kMaxWords &&
                       has_room_for(std::string(word[1])) &&
                       std::ranges::none_of(values, [](const std::string& value) {
                         return value.find_first_of("$`*?") != value.npos;
                       });
    if (known) {
      frame.variable = word[1];
      variables_[frame.variable] = std::move(values);
    } else {
      if (word.size() > 1) variables_.erase(std::string(word[1]));
      frame.branch = Truth::maybe;
    }
    frames_.push_back(std::move(frame));
  }

  /// A word with its variables, and without its quotes.
  std::string unquoted(std::string_view word) {
    const std::string text = expanded(word);
    const auto parts = conf::unit_words(text);
    return parts.size() == 1 ? parts[0] : text;
  }

  /// "eth0|eth1) command"
  void pattern(std::string_view text) {
    const std::size_t end = text.find(')');
    std::string_view patterns = text.substr(0, end);
    if (patterns.starts_with('(')) patterns.remove_prefix(1);
    Frame& frame = frames_.back();
    frame.at_pattern = false;
    Truth fits = Truth::no;
    for (const std::string_view one : split(patterns, '|'))
      fits = std::max(fits, matches(frame.word, unquoted(trim(one))));
    frame.branch = both(opposite(frame.taken), fits);
    statement(trim(text.substr(end + 1)));
  }

  static Truth matches(std::string_view text, std::string_view pattern) {
    if (text.find_first_of("$`") != text.npos || pattern.find_first_of("$`") != pattern.npos)
      return Truth::maybe;
    return glob_match(pattern, text) ? Truth::yes : Truth::no;
  }

  /// The parts of "a && b || c", each with the operator before it.
  static std::vector<std::pair<std::string, std::string>> parts_of(std::string_view text) {
    std::vector<std::pair<std::string, std::string>> parts = {{"", ""}};
    for (const std::string_view word : words(text)) {
      if (word == "&&" || word == "||") {
        parts.push_back({std::string(word), ""});
        continue;
      }
      std::string& part = parts.back().second;
      part += cat(part.empty() ? "" : " ", word);
    }
    return parts;
  }

  static bool is_test(std::string_view text) {
    return text.starts_with("[ ") || text.starts_with("[[ ") || text.starts_with("test ");
  }

  Truth truth_of(std::string_view text) const {
    Truth last = Truth::yes;
    for (const auto& [op, part] : parts_of(text)) {
      const Truth own = test(part);
      last = op == "||" ? std::max(last, own) : op == "&&" ? both(last, own) : own;
    }
    return last;
  }

  /// [ A = B ], [[ A == B ]], test A != B, with -n and -z, and '!' before any of them.
  Truth test(std::string_view text) const {
    if (text.starts_with("! ")) return opposite(test(trim(text.substr(2))));
    if (!is_test(text)) return Truth::maybe;
    std::vector<std::string> word = conf::unit_words(text);
    if (word.back() == "]" || word.back() == "]]") word.pop_back();
    const bool is_bash = word[0] == "[[";
    word.erase(word.begin());
    if (!word.empty() && word[0] == "!") {
      word.erase(word.begin());
      return opposite(judge(word, is_bash));
    }
    return judge(word, is_bash);
  }

  Truth judge(const std::vector<std::string>& word, bool is_bash) const {
    if (word.size() == 2 && (word[0] == "-n" || word[0] == "-z")) {
      const std::string value = expanded(word[1]);
      if (value.find_first_of("$`") != value.npos) return Truth::maybe;
      return value.empty() == (word[0] == "-z") ? Truth::yes : Truth::no;
    }
    if (word.size() != 3) return Truth::maybe;
    const std::string left = expanded(word[0]);
    const std::string right = expanded(word[2]);
    const bool unknown = cat(left, right).find_first_of("$`") != std::string::npos;
    if (unknown || (word[1] != "=" && word[1] != "==" && word[1] != "!=")) return Truth::maybe;
    const bool same = is_bash ? glob_match(right, left) : left == right;
    return same == (word[1] != "!=") ? Truth::yes : Truth::no;
  }

  void list(std::string_view text) {
    const Truth outer = now();
    if (outer == Truth::no) return;
    Truth last = Truth::yes;
    const auto parts = parts_of(text);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto& [op, part] = parts[i];
      const Truth reached = both(outer, op == "||" ? opposite(last) : last);
      if (part.starts_with("{")) {
        std::string group = part.substr(1);
        for (std::size_t rest = i + 1; rest < parts.size(); ++rest)
          group += cat(' ', parts[rest].first, ' ', parts[rest].second);
        frames_.push_back(
            {"group", std::exchange(begins_function_, false) ? Truth::maybe : reached});
        statement(trim(group));
        return;
      }
      Truth own = test(part);
      if (!is_test(part) && !part.starts_with("! ")) {
        if (reached != Truth::no) simple(part, reached);
        own = succeeds(part) ? Truth::yes : Truth::maybe;
      }
      last = op == "||" ? std::max(last, own) : both(last, own);
    }
  }

  static bool succeeds(std::string_view text) {
    const std::string_view first = text.substr(0, text.find(' '));
    const std::size_t equals = first.find('=');
    if (equals != first.npos && is_variable(first.substr(0, equals))) return true;
    return std::ranges::find(kSucceed, first.substr(first.rfind('/') + 1)) != kSucceed.end();
  }

  void simple(const std::string& text, Truth reached) {
    const std::string first = text.substr(0, text.find(' '));
    if (first == "exit" || first == "return") {
      alive_ = both(alive_, opposite(reached));
      return;
    }
    if (first == "continue" || first == "break") {
      alive_ = both(alive_, Truth::maybe);
      return;
    }
    const std::size_t equals = text.find('=');
    if (equals != text.npos && is_variable(text.substr(0, equals))) {
      assign(text.substr(0, equals), text.substr(equals + 1), reached);
      return;
    }
    for (std::string& command : each(text))
      if (found_.size() < kMaxCommands)
        found_.push_back({std::move(command), line_, reached == Truth::yes});
  }

  void assign(const std::string& name, std::string_view value, Truth reached) {
    const std::vector<std::string> word = conf::unit_words(expanded(value));
    const bool known = reached == Truth::yes && word.size() <= 1 && has_room_for(name) &&
                       std::ranges::none_of(word, [](const std::string& one) {
                         return one.find_first_of("$`") != one.npos;
                       });
    if (known)
      variables_[name] = {word.empty() ? "" : word[0]};
    else
      variables_.erase(name);
  }

  bool has_room_for(const std::string& name) const {
    return variables_.size() < kMaxWords || variables_.contains(name);
  }

  /// With all variables that have one value.
  std::string expanded(std::string_view text) const {
    std::string out(text);
    for (const auto& [name, values] : variables_)
      if (values.size() <= 1) out = with(std::move(out), name, values.empty() ? "" : values[0]);
    return out;
  }

  /// The text once for each value of the variables in it.
  std::vector<std::string> each(const std::string& text) const {
    std::vector<std::string> texts = {expanded(text)};
    for (const auto& [name, values] : variables_) {
      if (values.size() <= 1) continue;
      std::vector<std::string> next;
      for (const std::string& one : texts)
        for (const std::string& value : values) {
          if (next.size() >= kMaxTexts) break;
          next.push_back(with(one, name, value));
          if (next.back() == one) break;
        }
      texts = std::move(next);
    }
    return texts;
  }

  static std::string with(std::string text, const std::string& name, const std::string& value) {
    return replaced(replaced(std::move(text), cat("${", name, "}"), value), cat("$", name), value);
  }

  static std::string replaced(std::string text, const std::string& spelling,
                              const std::string& value) {
    for (std::size_t at = text.find(spelling); at != text.npos && text.size() <= kMaxBytes;
         at = text.find(spelling, at)) {
      const std::size_t end = at + spelling.size();
      const bool longer =
          !spelling.ends_with('}') && end < text.size() && is_variable(text.substr(end, 1));
      if (longer) {
        at = end;
        continue;
      }
      text.replace(at, spelling.size(), value);
      at += value.size();
    }
    return text;
  }

  ScriptVariables variables_;
  std::vector<Frame> frames_;
  Truth alive_ = Truth::yes;
  bool begins_function_ = false;
  int line_ = 0;
  std::vector<ScriptCommand> found_;
};

}  // namespace

std::vector<ScriptCommand> script_commands(std::string_view text, ScriptVariables variables) {
  return ScriptReader(std::move(variables)).run(text);
}

}  // namespace nettune::owners
