// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "tools/render/template.hpp"

namespace nettune::tools::render {

/// The place of the next character in a text: in which quotes, in a comment, after what on the
/// line. Follows the literal text of a template, in which values are whole words.
class Place {
 public:
  explicit Place(Context context) : context_(context) {}

  /// Passes literal text. Errors: text in which a later value could not be quoted; their line is
  /// that of `text`, from 0.
  Result<> pass(std::string_view text);
  /// Passes a value.
  void pass_value();

  /// Why a value cannot be here; "" if it can. `behind` is the text that follows it.
  std::string obstacle(std::string_view behind) const;
  Where where() const;
  /// Whether everything that was opened is closed.
  bool is_closed() const { return open_ == "n" && !escaped_; }
  /// Whether both are in the same quotes; in YAML, also at the same place in a line.
  bool is_like(const Place& other) const;

 private:
  Result<> pass_shell(char c);
  void pass_plain_shell(char c);
  Result<> pass_yaml(char c);
  std::string yaml_obstacle(std::string_view behind) const;
  /// Whether the text so far ends with the "${" of an expansion.
  bool begins_expansion() const { return open_.back() == '{' && before_ == '{'; }
  void push(char what) { open_ += what; }
  void pop() { open_.pop_back(); }

  Context context_;
  std::string line_;  ///< the line so far; a value in it is \1
  /// What is open: n nothing; ' " and $ (for $'...') quotes; ( a command; { a ${...}; a arithmetic.
  std::string open_ = "n";
  bool escaped_ = false;
  bool comment_ = false;
  char before_ = '\n';
  int less_ = 0;  ///< how many '<' in a row
};

}  // namespace nettune::tools::render
