// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nettune::cli {

/// The layout of text for people: width and colour.
struct Style {
  std::size_t width = 160;  ///< for a file or pipe: text is wrapped there, tables are not cut
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

/// Standard output and standard error, written with few system calls. A closed pipe does not stop
/// an apply halfway: the output is dropped, and ok() says so.
class Output {
 public:
  /// Colour is used only on a terminal, without NO_COLOR (no-color.org) and without `plain`.
  explicit Output(bool plain);

  const Style& style() const { return style_; }
  /// Buffered until flush(), so that a command writes once.
  void print(std::string_view text) { pending_ += text; }
  void flush();
  /// Writes to standard error at once, after the buffered output.
  void complain(std::string_view text);
  /// False after a write error other than a closed pipe.
  bool ok() const { return ok_; }

 private:
  std::string pending_;
  Style style_;
  bool ok_ = true;
};

}  // namespace nettune::cli
