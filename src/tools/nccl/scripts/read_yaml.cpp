// SPDX-License-Identifier: Apache-2.0
//
// Kubernetes manifests (YAML or JSON) and compose files can also be templates (Helm), which no YAML
// library reads. An assignment takes a line or two, so lines are read. A block after | or > is read
// as the file that it is. What is not understood is skipped.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "tools/nccl/scripts/assignments.hpp"

namespace nettune::tools::nccl::scripts {
namespace {

/// A manifest may hold a manifest.
constexpr int kMaxNesting = 4;

struct Scalar {
  std::string text;
  bool computed = false;
  bool null = false;     ///< nothing, null or ~: what the variable is then says who reads the file
  bool boolean = false;  ///< true or false without quotes
};

/// Whether Helm, Kubernetes or compose would replace a part of the text.
bool has_template(std::string_view text) {
  return text.find("{{") != text.npos || text.find("$(") != text.npos ||
         text.find("${") != text.npos;
}

/// The scalar after "key:", without quotes and comment.
Scalar scalar_of(std::string_view raw) {
  std::string_view text = trim(raw);
  Scalar scalar;
  if (text.empty() || text[0] == '#') {
    scalar.null = true;
    return scalar;
  }
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
    scalar.null = scalar.text == "~" || scalar.text == "null" || scalar.text == "Null" ||
                  scalar.text == "NULL";
    const std::string word = lower(scalar.text);
    scalar.boolean = word == "true" || word == "false";
  }
  scalar.computed = has_template(scalar.text);
  return scalar;
}

/// The text after `key:`, if the line has this key, quoted or not.
std::optional<std::string_view> behind(std::string_view line, std::string_view key) {
  const bool quoted = line.starts_with('"');
  if (quoted) line.remove_prefix(1);
  if (!line.starts_with(key)) return {};
  line.remove_prefix(key.size());
  if (quoted && !line.starts_with('"')) return {};
  if (quoted) line.remove_prefix(1);
  if (!line.starts_with(':')) return {};
  line.remove_prefix(1);
  if (!line.empty() && line[0] != ' ' && !quoted) return {};
  return line;
}

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

/// A text of several lines after `key: |` or `- >-`.
struct Block {
  std::string_view key;  ///< "" for an item of a list
  bool folded = false;   ///< '>': its lines are one
};

/// The block that this line, which is trimmed, opens.
std::optional<Block> block_of(std::string_view line) {
  while (line.starts_with("- ")) line = trim(line.substr(2));
  const std::size_t mark = line.find_last_of("|>");
  if (mark == line.npos || line.find_first_not_of("+-0123456789", mark + 1) != line.npos) return {};
  const std::string_view before = trim(line.substr(0, mark));
  if (mark != 0 && (line[mark - 1] != ' ' || !before.ends_with(':'))) return {};
  return Block{before.substr(0, before.size() - (before.empty() ? 0 : 1)), line[mark] == '>'};
}

/// What people read: of a form on GitHub, of the schema of an object.
constexpr std::array<std::string_view, 6> kProse = {"description", "placeholder", "label",
                                                    "title",       "summary",     "about"};

/// The text without the ';' that ends each of its lines, as an action of a workflow splits a list
/// of variables; all of it where a line has none.
std::string without_ends(const std::string& text) {
  std::string list;
  for (std::string_view line : split(text, '\n')) {
    line = trim(line);
    const bool says_something = !line.empty() && line[0] != '#';
    if (says_something && !line.ends_with(';')) return text;
    if (says_something) line.remove_suffix(1);
    list += cat(line, "\n");
  }
  return list;
}

class YamlReader {
 public:
  explicit YamlReader(std::string file, int depth) : file_(std::move(file)), depth_(depth) {}

  std::vector<Assignment> read(std::string_view text) {
    const std::vector<std::string_view> lines = split(text, '\n');
    for (std::size_t i = 0; i < lines.size(); ++i) {
      line_ = static_cast<int>(i) + 1;
      const std::string_view line = trim(lines[i]);
      const auto block = line.starts_with('#') ? std::nullopt : block_of(line);
      const std::size_t outer = indent_of(lines[i]);
      if (!line.empty() && !line.starts_with('#')) enter(line, outer);
      if (!block) {
        take(line);
        continue;
      }
      std::size_t end = i + 1;
      while (end < lines.size() && (trim(lines[end]).empty() || indent_of(lines[end]) > outer))
        ++end;
      take_block(line, *block, std::span(lines).subspan(i + 1, end - i - 1));
      i = end - 1;
    }
    return std::move(found_);
  }
  /// Lines that read() did not understand.
  std::vector<UnreadLine>& unread() { return unread_; }

