// SPDX-License-Identifier: Apache-2.0
//
// Kubernetes manifests and compose files come as templates, too (Helm), which no YAML library
// takes. What sets a variable stands on a line or two, so lines are read, and what is not
// understood is passed over.
#include <algorithm>

#include "base/text.hpp"
#include "nccl/assignments.hpp"

namespace nettune::nccl {
namespace {

struct Scalar {
  std::string text;
  bool computed = false;
};

/// A scalar behind "key:", its quotes and comment taken off.
Scalar scalar_of(std::string_view raw) {
  std::string_view text = trim(raw);
  Scalar scalar;
  if (!text.empty() && (text[0] == '"' || text[0] == '\'')) {
    const char quote = text[0];
    for (std::size_t i = 1; i < text.size(); ++i) {
      if (quote == '"' && text[i] == '\\' && i + 1 < text.size()) {
        scalar.text += text[++i];
        continue;
      }
      if (text[i] == quote) {
        if (quote != '\'' || i + 1 >= text.size() || text[i + 1] != '\'') break;
        ++i;
      }
      scalar.text += text[i];
    }
  } else {
    scalar.text = trim(text.substr(0, std::min(text.find(" #"), text.size())));
  }
  scalar.computed = scalar.text.find("{{") != std::string::npos ||
                    scalar.text.find("$(") != std::string::npos ||
                    scalar.text.find("${") != std::string::npos;
  return scalar;
}

/// What stands behind `key:`, where the line is that of this key.
std::optional<std::string_view> behind(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return {};
  line.remove_prefix(key.size());
  if (!line.starts_with(':')) return {};
  line.remove_prefix(1);
  if (!line.empty() && line[0] != ' ') return {};
  return line;
}

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  std::vector<Assignment> read(std::string_view text) {
    for (std::string_view line : split(text, '\n')) {
      ++line_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      take(trim(line));
    }
    return std::move(found_);
  }

 private:
  void add(std::string name, Scalar scalar) {
    found_.push_back(
        {std::move(name), std::move(scalar.text), file_, line_, Kind::yaml, scalar.computed});
  }

  void take(std::string_view line) {
    if (line.starts_with('#')) return;
    const bool item = line.starts_with("- ");
    if (item) {
      pending_.clear();
      line = trim(line.substr(2));
    }
    if (line.starts_with('{')) return take_flow(line);
    if (const auto name = behind(line, "name")) {
      pending_ = scalar_of(*name).text;
    } else if (const auto value = behind(line, "value")) {
      if (!pending_.empty()) add(pending_, scalar_of(*value));
      pending_.clear();
    } else if (!take_mapping(line) && line.find("NCCL_") != line.npos) {
      take_command(line, item);
    }
  }

  /// {name: NCCL_DEBUG, value: "INFO"}
  void take_flow(std::string_view line) {
    const std::size_t name = line.find("name:");
    const std::size_t value = line.find("value:");
    if (name == line.npos || value == line.npos || value < name) return;
    const std::string_view first = line.substr(name + 5, line.find(',', name) - name - 5);
    std::string_view second = trim(line.substr(value + 6));
    if (second.ends_with('}')) second.remove_suffix(1);
    if (is_variable_name(scalar_of(first).text)) add(scalar_of(first).text, scalar_of(second));
  }

  /// NCCL_DEBUG: "INFO" of a ConfigMap or of compose's environment.
  bool take_mapping(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos || (colon + 1 < line.size() && line[colon + 1] != ' ')) return false;
    const std::string name = scalar_of(line.substr(0, colon)).text;
    // Upper case alone: "image:" and its like are names as well.
    const bool upper = std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
    if (!is_variable_name(name) || !upper) return false;
    add(name, scalar_of(line.substr(colon + 1)));
    return true;
  }

  /// A line of a script, or "- NCCL_DEBUG=INFO" of compose, of which the whole is the value.
  void take_command(std::string_view line, bool item) {
    const std::string text = scalar_of(line).text;
    const std::size_t equals = text.find('=');
    if (item && equals != std::string::npos && is_variable_name(text.substr(0, equals))) {
      add(text.substr(0, equals), {text.substr(equals + 1), text.find("${") != std::string::npos});
      return;
    }
    for (Assignment& one : read_shell(text, file_)) {
      one.line = line_;
      found_.push_back(std::move(one));
    }
  }

  std::string file_;
  int line_ = 0;
  std::string pending_;  ///< the name that waits for its value
  std::vector<Assignment> found_;
};

}  // namespace

std::vector<Assignment> read_yaml(std::string_view text, const std::string& file) {
  return Reader(file).read(text);
}

}  // namespace nettune::nccl
