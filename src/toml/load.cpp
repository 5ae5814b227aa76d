// SPDX-License-Identifier: Apache-2.0
//
// This is the only file that uses toml11. Debian 12 has 3.7 and Debian 13 has 4.x, whose source
// locations and errors differ; the rest of what is used here is common to both.
#include "toml/load.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <toml.hpp>

#include "base/text.hpp"
#include "toml/guard.hpp"

namespace nettune::toml {
namespace {

#if TOML11_VERSION_MAJOR >= 4

class Lines {
 public:
  int of(const ::toml::value& value) const {
    const auto at = value.location();
    return at.is_ok() ? static_cast<int>(at.first_line_number()) : 0;
  }
};

Error syntax(const ::toml::syntax_error& error, const std::string& file) {
  Error out{Errc::invalid, "this is not valid TOML", 0, file, 0};
  if (error.errors().empty()) return out;
  const auto& first = error.errors().front();
  out.text = first.title();
  if (first.locations().empty()) return out;
  const auto& [at, message] = first.locations().front();
  if (at.is_ok()) out.line = static_cast<int>(at.first_line_number());
  if (!message.empty()) out.text += cat(" (", message, ")");
  return out;
}

#else

/// The line number of value.location().line(). That function counts the preceding lines twice for
/// each value: half a second for a file of 4,000 lines.
class Lines {
 public:
  int of(const ::toml::value& value) {
    const auto* const at =
        dynamic_cast<const ::toml::detail::region*>(::toml::detail::get_region(value));
    if (at == nullptr) return 1;
    if (ends_.empty()) {
      for (auto c = at->begin(); c != at->end(); ++c)
        if (*c == '\n') ends_.push_back(c - at->begin());
      ends_.push_back(at->end() - at->begin());
    }
    const auto before = std::ranges::lower_bound(ends_, at->first() - at->begin());
    return static_cast<int>(before - ends_.begin()) + 1;
  }

 private:
  std::vector<std::ptrdiff_t> ends_;  ///< the ends of the lines
};

Error syntax(const ::toml::syntax_error& error, const std::string& file) {
  const std::string what = error.what();
  return {Errc::invalid, what.substr(0, what.find('\n')), 0, file,
          static_cast<int>(error.location().line())};
}

#endif

/// toml11 puts the failed function in front of its message: "[error] toml::parse_table: ...".
std::string plain(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  if (text.starts_with("[error]")) text = trim(text.substr(7));
  if (text.starts_with("toml::")) {
    const auto end = text.find(": ");
    if (end != std::string_view::npos) text = text.substr(end + 2);
  }
  std::string out = "this is not valid TOML: ";
  std::ranges::copy_if(text, std::back_inserter(out),
                       [](char c) { return !is_control_character(c); });
  return out;
}

class Converter {
 public:
  explicit Converter(const std::string& file) : file_(file) {}

  Result<Node> convert(const ::toml::value& value, int parent_line) {
    Node node;
    const int line = lines_.of(value);
    node.origin = {file_, line > 0 ? line : parent_line};
    if (value.is_table()) {
      TRY(convert_table(::toml::get<::toml::table>(value), node));
    } else if (value.is_array()) {
      node.kind = Node::Kind::array;
      for (const ::toml::value& item : ::toml::get<::toml::array>(value)) {
        TRY_ASSIGN(Node converted, convert(item, node.origin.line));
        node.items.push_back(std::move(converted));
      }
    } else if (value.is_string()) {
      node.kind = Node::Kind::string;
      node.text = ::toml::get<std::string>(value);
      TRY(check_text(node.text, node.origin));
    } else if (value.is_integer()) {
      node.kind = Node::Kind::integer;
      node.integer = ::toml::get<std::int64_t>(value);
    } else if (value.is_floating()) {
      node.kind = Node::Kind::floating;
      node.floating = ::toml::get<double>(value);
      // A number above the range of a double is an error in 4.x and the largest double in 3.7.
      if (!(std::abs(node.floating) < 1e300)) {
        return fail_at(node.origin, "the number is not finite or too large");
      }
    } else if (value.is_boolean()) {
      node.kind = Node::Kind::boolean;
      node.boolean = ::toml::get<bool>(value);
    } else {
      return fail_at(node.origin, "dates and times are not supported; use a string");
    }
    return node;
  }

 private:
  Result<> convert_table(const ::toml::table& table, Node& node) {
    for (const auto& [key, value] : table) {
      TRY_ASSIGN(Node converted, convert(value, node.origin.line));
      if (has_control_characters(key)) {
        return fail_at(converted.origin,
                       cat("the key \"", printable(key), "\" contains control characters"));
      }
      node.entries.emplace_back(key, std::move(converted));
    }
    // toml11 keeps tables in hash order.
    std::ranges::sort(node.entries, [](const auto& left, const auto& right) {
      return std::pair(left.second.origin.line, std::string_view(left.first)) <
             std::pair(right.second.origin.line, std::string_view(right.first));
    });
    return {};
  }

  /// Escapes such as \u0000 become bytes that the guard could not see. Newlines and tabs are
  /// allowed in file contents; other users of strings check for them.
  static Result<> check_text(std::string_view text, const Origin& origin) {
    const bool bad = std::ranges::any_of(
        text, [](char c) { return c != '\n' && c != '\t' && is_control_character(c); });
    if (!bad) return {};
    return fail_at(origin, cat("the string \"", printable(text.substr(0, 80)),
                               "\" contains control characters"));
  }

  const std::string& file_;
  Lines lines_;
};

}  // namespace

Result<Node> parse_toml(std::string_view text, const std::string& file) {
  TRY(guard(text, file));
  try {
    std::istringstream stream{std::string(text)};
    return Converter(file).convert(::toml::parse(stream, file), 1);
  } catch (const ::toml::syntax_error& error) {
    Error out = syntax(error, file);
    out.text = plain(out.text);
    return fail(std::move(out));
  } catch (const std::exception& error) {
    return fail_at({file, 0}, plain(error.what()));
  }
}

}  // namespace nettune::toml
