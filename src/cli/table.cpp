// SPDX-License-Identifier: Apache-2.0
#include "cli/table.hpp"

#include <algorithm>
#include <numeric>

#include "base/text.hpp"

namespace nettune::cli {

namespace {

constexpr std::size_t kGap = 2;
/// In a file, one long value does not pad the column of all the others: it moves its row's rest.
constexpr std::size_t kWidestPadding = 40;

/// Columns of one priority shrink to this width, the widest first; then the next priority follows.
/// Columns that go below the row go at once.
struct Narrowing {
  Table::Give give;
  std::size_t down_to;
};
constexpr Narrowing kNarrowing[] = {
    {Table::Give::first, 24}, {Table::Give::first, 13}, {Table::Give::below, 0}};

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80; }

/// The byte offset of code point number `index`.
std::size_t offset_of(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (!continues(text[at]) && index-- == 0) break;
    ++at;
  }
  return at;
}

/// The words of a text; a command in quotes ('nettune list') is one.
std::vector<std::string> unbroken(std::string_view text) {
  std::vector<std::string> parts;
  bool in_command = false;
  for (const std::string_view word : words(text)) {
    if (in_command)
      parts.back() += cat(" ", word);
    else
      parts.emplace_back(word);
    if (word.starts_with("'nettune") || word.starts_with("'sudo")) in_command = true;
    if (word.find('\'', 1) != word.npos) in_command = false;
  }
  return parts;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !continues(byte); }));
}

std::string shorten_middle(std::string_view text, std::size_t width) {
  const std::size_t whole = display_width(text);
  const std::size_t room = std::max<std::size_t>(width, 5);
  if (whole <= room) return std::string(text);
  const std::size_t tail = (room - 2) / 2;
  const std::size_t head = room - 2 - tail;
  return cat(text.substr(0, offset_of(text, head)), "..",
             text.substr(offset_of(text, whole - tail)));
}

std::string wrap(std::string_view text, std::string_view indent, std::size_t width) {
  std::string out;
  std::size_t column = 0;
  for (const std::string_view word : unbroken(text)) {
    const std::size_t length = display_width(word);
    if (column != 0 && column + 1 + length > width) {
      out += '\n';
      column = 0;
    }
    if (column == 0) {
      out += indent;
      column = indent.size();
    } else {
      out += ' ';
      ++column;
    }
    out += word;
    column += length;
  }
  if (column != 0) out += '\n';
  return out;
}

void Table::add(std::vector<std::string> cells, std::vector<std::string> details) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), std::move(details)});
}

/// The width of each column from `first_column` on.
Table::Layout Table::layout(std::size_t available, std::size_t first_column, bool cuts) const {
  Layout layout{std::vector<std::size_t>(columns_.size(), 0), true, cuts};
  std::vector<std::size_t>& widths = layout.widths;
  std::size_t total = 0;
  for (std::size_t i = first_column; i < widths.size(); ++i) {
    for (const Row& row : rows_) widths[i] = std::max(widths[i], display_width(row.cells[i]));
    if (widths[i] == 0) continue;
    widths[i] = std::max(widths[i], display_width(columns_[i].title));
    if (!cuts && columns_[i].give == Give::first) widths[i] = std::min(widths[i], kWidestPadding);
    total += widths[i] + kGap;
  }
  for (const Narrowing& step : kNarrowing) {
    while (total > available + kGap) {
      std::size_t widest = widths.size();
      for (std::size_t i = 0; i < widths.size(); ++i)
        if (columns_[i].give == step.give && widths[i] > step.down_to &&
            (widest == widths.size() || widths[i] > widths[widest]))
          widest = i;
      if (widest == widths.size()) break;
      const std::size_t less = step.give == Give::below ? widths[widest] : 1;
      widths[widest] -= less;
      total -= step.give == Give::below ? less + kGap : less;
    }
  }
  layout.fits = total <= available + kGap;
  return layout;
}

std::string Table::line(const std::vector<std::string>& cells, const Layout& layout,
                        std::string_view indent) const {
  std::string line(indent);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::size_t width = layout.widths[i];
    if (width == 0) continue;
    const std::string cell = layout.cuts ? shorten_middle(cells[i], width) : cells[i];
    line += cell;
    line.append(width + kGap - std::min(width, display_width(cell)), ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line.empty() ? line : line + "\n";
}

std::string Table::text(const Style& style, std::string_view indent) const {
  const std::string below_indent = cat(indent, "    ");
  const auto available = [&](std::string_view behind) {
    if (!style.terminal) return std::size_t{1} << 20;
    return style.width > behind.size() ? style.width - behind.size() : 0;
  };
  Layout chosen = layout(available(indent), 0, style.terminal);
  const bool stacked = !chosen.fits;
  if (stacked) chosen = layout(available(below_indent), 1, style.terminal);
  const std::string& line_indent = stacked ? below_indent : std::string(indent);
  const auto row_text = [&](const std::vector<std::string>& cells) {
    const std::string head = stacked ? cat(indent, cells[0], "\n") : std::string();
    return head + line(cells, chosen, line_indent);
  };
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::string out = style.dim(row_text(titles));
  for (const Row& row : rows_) {
    out += row_text(row.cells);
    for (std::size_t i = stacked ? 1 : 0; i < columns_.size(); ++i)
      if (chosen.widths[i] == 0 && !row.cells[i].empty())
        out += style.dim(cat(below_indent, columns_[i].below, " ", row.cells[i])) + "\n";
    // A shortened value is printed in full below: a plan must show what it would write.
    for (std::size_t i = stacked ? 1 : 0; i < columns_.size(); ++i)
      if (chosen.cuts && chosen.widths[i] != 0 && display_width(row.cells[i]) > chosen.widths[i])
        out +=
            style.dim(wrap(cat(columns_[i].title, ": ", row.cells[i]), below_indent, style.width));
    for (const std::string& detail : row.details)
      out += style.dim(wrap(detail, below_indent, style.width));
  }
  return out;
}

}  // namespace nettune::cli
