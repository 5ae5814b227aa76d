// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output.hpp"

namespace nettune::cli {

/// The width on a terminal: code points of UTF-8, which is right for names and values.
std::size_t display_width(std::string_view text);

/// `text` with its middle replaced by "..", at most `width` columns wide (at least 5).
std::string shorten_middle(std::string_view text, std::size_t width);

/// The words of `text` on lines of at most `width` columns, each after `indent`. A command in
/// quotes stays on one line.
std::string wrap(std::string_view text, std::string_view indent, std::size_t width);

/// Rows under a heading, as wide as their cells. If that is wider than the terminal, some columns
/// give way: their cells are shortened in the middle or move below the row; then the first column
/// gets its own line. It is never shortened: two names must not become one. A column with only
/// empty cells is left out. In a file or pipe nothing is shortened; a long cell moves the rest of
/// its row.
class Table {
 public:
  /// Which columns give way first on a narrow terminal.
  enum class Give { never, below, first };
  struct Column {
    std::string title;
    Give give = Give::never;
    std::string below = {};  ///< the words before a cell that moves below its row
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One row, with `details` below it, each wrapped separately.
  void add(std::vector<std::string> cells, std::vector<std::string> details = {});
  std::string text(const Style& style, std::string_view indent = "  ") const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::vector<std::string> details;
  };
  struct Layout {
    std::vector<std::size_t> widths;  ///< 0 for a column that is left out
    bool fits = true;
    bool cuts = true;  ///< cells that are longer than their column are shortened
  };
  Layout layout(std::size_t available, std::size_t first_column, bool cuts) const;
  std::string line(const std::vector<std::string>& cells, const Layout& layout,
                   std::string_view indent) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace nettune::cli
