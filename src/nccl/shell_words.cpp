// SPDX-License-Identifier: Apache-2.0
#include "nccl/shell_words.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace nettune::nccl {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

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
      ++at_;
      end_word();
      end_command();
    } else {
      add(c);
    }
  }

  /// $( and ${ open what belongs to the word.
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
    word_ = {{}, line_, false};
  }

  void end_word() {
    if (!in_word_) return;
    in_word_ = false;
    if (awaits_target_) {
      awaits_target_ = false;
      command_.target = word_.text;
    } else if (awaits_end_) {
      awaits_end_ = false;
      ends_.push_back({word_.text, strip_tabs_});
    } else {
      command_.words.push_back(std::move(word_));
    }
    word_ = {};
  }

  void end_command() {
    awaits_target_ = awaits_end_ = false;
    if (command_.words.empty() && command_.documents.empty()) return;
    command_.line = std::string(line_text());
    commands_.push_back(std::move(command_));
    command_ = {};
  }

  std::string_view line_text() const {
    const std::size_t length = std::min(text_.find('\n', line_begin_), text_.size()) - line_begin_;
    return text_.substr(line_begin_, std::min<std::size_t>(length, 4096));
  }

  void end_line() {
    end_word();
    end_command();
    ++line_;
    for (const auto& [end, tabs] : std::exchange(ends_, {})) read_document(end, tabs);
    line_begin_ = at_;
  }

  void read_document(const std::string& end, bool tabs) {
    HereDocument document{{}, line_};
    while (at_ < text_.size()) {
      const std::size_t stop = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, stop - at_);
      at_ = std::min(stop + 1, text_.size());
      ++line_;
      if (tabs) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      if (line == end) break;
      document.text += cat(line, "\n");
    }
    if (!commands_.empty()) commands_.back().documents.push_back(std::move(document));
  }

  void skip_comment() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  void quoted(char quote) {
    begin_word();
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote) {
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
    if (at_ < text_.size()) ++at_;
  }

  void escaped() {
    ++at_;
    if (at_ == text_.size()) return;
    if (text_[at_] == '\n') {
      ++line_;
    } else {
      begin_word();
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
    // In 2> the digit is no word.
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
  std::size_t line_begin_ = 0;
  int line_ = 1;
  bool in_word_ = false;
  bool awaits_target_ = false;
  bool awaits_end_ = false;
  bool strip_tabs_ = false;
  ShellWord word_;
  ShellCommand command_;
  std::vector<std::pair<std::string, bool>> ends_;
  std::vector<ShellCommand> commands_;
};

}  // namespace

std::vector<ShellCommand> split_shell(std::string_view text) { return Scanner(text).run(); }

}  // namespace nettune::nccl
