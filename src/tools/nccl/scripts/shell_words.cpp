// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/scripts/shell_words.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace nettune::tools::nccl::scripts {
namespace {

/// The line that ends a here document.
struct Awaited {
  std::string end;
  bool tabs = false;
  bool expands = false;
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) { begin_line(); }

  std::vector<ShellCommand> run() {
    while (at_ < text_.size()) step();
    end_word();
    end_command();
    return std::move(commands_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void step() {
    const char c = text_[at_];
    if (c == '\n') {
      ++at_;
      end_line();
    } else if (c == ' ' || c == '\t') {
      ++at_;
      end_word();
    } else if (c == '#' && !in_word_) {
      skip_comment();
    } else if (c == '\'' || c == '"') {
      quoted(c);
    } else if (c == '\\') {
      escaped();
    } else if (expansion(false)) {
      return;
    } else if (c == '<' && peek(1) == '<' && peek(2) != '<') {
      here_document();
    } else if (c == '>') {
      redirect();
    } else if (std::string_view(";&|(){}").find(c) != std::string_view::npos && !in_expansion()) {
      // ${X} and $(...) stay in their word.
      if (c == '{' || c == '}') {
        add(c);
        return;
      }
      const bool joins = (c == '&' || c == '|') && peek(1) == c;
      at_ += joins ? 2 : 1;
      end_word();
      end_command(c == '|' && !joins, c);
      if (joins) behind_ = c;
      if (c == '(') ++parentheses_;
      if (c == ')' && parentheses_ > 0) --parentheses_;  // a pattern of `case` has one alone
    } else {
      add(c);
    }
  }

  /// Adds a whole $(...), ${...} or `...` to the word; false if none begins here, or it does not
  /// end.
  bool expansion(bool in_quotes) {
    const bool backquote = peek() == '`';
    const bool dollar = peek() == '$' && (peek(1) == '(' || peek(1) == '{');
    if ((!backquote && !dollar) || unclosed_) return false;
    const std::size_t begin = at_ + (dollar ? 2 : 1);
    const char close = backquote ? '`' : peek(1) == '(' ? ')' : '}';
    const std::size_t end = find_close(begin, close, in_quotes);
    unclosed_ = end == text_.npos;
    if (unclosed_) return false;
    begin_word();
    word_.computed = true;
    if (close != '}') command_.substitutions.push_back({text_.substr(begin, end - begin), line_});
    const std::string_view whole = text_.substr(at_, end + 1 - at_);
    word_.text += whole;
    line_ += static_cast<int>(std::ranges::count(whole, '\n'));
    at_ = end + 1;
    return true;
  }

  /// The end of what begins at `at`; npos for none.
  std::size_t find_close(std::size_t at, char close, bool in_quotes) const {
    std::string open(1, close);
    while (at < text_.size()) {
      const char c = text_[at];
      const char top = open.back();
      if (c == '\\') {
        ++at;
      } else if (c == top) {
        open.pop_back();
        if (open.empty()) return at;
      } else if (c == '$' && at + 1 < text_.size() &&
                 (text_[at + 1] == '(' || text_[at + 1] == '{')) {
        open += text_[++at] == '(' ? ')' : '}';
      } else if (c == '`') {
        open += '`';
      } else if (c == '"' && top != '"') {
        open += '"';
      } else if (c == '(' && top == ')') {
        open += ')';
      } else if (c == '\'' && top != '"' && !(top == '}' && in_quotes)) {
        at = text_.find('\'', at + 1);
      } else if (c == '#' && top == ')' && is_blank(text_[at - 1])) {
        at = text_.find('\n', at);
      }
      if (at == text_.npos) break;
      ++at;
    }
    return text_.npos;
  }

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

  /// Whether the word ends with the $ of a $( or ${.
  bool in_expansion() const { return in_word_ && !word_.text.empty() && word_.text.back() == '$'; }

  void add(char c) {
    begin_word();
    if (c == '$' || c == '`') word_.computed = true;
    word_.text += c;
    ++at_;
  }

  void begin_word() {
    if (in_word_) return;
    in_word_ = true;
    word_ = {{}, line_};
  }

  void end_word() {
    if (!in_word_) return;
    in_word_ = false;
    if (awaits_target_) {
      awaits_target_ = false;
      command_.target = word_.text;
    } else if (awaits_end_) {
      awaits_end_ = false;
      ends_.push_back({word_.text, strip_tabs_, !word_.quoted});
    } else {
      if (!command_.words.empty()) {
        ShellWord& last = command_.words.back();
        last.goes_on = !last.quoted && last.text.ends_with(',') && last.line == word_.line &&
                       !word_.text.starts_with('-');
      }
      command_.words.push_back(std::move(word_));
    }
    word_ = {};
  }

  void end_command(bool piped = false, char before = '\0') {
    awaits_target_ = awaits_end_ = false;
    if (command_.words.empty() && command_.documents.empty()) return;
    command_.line = line_text_;
    command_.piped = piped;
    command_.behind = std::exchange(behind_, '\0');
    command_.before = before;
    command_.parentheses = parentheses_;
    commands_.push_back(std::move(command_));
    command_ = {};
  }

  void begin_line() {
    line_text_ = text_.substr(at_, 4096);
    line_text_ = line_text_.substr(0, line_text_.find('\n'));
  }

  void end_line() {
    end_word();
    end_command();
    ++line_;
    for (const Awaited& one : std::exchange(ends_, {})) read_document(one);
    begin_line();
  }

  void read_document(const Awaited& awaited) {
    HereDocument document{{}, line_, awaited.expands};
    while (at_ < text_.size()) {
      const std::size_t stop = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, stop - at_);
      at_ = std::min(stop + 1, text_.size());
      ++line_;
      if (awaited.tabs) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      if (line == awaited.end) break;
      document.text += cat(line, "\n");
    }
    if (!commands_.empty()) commands_.back().documents.push_back(std::move(document));
  }

  void skip_comment() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  void quoted(char quote) {
    begin_word();
    word_.quoted = true;
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (quote == '"' && expansion(true)) continue;
      char c = text_[at_];
      if (quote == '"' && c == '\\' &&
          std::string_view("$`\"\\\n").find(peek(1)) != std::string_view::npos &&
          at_ + 1 < text_.size()) {
        c = text_[++at_];
        if (c == '\n') {
          ++line_;
          ++at_;
          continue;
        }
      } else if (quote == '"' && (c == '$' || c == '`')) {
        word_.computed = true;
      }
      if (c == '\n') ++line_;
      word_.text += c;
      ++at_;
    }
    word_.open = word_.open || at_ == text_.size();
    if (at_ < text_.size()) ++at_;
  }