 private:
  void add(std::string name, Scalar scalar) {
    if (scalar.null) return;
    found_.push_back(
        {std::move(name), std::move(scalar.text), file_, line_, Kind::yaml, scalar.computed});
  }

  /// Keeps the keys above the line.
  void enter(std::string_view line, std::size_t indent) {
    while (!parents_.empty() && parents_.back().first >= indent) parents_.pop_back();
    const std::size_t colon = line.find(':');
    if (colon == line.npos) return;
    // A comment, an anchor or a tag may follow.
    const std::string_view rest = trim(line.substr(colon + 1));
    const bool opens = rest.empty() || rest[0] == '#' || rest[0] == '&' || rest[0] == '!';
    if (opens) parents_.emplace_back(indent, lower(scalar_of(line.substr(0, colon)).text));
  }

  /// It stands below keys that are none of an environment.
  bool is_of_program() const {
    return !parents_.empty() && std::ranges::none_of(parents_, [](const auto& parent) {
      return std::ranges::any_of(
          std::array<std::string_view, 5>{"env", "data", "var", "export", "nccl"},
          [&](std::string_view word) { return parent.second.find(word) != std::string::npos; });
    });
  }

  /// What people read, alone in its line.
  static bool is_prose(std::string_view line) {
    if (line.starts_with("- ")) line = trim(line.substr(2));
    return line.find("\", \"") == line.npos &&
           std::ranges::any_of(kProse, [&](auto key) { return behind(line, key).has_value(); });
  }

  void take(std::string_view line) {
    if (line.starts_with('#')) return;
    if (is_prose(line)) return;
    take_reference(line);
    const bool item = line.starts_with("- ");
    if (item || line.starts_with('{') || line.starts_with('}')) forget();
    if (item) line = trim(line.substr(2));
    if (line.find('{') != line.npos && take_flows(line)) return;
    if (const auto name = behind(line, "name")) {
      take_name(scalar_of(*name).text);
    } else if (const auto value = behind(line, "value")) {
      take_value(scalar_of(*value));
    } else if (behind(line, "valueFrom")) {
      take_value({"", true});
    } else if (!take_mapping(line) && line.find("NCCL_") != line.npos) {
      take_command(line, item);
    }
  }

  /// Notes a reference to a file or an object with variables that is not here.
  void take_reference(std::string_view line) {
    if (line.starts_with("- ")) line = trim(line.substr(2));
    if (behind(line, "envFrom"))
      unread_.push_back(
          unread_line(file_, line_, line, "the variables of another object, which is not read"));
    if (behind(line, "env_file"))
      unread_.push_back(unread_line(file_, line_, line, "another file, which is not read"));
  }

  void forget() {
    pending_.clear();
    pending_value_.reset();
  }

  /// A name and its value may come in either order.
  void take_name(const std::string& name) {
    pending_ = name;
    if (!pending_value_) return;
    add(pending_, *pending_value_);
    forget();
  }

  void take_value(Scalar value) {
    if (pending_.empty()) {
      pending_value_ = std::move(value);
      return;
    }
    add(pending_, std::move(value));
    forget();
  }

  /// Reads all {name: NCCL_DEBUG, value: "INFO"} of a line; false for none.
  bool take_flows(std::string_view line) {
    bool any = false;
    // {{ ... }} of Helm is a value.
    const bool one = line.find("{{") != line.npos;
    for (std::string_view part : split(line.substr(line.find('{') + 1), one ? '\n' : '{')) {
      if (const std::size_t end = part.rfind('}'); end != part.npos) part = part.substr(0, end);
      std::string name;
      std::optional<Scalar> value;
      for (const std::string_view member : members_of(part)) {
        if (const auto text = behind(member, "name")) name = scalar_of(*text).text;
        if (const auto text = behind(member, "value")) value = scalar_of(*text);
      }
      if (!value || !is_variable_name(name)) continue;
      any = true;
      add(name, *value);
    }
    return any;
  }

  /// Splits at unquoted commas.
  static std::vector<std::string_view> members_of(std::string_view text) {
    std::vector<std::string_view> members;
    char quote = '\0';
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      const char c = i < text.size() ? text[i] : ',';
      if (quote != '\0' && i < text.size()) {
        if (c == quote) quote = '\0';
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == ',') {
        members.push_back(trim(text.substr(begin, i - begin)));
        begin = i + 1;
      }
    }
    return members;
  }

