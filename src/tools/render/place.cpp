// SPDX-License-Identifier: Apache-2.0
#include "tools/render/place.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::tools::render {
namespace {

constexpr char kValue = '\1';

bool is_shell(Context context) { return context == Context::shell || context == Context::sbatch; }

/// Whether a shell word, and so a comment, can begin after the character.
bool ends_word(char c) { return std::string_view(" \t\n;&|()").find(c) != std::string_view::npos; }

}  // namespace

Result<> Place::pass(std::string_view text) {
  int line = 0;
  for (const char c : text) {
    Result<> passed;
    if (is_shell(context_)) passed = pass_shell(c);
    if (context_ == Context::yaml) passed = pass_yaml(c);
    // In hosts files and configurations of switches, a comment is a whole line.
    if (context_ == Context::plain)
      comment_ = comment_ ? c != '\n' : line_.empty() && (c == '#' || c == '!');
    if (!passed) {
      passed.error().line = line;
      return passed;
    }
    if (c == '\n') {
      line_.clear();
      ++line;
    } else {
      line_ += c;
    }
    before_ = c;
  }
  return {};
}

void Place::pass_value() {
  line_ += kValue;
  before_ = kValue;
  less_ = 0;
}

bool Place::is_like(const Place& other) const {
  return open_ == other.open_ && comment_ == other.comment_ && escaped_ == other.escaped_ &&
         (context_ != Context::yaml || comment_ || line_ == other.line_);
}

Where Place::where() const {
  if (context_ == Context::sbatch && line_.starts_with("#SBATCH")) return Where::directive;
  if (comment_) return Where::comment;
  if (begins_expansion()) return Where::variable;
  return context_ == Context::yaml && trim(line_).empty() ? Where::key : Where::word;
}

std::string Place::obstacle(std::string_view behind) const {
  if (context_ == Context::yaml) return yaml_obstacle(behind);
  if (!is_shell(context_) || comment_) return {};
  if (escaped_) return "comes after a backslash";
  if (before_ == '$') return "comes after a $";
  switch (open_.back()) {
    case '\'':
    case '"':
    case '$':
      return "is inside quotes, but brings its own";
    case '{':
      if (begins_expansion()) return {};
      return "is inside ${...}; put it into a variable first";
    case 'a':
      return "is inside arithmetic; put it into a variable first";
    default:
      return {};
  }
}

Result<> Place::pass_shell(char c) {
  if (less_ == 2 && c != '<')
    return fail(Errc::invalid, "a here document cannot be checked; use {{quote}} or printf");
  less_ = c == '<' && (open_.back() == 'n' || open_.back() == '(') && !comment_ ? less_ + 1 : 0;
  if (comment_) {
    comment_ = c != '\n';
    return {};
  }
  if (escaped_) {
    escaped_ = false;
    return {};
  }
  const char top = open_.back();
  if (c == '`' && top != '\'' && top != '$')
    return fail(Errc::invalid, "backquotes cannot be checked; write $(...)");
  if (c == '\\' && top != '\'') {
    escaped_ = true;
    return {};
  }
  if (top == '\'' || top == '$') {
    if (c == '\'') pop();
  } else if (top == '"') {
    if (c == '"') return pop(), Result<>();
    if (before_ == '$' && (c == '(' || c == '{')) push(c);
  } else {
    pass_plain_shell(c);
  }
  return {};
}

/// Passes a character outside of quotes.
void Place::pass_plain_shell(char c) {
  const char top = open_.back();
  switch (c) {
    case '#':
      comment_ = (top == 'n' || top == '(') && ends_word(before_);
      return;
    case '\'':
      return push(before_ == '$' ? '$' : '\'');
    case '"':
      return push('"');
    case '{':
      if (before_ == '$') push('{');
      return;
    case '}':
      if (top == '{') pop();
      return;
    case '(':
      if (top == 'a') return push('a');
      if (before_ != '(' || top != '(') return push('(');
      pop();  // (( opens two, and )) closes both
      push('a');
      return push('a');
    case ')':
      if (top == '(' || top == 'a') pop();
      return;
    default:
      return;
  }
}

Result<> Place::pass_yaml(char c) {
  if (comment_) {
    comment_ = c != '\n';
    return {};
  }
  if (open_.back() == '"' || open_.back() == '\'') {
    if (escaped_)
      escaped_ = false;
    else if (c == '\\' && open_.back() == '"')
      escaped_ = true;
    else if (c == open_.back())
      pop();
    return {};
  }
  const std::string_view before = trim(line_);
  const bool begins =
      before.empty() || std::string_view(":-[{,").find(before.back()) != std::string_view::npos;
  if ((c == '"' || c == '\'') && begins) push(c);
  if (c == '#' && (line_.empty() || before_ == ' ')) comment_ = true;
  if ((c == '|' || c == '>') && begins && !before.empty())
    return fail(Errc::invalid, "a block scalar cannot be checked; use {{quote}}");
  return {};
}

std::string Place::yaml_obstacle(std::string_view behind) const {
  if (comment_) return {};
  if (open_ != "n") return "is inside quotes, but brings its own";
  const std::string_view before = trim(line_);
  const bool begins = line_.ends_with(": ") || line_.ends_with("- ") || line_.ends_with("[") ||
                      line_.ends_with(", ");
  const bool ends =
      behind.empty() || std::string_view("\n,]}").find(behind.front()) != std::string_view::npos;
  if (before.empty() && behind.starts_with(": ")) return {};
  if (before.empty() || !begins || !ends)
    return "is only a part of a scalar; put the whole into {{quote text}}...{{end}}";
  return {};
}

}  // namespace nettune::tools::render
