// SPDX-License-Identifier: Apache-2.0
#include "profile/expand.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::profile {
namespace {

constexpr std::size_t kMaxExpandedBytes = 256 * std::size_t{1024};

/// A piece of a text: literal, or the part between "${" and "}".
struct Piece {
  bool is_reference = false;
  std::string_view text;
};

Result<std::vector<Piece>> pieces_of(std::string_view text, const Origin& origin) {
  std::vector<Piece> pieces;
  while (!text.empty()) {
    const std::size_t begin = text.find("${");
    if (begin != 0) pieces.push_back({false, text.substr(0, begin)});
    if (begin == std::string_view::npos) break;
    if (begin > 0 && text[begin - 1] == '$') {
      return toml::fail_at(origin, cat("'", printable(text.substr(0, 80)),
                                       "' contains $${; a literal ${ cannot be written here"));
    }
    const std::size_t end = text.find('}', begin);
    if (end == std::string_view::npos) {
      return toml::fail_at(
          origin, cat("'", printable(text.substr(begin, 80)), "': ${ without a closing }"));
    }
    pieces.push_back({true, text.substr(begin + 2, end - begin - 2)});
    text.remove_prefix(end + 1);
  }
  return pieces;
}

std::string text_of(const toml::Node& node) {
  return node.is(toml::Node::Kind::string) ? node.text : toml::shown(node);
}

std::vector<std::string> set_names(const DeviceSets& sets) {
  std::vector<std::string> names;
  for (const auto& [name, set] : sets) names.push_back(name);
  return names;
}

}  // namespace

Result<const DeviceSet*> Expander::set(const std::string& name, const Origin& origin) const {
  if (sets_ == nullptr) {
    return toml::fail_at(origin,
                         cat("${", printable(name), "...}: a device set cannot be used here"));
  }
  const auto found = sets_->find(name);
  if (found != sets_->end()) return &found->second;
  const std::vector<std::string> names = set_names(*sets_);
  return toml::fail_at(origin, cat("there is no device set \"", printable(name), "\"",
                                   toml::did_you_mean(name, names), "; define it as [devices.",
                                   printable(name), "]"));
}

Result<toml::Node> Expander::variable(std::string_view name, const Origin& origin) const {
  const auto found = variables_.find(std::string(name));
  if (found == variables_.end()) {
    std::vector<std::string> names;
    for (const auto& [known, value] : variables_) names.push_back(known);
    return toml::fail_at(origin, cat("${", printable(name), "}: unknown variable",
                                     toml::did_you_mean(name, names), "; define it in [vars]"));
  }
  if (found->second) return *found->second;
  return toml::fail_at(origin, cat("the variable ", name, " has no value; set it with --set ", name,
                                   "=... or in [vars] of /etc/nettune/site.toml"));
}

Result<toml::Node> Expander::property(std::string_view name, const Origin& origin,
                                      Expanded& notes) const {
  static const std::vector<std::string> kProperties = {
      "names", "hcas", "count", "max_speed_gbps", "gid_index", "traffic_class"};
  const std::size_t dot = name.find('.');
  const std::string which(name.substr(dot + 1));
  TRY_ASSIGN(const DeviceSet* const from, set(std::string(name.substr(0, dot)), origin));
  if (which == "each") {
    return toml::fail_at(origin,
                         cat("${", printable(name), "} can be used only in the name of a sysctl"));
  }
  if (std::ranges::find(kProperties, which) == kProperties.end()) {
    return toml::fail_at(origin, cat("${", printable(name), "}: a device set has no property \"",
                                     printable(which), "\"", toml::did_you_mean(which, kProperties),
                                     "; it has: ", join(kProperties, ", ")));
  }
  toml::Node value = toml::Node::string("", origin);
  if (which == "traffic_class") {
    if (!from->traffic_class)
      return toml::fail_at(origin, cat("${", printable(name), "}: the profile has no [lossless.",
                                       from->name, "]; add one"));
    value.kind = toml::Node::Kind::integer;
    value.integer = *from->traffic_class;
    return value;
  }
  notes.of_this_node = true;
  if (which == "names" || which == "hcas") {
    value.text = which == "names" ? names_of(*from) : hcas_of(*from, facts_);
    if (value.text.empty()) notes.empty_sets.push_back(from->name);
    return value;
  }
  value.kind = toml::Node::Kind::integer;
  if (which == "gid_index") {
    const auto index = gid_index_of(*from);
    if (!index) notes.disagree = cat("${", printable(name), "}: ", index.error().text);
    if (index && !*index) notes.empty_sets.push_back(from->name);
    value.integer = index ? index->value_or(0) : 0;
    return value;
  }
  value.integer = which == "count" ? static_cast<std::int64_t>(from->of_rdma ? from->ports.size()
                                                                             : from->members.size())
                                   : max_speed_gbps_of(*from, facts_);
  if (which != "count" && value.integer == 0) notes.empty_sets.push_back(from->name);
  return value;
}

