// SPDX-License-Identifier: Apache-2.0
#include "profile/device_match.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.hpp"

namespace nettune::profile {
namespace {

struct Require {
  std::string relation;
  std::int64_t count = 0;

  bool holds(std::int64_t actual) const {
    if (relation == ">=") return actual >= count;
    return relation == "<=" ? actual <= count : actual == count;
  }
};

Result<Require> parse_require(const toml::Node& node) {
  const std::string_view text = trim(node.text);
  Require require{std::string(text.substr(0, 2)), 0};
  const bool known =
      require.relation == ">=" || require.relation == "<=" || require.relation == "==";
  const auto count = parse_int(known ? trim(text.substr(2)) : text);
  if (!known || !count || *count < 0) {
    return toml::fail_at(node.origin, cat("require is \"", printable(node.text),
                                          R"("; write it like ">= 1", "== 2" or "<= 4")"));
  }
  require.count = *count;
  return require;
}

constexpr std::string_view kOfBoth = "driver link_layer protected pci_id pci_address name";
constexpr std::string_view kOfRdma = "rate_gbps virtual_function";

bool has_word(std::string_view list, std::string_view word) {
  const auto all = words(list);
  return std::ranges::find(all, word) != all.end();
}

}  // namespace

Result<> check_keys_of_set(const std::string& name, const toml::Node& set) {
  const toml::Node* const of = set.find("of");
  const bool rdma = of != nullptr && of->text == "rdma";
  const auto refuse = [&](const toml::Node& value, std::string_view key) {
    return toml::fail_at(value.origin, cat("[devices.", name, "] ", key, " applies only to ",
                                           rdma ? "interfaces, but this set has RDMA ports"
                                                : "RDMA ports; add of = \"rdma\" to the set"));
  };
  for (const std::string_view table : {"match", "except"}) {
    const toml::Node* const keys = set.find(table);
    if (keys == nullptr) continue;
    for (const auto& [key, value] : keys->entries)
      if (rdma ? !has_word(kOfBoth, key) && !has_word(kOfRdma, key) : has_word(kOfRdma, key))
        return refuse(value, key);
  }
  for (const std::string_view key : {"pick", "fallback"})
    if (const toml::Node* const value = set.find(key); rdma && value != nullptr)
      return refuse(*value, key);
  return {};
}

std::vector<std::string> texts(const toml::Node& node) {
  std::vector<std::string> out;
  if (node.is(toml::Node::Kind::string)) out.push_back(node.text);
  for (const toml::Node& item : node.items) out.push_back(item.text);
  return out;
}

std::optional<std::string> text_mismatch(const std::string& key, const toml::Node& wanted,
                                         const std::string& actual) {
  const bool glob = key == "name" || key == "pci_address";
  for (const std::string& text : texts(wanted)) {
    // A PCI address glob matches PCI devices only: "*" does not match a device without an address.
    if (glob ? !actual.empty() && glob_match(text, actual) : text == actual) return {};
  }
  if (key == "name") return "has another name";
  return actual.empty() ? cat("has no ", key) : cat("has ", key, " ", actual);
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-@").find(c) != std::string_view::npos;
  });
}

std::string near_misses(const std::vector<Rejected>& rejected) {
  constexpr std::size_t kShown = 4;
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const Rejected& device : rejected) {
    auto found =
        std::ranges::find(by_reason, device.why, [](const auto& each) { return each.first; });
    if (found == by_reason.end()) found = by_reason.insert(found, {device.why, {}});
    found->second.push_back(device.name);
  }
  if (by_reason.empty()) return "there are no devices";
  if (by_reason.size() == 1 && rejected.size() > 1) return cat("each ", by_reason.front().first);
  std::vector<std::string> parts;
  for (auto& [why, names] : by_reason) {
    const std::size_t more = names.size() > kShown ? names.size() - kShown : 0;
    names.resize(names.size() - more);
    parts.push_back(
        names.size() == 1
            ? cat(names.front(), " ", why)
            : cat(join(names, ", "), more > 0 ? cat(" and ", more, " more") : "", ": ", why));
  }
  return join(parts, "; ");
}

std::string wanted_text(const toml::Node& definition) {
  const toml::Node* const match = definition.find("match");
  if (match == nullptr || match->entries.empty()) return "any";
  const std::string table = toml::shown(*match);
  return table.substr(1, table.size() - 2);
}

Result<std::string> unmet_require(const std::string& set, const toml::Node& definition,
                                  const std::vector<std::string>& members,
                                  const std::vector<Rejected>& rejected) {
  const toml::Node* const wanted = definition.find("require");
  if (wanted == nullptr) return std::string();
  TRY_ASSIGN(const Require require, parse_require(*wanted));
  const auto count = static_cast<std::int64_t>(members.size());
  if (require.holds(count)) return std::string();
  const std::string needs =
      cat("[devices.", set, "] must match ",
          require.relation == ">="   ? "at least "
          : require.relation == "<=" ? "at most "
                                     : "exactly ",
          require.count, require.count == 1 ? " device" : " devices", "; it matches ");
  if (count > require.count)
    return cat(needs, count, ": ", join(members, ", "),
               "; narrow its match, or leave some out with except");
  if (members.empty() && !rejected.empty())
    return cat(needs, "none of ", rejected.size(), ": ", near_misses(rejected));
  return cat(needs, members.empty() ? "none" : cat(count, " (", join(members, ", "), ")"), ": ",
             near_misses(rejected));
}

}  // namespace nettune::profile