  /// The file of a ConfigMap, a script, or a value of several lines.
  void take_block(std::string_view line, const Block& block,
                  std::span<const std::string_view> lines) {
    if (line.starts_with("- ")) forget();
    const std::string key = scalar_of(block.key).text;
    std::size_t indent = std::string::npos;
    for (const std::string_view one : lines)
      if (!trim(one).empty()) indent = std::min(indent, indent_of(one));
    std::string text;
    for (const std::string_view one : lines)
      text += cat(one.substr(std::min(indent, one.size())), block.folded ? " " : "\n");
    const bool is_value = key == "value";
    if (is_value || (is_variable_name(key) && key.find("NCCL_") != key.npos)) {
      const Scalar scalar{std::string(trim(text)), has_template(text)};
      if (is_value) return take_value(scalar);
      return add(key, scalar);
    }
    if (std::ranges::find(kProse, key) != kProse.end()) return;
    read_block(key, text);
  }

  void read_block(const std::string& key, const std::string& text) {
    if (depth_ >= kMaxNesting) return;
    // A key with a dot is the name of a file, which somebody reads as it is.
    const std::string list = key.find('.') == key.npos ? without_ends(text) : text;
    Kind kind = key.empty() ? Kind::shell : guess_kind(key, list);
    if (text.find("- name:") != std::string::npos) kind = Kind::yaml;
    std::vector<Assignment> inner;
    std::vector<UnreadLine> unread;
    if (kind == Kind::yaml) {
      YamlReader reader(file_, depth_ + 1);
      inner = reader.read(text);
      unread = std::move(reader.unread());
    } else if (auto read =
                   read_assignments(kind, kind == Kind::env_file ? list : text, file_, &unread)) {
      inner = std::move(*read);
    }
    for (UnreadLine& one : unread) {
      one.line += line_;
      unread_.push_back(std::move(one));
    }
    for (Assignment& one : inner) {
      one.line += line_;
      if (one.command > 0) one.command += line_;
      if (kind == Kind::env_file) one.computed = one.computed || has_template(one.value);
      found_.push_back(std::move(one));
    }
  }

  /// NCCL_DEBUG: "INFO" of a ConfigMap or of compose's environment.
  bool take_mapping(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos || (colon + 1 < line.size() && line[colon + 1] != ' ')) return false;
    const std::string name = scalar_of(line.substr(0, colon)).text;
    // Only upper case: "image:" and the like would also be names.
    const bool upper = std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
    if (!is_variable_name(name) || !upper) return false;
    // Who starts a program refuses a boolean as a variable (compose, Kubernetes).
    const Scalar scalar = scalar_of(line.substr(colon + 1));
    if (!scalar.boolean || !is_of_program())
      add(name, scalar);
    else if (name.starts_with("NCCL_"))
      unread_.push_back(
          unread_line(file_, line_, line,
                      "true or false without quotes: a setting that the program has itself?"));
    return true;
  }

  /// A line of a script, or "- NCCL_DEBUG=INFO" of compose, where the whole rest is the value.
  void take_command(std::string_view line, bool item) {
    const std::string text = scalar_of(line).text;
    const std::size_t equals = text.find('=');
    if (item && equals != std::string::npos && is_variable_name(text.substr(0, equals))) {
      add(text.substr(0, equals), {text.substr(equals + 1), text.find("${") != std::string::npos});
      return;
    }
    for (Assignment& one : read_shell(text, file_)) {
      one.line = line_;
      if (one.command > 0) one.command = line_;
      found_.push_back(std::move(one));
    }
  }

  std::string file_;
  int line_ = 0;
  int depth_;
  std::vector<std::pair<std::size_t, std::string>> parents_;  ///< indent and key
  std::string pending_;                                       ///< a name that waits for its value
  std::optional<Scalar> pending_value_;                       ///< a value that waits for its name
  std::vector<Assignment> found_;
  std::vector<UnreadLine> unread_;
};

}  // namespace

std::vector<Assignment> read_yaml(std::string_view text, const std::string& file,
                                  std::vector<UnreadLine>* unread) {
  YamlReader reader(file, 0);
  std::vector<Assignment> found = reader.read(text);
  if (unread) std::ranges::move(reader.unread(), std::back_inserter(*unread));
  return found;
}

}  // namespace nettune::tools::nccl::scripts