Result<toml::Node> Expander::reference(std::string_view name, const Origin& origin,
                                       Expanded& notes) const {
  return name.find('.') == std::string_view::npos ? variable(name, origin)
                                                  : property(name, origin, notes);
}

Result<> Expander::expand_into(const toml::Node& node, toml::Node& out, Expanded& notes) const {
  if (node.is(toml::Node::Kind::string)) {
    TRY_ASSIGN(const auto pieces, pieces_of(node.text, node.origin));
    if (pieces.size() == 1 && pieces[0].is_reference) {
      TRY_ASSIGN(out, reference(pieces[0].text, node.origin, notes));
      out.origin = node.origin;
      return {};
    }
    out = toml::Node::string("", node.origin);
    for (const Piece& piece : pieces) {
      if (!piece.is_reference) {
        out.text += piece.text;
        continue;
      }
      TRY_ASSIGN(const toml::Node value, reference(piece.text, node.origin, notes));
      out.text += text_of(value);
      if (out.text.size() > kMaxExpandedBytes) {
        return toml::fail_at(node.origin, "the text is too long with its variables inserted");
      }
    }
    return {};
  }
  out = node;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    TRY(expand_into(node.items[i], out.items[i], notes));
  }
  for (std::size_t i = 0; i < node.entries.size(); ++i) {
    TRY(expand_into(node.entries[i].second, out.entries[i].second, notes));
  }
  return {};
}

Result<Expanded> Expander::expand(const toml::Node& node) const {
  Expanded expanded;
  toml::Node out;
  TRY(expand_into(node, out, expanded));
  expanded.node = std::move(out);
  return expanded;
}

Result<EachKeys> Expander::expand_key(const std::string& key, const Origin& origin) const {
  TRY_ASSIGN(const auto pieces, pieces_of(key, origin));
  const DeviceSet* each = nullptr;
  for (const Piece& piece : pieces) {
    if (!piece.is_reference || !piece.text.ends_with(".each")) continue;
    const std::string name(piece.text.substr(0, piece.text.size() - 5));
    TRY_ASSIGN(const DeviceSet* const named, set(name, origin));
    if (each != nullptr && each != named) {
      return toml::fail_at(origin, cat(key, " uses two device sets; use only one"));
    }
    each = named;
  }
  EachKeys out;
  std::vector<const facts::NetDevice*> devices = {nullptr};
  if (each != nullptr) {
    devices = each->members;
    if (devices.empty()) out.empty_set = each->name;
  }
  for (const facts::NetDevice* const device : devices) {
    std::string text;
    for (const Piece& piece : pieces) {
      if (!piece.is_reference) {
        text += piece.text;
      } else if (device != nullptr && piece.text.ends_with(".each")) {
        // In a key with dots as separators, a dot inside a name is written as a slash.
        std::string name = device->name;
        std::ranges::replace(name, '.', '/');
        text += name;
      } else {
        Expanded unused;
        TRY_ASSIGN(const toml::Node value, reference(piece.text, origin, unused));
        text += text_of(value);
      }
    }
    out.keys.push_back({std::move(text), device});
  }
  return out;
}

}  // namespace nettune::profile
