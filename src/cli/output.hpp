// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nettune::cli {

/// How text for people is set: how wide, and whether in colour.
struct Style {
  std::size_t width =
      160;  ///< of a file or pipe: lines of words are wrapped there, tables are not cut
  bool terminal = false;
  bool color = false;

  std::string bold(std::string_view text) const { return paint("1", text); }
  std::string dim(std::string_view text) const { return paint("2", text); }
  std::string red(std::string_view text) const { return paint("31", text); }
  std::string green(std::string_view text) const { return paint("32", text); }
  std::string yellow(std::string_view text) const { return paint("33", text); }

 private:
  std::string paint(std::string_view code, std::string_view text) const;
};

/// Standard output and standard error, written with few system calls. A reader that went away is
/// no reason to stop halfway through an apply: output is then dropped, and ok() says so.
class Output {
 public:
  /// Colour only on a terminal, and not where NO_COLOR is set (no-color.org) or `plain` asks so.
  explicit Output(bool plain);

  const Style& style() const { return style_; }
  /// Kept until flush(), so that a command writes once.
  void print(std::string_view text) { pending_ += text; }
  void flush();
  /// To standard error, at once, behind what was printed before.
  void complain(std::string_view text);
  /// False once something could not be written for another reason than a closed pipe.
  bool ok() const { return ok_; }

 private:
  std::string pending_;
  Style style_;
  bool ok_ = true;
};

}  // namespace nettune::cli
