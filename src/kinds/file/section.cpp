// SPDX-License-Identifier: Apache-2.0
#include "profile/section.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/text.hpp"
#include "kinds/file/kind.hpp"

namespace nettune::kinds::file {
namespace {

/// Checks a path: absolute, below /etc, without empty parts, "." and "..".
Result<std::string> profile_file_path(std::string_view typed) {
  const auto refuse = [&](std::string_view why) {
    return fail(Errc::invalid, cat("the path \"", printable(typed.substr(0, 200)), "\" ", why));
  };
  if (has_control_characters(typed)) return refuse("contains control characters");
  if (typed.size() > 1024) return refuse("is too long");
  if (!typed.starts_with('/')) return refuse("is not absolute");
  if (typed.find_first_of("#${}") != std::string_view::npos)
    return refuse("contains one of # $ { }");
  std::string path;
  for (const std::string_view part : split(typed, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") return refuse("contains \"..\"");
    if (part.size() > 255) return refuse("has a part of more than 255 bytes");
    path += cat('/', part);
  }
  if (!path.starts_with("/etc/") || typed.ends_with('/')) {
    return refuse("is not below /etc; nettune writes files only there");
  }
  return path;
}

/// Parses "0644": permission bits only.
std::optional<std::uint32_t> parse_mode(std::string_view text) {
  if (text.size() < 3 || text.size() > 4) return {};
  std::uint32_t mode = 0;
  for (const char c : text) {
    if (c < '0' || c > '7') return {};
    mode = mode * 8 + static_cast<std::uint32_t>(c - '0');
  }
  return mode <= 0777 ? std::optional(mode) : std::nullopt;
}

/// Parses "root:root" and "0:0". Other names are not looked up: their numbers differ between nodes.
std::optional<std::string> parse_owner(std::string_view text) {
  if (text == "root:root") return "0:0";
  const auto parts = split(text, ':');
  if (parts.size() != 2) return {};
  std::string out;
  for (const std::string_view part : parts) {
    const auto id = parse_int(part);
    // (uid_t)-1 means "do not change" to chown(2).
    if (!id || *id < 0 || *id >= std::numeric_limits<std::uint32_t>::max()) return {};
    out += cat(out.empty() ? "" : ":", *id);
  }
  return out;
}

Result<> check_free(const profile::Item& item, const std::string& path) {
  if (path == "/etc/nccl.conf") {
    return toml::fail_at(item.value.origin, "/etc/nccl.conf is managed line by line; use [env]");
  }
  if (path.starts_with("/etc/nettune/")) {
    return toml::fail_at(item.value.origin,
                         cat(path, " is reserved for nettune itself; use another path"));
  }
  return {};
}

Result<> compose_files(profile::Composer& composer) {
  for (const profile::Item* const item : composer.merged().with_prefix("file:")) {
    TRY_ASSIGN(const profile::Expanded expanded, composer.value_of(*item));
    const std::string path = item->id.substr(item->id.find(':') + 1);
    TRY(check_free(*item, path));
    if (!composer.is_whole(*item, expanded, false)) continue;
    const toml::Node* const mode = expanded.node.find("mode");
    const toml::Node* const owner = expanded.node.find("owner");
    const auto bits = parse_mode(mode != nullptr ? mode->text : "0644");
    if (!bits) {
      return toml::fail_at(mode->origin,
                           cat(profile::label(*item), ": the mode \"", toml::shown(*mode),
                               "\" is not valid; write it like \"0644\", at most 0777"));
    }
    const auto ids = parse_owner(owner != nullptr ? owner->text : "root:root");
    if (!ids) {
      return toml::fail_at(owner->origin,
                           cat(profile::label(*item), ": the owner \"", toml::shown(*owner),
                               "\" is not valid; use \"root:root\" or numbers like \"0:0\""));
    }
    const toml::Node& content = *expanded.node.find("content");
    const std::string text =
        content.is(toml::Node::Kind::string) ? content.text : toml::shown(content);
    TRY(composer.add_file(path, text, *bits, *ids, item->value.origin));
  }
  return {};
}

constexpr auto kFileRules = std::to_array<profile::Rule>({
    {"profile/files", profile::kTable, "Complete files under /etc"},
    {"profile/files/*", profile::kTable, "A file", {}, false, {.keys = "^/etc/[^#${}]*[^/#${}]$"}},
    {"profile/files/*/content", profile::kString, "The whole content", {}, true},
    {"profile/files/*/mode",
     profile::kString,
     "Permissions in octal, at most \"0777\"; \"0644\" by default",
     {},
     false,
     {.pattern = "^0?[0-7]{3}$"}},
    {"profile/files/*/owner",
     profile::kString,
     "\"root:root\" (the default) or numbers: \"0:0\"",
     {},
     false,
     {.pattern = "^(root:root|[0-9]+:[0-9]+)$"}},
});

Result<> collect_files(profile::ItemCollector& out, const profile::Section&,
                       const toml::Node& table) {
  for (const auto& [typed, value] : table.entries) {
    TRY_ASSIGN(const std::string path, profile::located(value.origin, profile_file_path(typed)));
    TRY(out.add(cat("file:", path), "files", path, "profile/files/*", value));
  }
  return {};
}

}  // namespace

constinit const profile::Section kFileSection = {.name = "files",
                                                 .rules = kFileRules,
                                                 .collect = file::collect_files,
                                                 .items = "file",
                                                 .canonical = file::profile_file_path,
                                                 .compose = file::compose_files};

}  // namespace nettune::kinds::file