  void escaped() {
    ++at_;
    if (at_ == text_.size()) return;
    if (text_[at_] == '\n') {
      ++line_;
    } else {
      begin_word();
      word_.quoted = true;
      word_.text += text_[at_];
    }
    ++at_;
  }

  void here_document() {
    end_word();
    at_ += 2;
    strip_tabs_ = peek() == '-';
    if (strip_tabs_) ++at_;
    awaits_end_ = true;
    while (peek() == ' ' || peek() == '\t') ++at_;
  }

  void redirect() {
    // In 2> the digit is not a word.
    if (in_word_ && word_.text.size() == 1 && word_.text[0] >= '0' && word_.text[0] <= '9') {
      in_word_ = false;
      word_ = {};
    }
    end_word();
    ++at_;
    if (peek() == '>') ++at_;
    if (peek() == '&') ++at_;
    while (peek() == ' ' || peek() == '\t') ++at_;
    awaits_target_ = true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string_view line_text_;
  int line_ = 1;
  bool in_word_ = false;
  bool awaits_target_ = false;
  bool awaits_end_ = false;
  bool strip_tabs_ = false;
  ShellWord word_;
  ShellCommand command_;
  char behind_ = '\0';
  int parentheses_ = 0;
  bool unclosed_ = false;  ///< an expansion had no end: looking for others would take too long
  std::vector<Awaited> ends_;
  std::vector<ShellCommand> commands_;
};

}  // namespace

std::vector<ShellCommand> split_shell(std::string_view text) { return Scanner(text).run(); }

}  // namespace nettune::tools::nccl::scripts
