// SPDX-License-Identifier: Apache-2.0
#include "toml/value.hpp"

#include <algorithm>
#include <sstream>

#include "base/text.hpp"

namespace nettune::toml {

Node::Node() = default;
Node::Node(const Node&) = default;
Node::Node(Node&&) noexcept = default;
Node& Node::operator=(const Node&) = default;
Node& Node::operator=(Node&&) noexcept = default;
Node::~Node() = default;

const Node* Node::find(std::string_view key) const {
  for (const auto& [name, node] : entries) {
    if (name == key) return &node;
  }
  return nullptr;
}

bool Node::flag(std::string_view key) const {
  const Node* const node = find(key);
  return node != nullptr && node->boolean;
}

bool Node::same_value(const Node& other) const {
  if (kind != other.kind) return false;
  switch (kind) {
    case Kind::string:
      return text == other.text;
    case Kind::integer:
      return integer == other.integer;
    case Kind::floating:
      return floating == other.floating;
    case Kind::boolean:
      return boolean == other.boolean;
    case Kind::array:
      return std::ranges::equal(items, other.items, [](const Node& left, const Node& right) {
        return left.same_value(right);
      });
    case Kind::table:
      return entries.size() == other.entries.size() &&
             std::ranges::all_of(entries, [&](const auto& entry) {
               const Node* const twin = other.find(entry.first);
               return twin != nullptr && entry.second.same_value(*twin);
             });
  }
  return false;
}

Node Node::string(std::string text, Origin origin) {
  Node node;
  node.kind = Kind::string;
  node.text = std::move(text);
  node.origin = std::move(origin);
  return node;
}

Node Node::number(std::int64_t value) {
  Node node;
  node.kind = Kind::integer;
  node.integer = value;
  return node;
}

std::string_view kind_text(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::table:
      return "a table";
    case Node::Kind::array:
      return "a list";
    case Node::Kind::string:
      return "a string";
    case Node::Kind::integer:
      return "an integer";
    case Node::Kind::floating:
      return "a number with a fraction";
    case Node::Kind::boolean:
      return "a boolean";
  }
  return "";
}

std::string shown(const Node& node) {
  std::string out;
  switch (node.kind) {
    case Node::Kind::string:
      return printable(node.text);
    case Node::Kind::integer:
      return std::to_string(node.integer);
    case Node::Kind::floating: {
      std::ostringstream stream;
      stream << node.floating;
      return stream.str();
    }
    case Node::Kind::boolean:
      return node.boolean ? "true" : "false";
    case Node::Kind::array:
      for (const Node& item : node.items) out += cat(out.empty() ? "" : ", ", shown(item));
      return cat('[', out, ']');
    case Node::Kind::table:
      for (const auto& [key, value] : node.entries) {
        out += cat(out.empty() ? "" : ", ", printable(key), " = ", shown(value));
      }
      return cat('{', out, '}');
  }
  return out;
}

namespace {

std::string quoted_toml(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += cat('\\', c);
    else if (byte < 0x20 || byte == 0x7F)
      out += cat("\\u00", kHex[byte >> 4U], kHex[byte & 15U]);
    else
      out += c;
  }
  return out + '"';
}

}  // namespace

std::string toml_key(std::string_view key) {
  const bool is_bare = !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
  return is_bare ? std::string(key) : quoted_toml(key);
}

std::string toml_text(const Node& node) {
  if (node.is(Node::Kind::string)) return quoted_toml(node.text);
  std::string out;
  if (node.is(Node::Kind::array)) {
    for (const Node& item : node.items) out += cat(out.empty() ? "" : ", ", toml_text(item));
    return cat('[', out, ']');
  }
  if (node.is(Node::Kind::table)) {
    for (const auto& [key, value] : node.entries)
      out += cat(out.empty() ? " " : ", ", toml_key(key), " = ", toml_text(value));
    return cat('{', out, " }");
  }
  return shown(node);
}

Failure fail_at(const Origin& origin, std::string text, Errc code) {
  return fail(Error{code, std::move(text), 0, origin.file, origin.line});
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const auto found = nearest(word, candidates);
  return found ? cat(" (did you mean \"", *found, "\"?)") : std::string();
}

}  // namespace nettune::toml
