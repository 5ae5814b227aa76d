// SPDX-License-Identifier: Apache-2.0
#include "intake/defaults.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "intake/defaults_text.hpp"
#include "toml/load.hpp"

namespace nettune::intake {
namespace {

using toml::Node;

Result<Default> read_default(const Node& entry) {
  Default read;
  for (const auto& [key, value] : entry.entries) {
    if (key == "values" && value.is(Node::Kind::array)) {
      for (const Node& item : value.items) read.values.push_back(item.text);
      continue;
    }
    std::string* const member = key == "address"      ? &read.address
                                : key == "made_from"  ? &read.made_from
                                : key == "link_layer" ? &read.link_layer
                                : key == "source"     ? &read.source
                                                      : nullptr;
    if (member == nullptr || !value.is(Node::Kind::string))
      return toml::fail_at(value.origin, cat("a default cannot have this ", printable(key)));
    *member = value.text;
  }
  if (read.address.empty() || read.source.empty())
    return toml::fail_at(entry.origin, "a default needs address and source");
  if (read.values.empty() == read.made_from.empty())
    return toml::fail_at(entry.origin, "a default needs either values or made_from");
  return read;
}

}  // namespace

bool Default::has(std::string_view value) const {
  return std::ranges::find(values, value) != values.end();
}

Result<Defaults> Defaults::parse(std::string_view text, const std::string& file) {
  TRY_ASSIGN(const Node root, toml::parse_toml(text, file));
  const Node* const entries = root.find("default");
  if (entries == nullptr || !entries->is(Node::Kind::array))
    return toml::fail_at(root.origin, "the catalogue has no [[default]]");
  Defaults defaults;
  if (const Node* const files = root.find("debian_files"))
    for (const Node& each : files->items) defaults.debian_files_.push_back(each.text);
  for (const Node& entry : entries->items) {
    TRY_ASSIGN(Default read, read_default(entry));
    defaults.all_.push_back(std::move(read));
  }
  return defaults;
}

const Defaults& Defaults::shipped() {
  static const Defaults kShipped =
      parse(kDefaultsCatalogue, "catalog/defaults.toml").value_or(Defaults());
  return kShipped;
}

const Default* Defaults::find(const Address& address, std::string_view link_layer) const {
  const auto found = std::ranges::find_if(all_, [&](const Default& each) {
    return (each.link_layer.empty() || each.link_layer == link_layer) &&
           glob_match(each.address, address.text);
  });
  return found == all_.end() ? nullptr : &*found;
}

bool Defaults::is_of_debian(std::string_view file) const {
  return std::ranges::find(debian_files_, file) != debian_files_.end();
}

}  // namespace nettune::intake
