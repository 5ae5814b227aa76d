// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <optional>

#include "base/text.hpp"
#include "conf/unit_files.hpp"
#include "profile/compose.hpp"

namespace nettune::profile {
namespace {

std::string behind_colon(const std::string& id) { return id.substr(id.find(':') + 1); }

/// "0644": permission bits only.
std::optional<std::uint32_t> parse_mode(std::string_view text) {
  if (text.size() < 3 || text.size() > 4) return {};
  std::uint32_t mode = 0;
  for (const char c : text) {
    if (c < '0' || c > '7') return {};
    mode = mode * 8 + static_cast<std::uint32_t>(c - '0');
  }
  return mode <= 0777 ? std::optional(mode) : std::nullopt;
}

/// "0:0" for "root:root" and "0:0". Names of others are not looked up: their numbers differ from
/// node to node.
std::optional<std::string> parse_owner(std::string_view text) {
  if (text == "root:root") return "0:0";
  const auto parts = split(text, ':');
  if (parts.size() != 2) return {};
  std::string out;
  for (const std::string_view part : parts) {
    const auto id = parse_int(part);
    // (uid_t)-1 means "leave it" to chown(2).
    if (!id || *id < 0 || *id >= std::numeric_limits<std::uint32_t>::max()) return {};
    out += cat(out.empty() ? "" : ":", *id);
  }
  return out;
}

Result<> check_free(const Item& item, const std::string& path) {
  if (path == "/etc/nccl.conf") {
    return fail_at(item.value.origin, "/etc/nccl.conf is written line by line; use [env]");
  }
  if (path.starts_with("/etc/nettune/")) {
    return fail_at(item.value.origin,
                   cat(path, " is nettune's own place; no profile writes there"));
  }
  return {};
}

}  // namespace

Result<> compose_modules(Composer& composer) {
  for (const Item* const item : composer.merged().with_prefix("module:")) {
    const std::string name = behind_colon(item->id);
    Setting setting;
    setting.address = {item->id};
    setting.want = "loaded";
    setting.origin = item->value.origin;
    composer.show(*item, name);
    composer.boot().modules.push_back(name);
    TRY(composer.add(std::move(setting)));
  }
  return {};
}

Result<> compose_limits(Composer& composer) {
  const auto services = composer.merged().with_prefix("service:");
  const Item* const memlock = composer.merged().find("limits:memlock");
  if (memlock == nullptr) {
    if (services.empty()) return {};
    return fail_at(services.front()->value.origin,
                   "[limits] services has no effect without memlock");
  }
  TRY_ASSIGN(const Expanded expanded, composer.value_of(*memlock));
  if (!composer.is_whole(*memlock, expanded, false)) return {};
  composer.boot().memlock =
      expanded.node.is(Node::Kind::string) ? expanded.node.text : shown(expanded.node);
  if (const auto text = formats::pam_memlock(composer.boot().memlock, ""); !text) {
    return fail_at(memlock->value.origin, cat(label(*memlock), ": ", text.error().text));
  }
  std::vector<std::string> absent;
  for (const Item* const item : services) {
    const std::string name = behind_colon(item->id);
    const auto& installed = composer.facts().services;
    const bool here = std::ranges::find(installed, name) != installed.end() ||
                      std::ranges::find(installed, cat(name, ".service")) != installed.end();
    composer.show(*item, name);
    (here ? composer.boot().services : absent).push_back(name);
  }
  if (!absent.empty()) {
    composer.note(
        cat("[limits] services: not installed here, so no drop-in for ", join(absent, ", ")));
  }
  return {};
}

Result<> compose_files(Composer& composer) {
  for (const Item* const item : composer.merged().with_prefix("file:")) {
    TRY_ASSIGN(const Expanded expanded, composer.value_of(*item));
    const std::string path = behind_colon(item->id);
    TRY(check_free(*item, path));
    if (!composer.is_whole(*item, expanded, false)) continue;
    const Node* const mode = expanded.node.find("mode");
    const Node* const owner = expanded.node.find("owner");
    const auto bits = parse_mode(mode != nullptr ? mode->text : "0644");
    if (!bits) {
      return fail_at(mode->origin, cat(label(*item), ": the mode \"", shown(*mode),
                                       "\" is not like \"0644\", at most 0777"));
    }
    const auto ids = parse_owner(owner != nullptr ? owner->text : "root:root");
    if (!ids) {
      return fail_at(owner->origin, cat(label(*item), ": the owner \"", shown(*owner),
                                        "\" is neither \"root:root\" nor numbers such as \"0:0\""));
    }
    const Node& content = *expanded.node.find("content");
    const std::string text = content.is(Node::Kind::string) ? content.text : shown(content);
    TRY(composer.add_file(path, text, *bits, *ids, item->value.origin));
  }
  return {};
}

}  // namespace nettune::profile
