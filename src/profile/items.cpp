// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "conf/environment.hpp"
#include "kernel/sysctl_key.hpp"
#include "kinds/dcb/grammar.hpp"
#include "kinds/ethtool/grammar.hpp"
#include "kinds/rdma/dcqcn.hpp"
#include "profile/device_match.hpp"
#include "profile/merge.hpp"
#include "profile/schema.hpp"

namespace nettune::profile {
namespace {

constexpr std::size_t kMaxModuleBytes = 55;  // MODULE_NAME_LEN in include/linux/module.h, 64-bit

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Names of variables and device sets: what ${...} can hold.
Result<> check_identifier(std::string_view name, std::string_view what, const Origin& origin) {
  const bool good =
      !name.empty() && name.size() <= 64 && is_lower(name.front()) &&
      std::ranges::all_of(name, [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
  if (good) return {};
  return fail_at(origin, cat("\"", printable(name.substr(0, 80)), "\" is no name for ", what,
                             "; use lower-case letters, digits and '_', a letter first"));
}

Result<> check_service(std::string_view name, const Origin& origin) {
  const bool good = !name.empty() && name.size() <= 200 && name.front() != '.' &&
                    std::ranges::all_of(name, [](char c) {
                      return is_lower(c) || is_digit(c) || (c >= 'A' && c <= 'Z') ||
                             std::string_view("@._-:").find(c) != std::string_view::npos;
                    });
  if (good) return {};
  return fail_at(origin, cat("\"", printable(name.substr(0, 80)), "\" is no name of a service"));
}

Result<> check_dcb_entry(std::string_view name, const Origin& origin) {
  if (formats::parse_dcb_protocol(name)) return {};
  return fail_at(origin, cat("\"", printable(name.substr(0, 80)),
                             "\" is no entry of the APP table; they are dscp-0 to dscp-63, dgram-, "
                             "stream- and port- with a number up to 65535, and ethertype-0x8915"));
}

/// Puts the place of the value into an error that knows only the text.
template <class T>
Result<T> at(const Origin& origin, Result<T> result) {
  if (result) return result;
  return fail_at(origin, result.error().text, result.error().code);
}

class Collector {
 public:
  Result<> add(const std::string& id, std::string section, std::string key, std::string_view path,
               Node value) {
    const Origin origin = value.origin;
    const auto [old, fresh] = items_.try_emplace(
        id, Item{id, std::move(section), std::move(key), path, std::move(value)});
    if (fresh) return {};
    return fail_at(origin, cat(printable(id), " is set twice, here and in line ",
                               old->second.value.origin.line));
  }

  std::map<std::string, Item> take() { return std::move(items_); }

 private:
  std::map<std::string, Item> items_;
};

const std::vector<std::pair<std::string, Node>>& entries(const Node& root,
                                                         std::string_view section) {
  static const std::vector<std::pair<std::string, Node>> kNone;
  const Node* const table = root.find(section);
  return table != nullptr ? table->entries : kNone;
}

Result<> add_named(Collector& out, const Node& root) {
  for (const auto& [name, value] : entries(root, "vars")) {
    TRY(check_identifier(name, "a variable", value.origin));
    TRY(out.add(cat("var:", name), "vars", name, "profile/vars/*", value));
  }
  for (const auto& [name, value] : entries(root, "devices")) {
    TRY(check_identifier(name, "a device set", value.origin));
    TRY(check_keys_of_set(name, value));
    TRY(out.add(cat("devices:", name), "devices", name, "profile/devices/*", value));
  }
  return {};
}

Result<> check_ethtool_key(const std::string& key) {
  TRY(formats::ethtool_value(key));
  return {};
}

/// The schema lists the keys of [rdma.SET] that are one each; all others are cc-NAME.
Result<> check_rdma_key(const std::string& key) {
  std::vector<std::string> known;
  for (const Rule* const rule : rules_below("profile/rdma/*"))
    if (!rule->path.ends_with('*'))
      known.emplace_back(rule->path.substr(rule->path.rfind('/') + 1));
  for (const formats::DcqcnParameter& parameter : formats::dcqcn_parameters())
    known.push_back(cat("cc-", parameter.name));
  if (std::ranges::find(known, key) != known.end()) return {};
  return fail(Errc::invalid, cat("has no key \"", printable(key), "\"",
                                 nearest(key, known) ? did_you_mean(key, known)
                                                     : cat("; known there: ", join(known, ", "))));
}

/// Of the rule for a key that validate() knows: its own, or that for any.
std::string_view rule_path(std::string_view above, std::string_view key) {
  std::string_view any;
  for (const Rule* const rule : rules_below(above)) {
    const std::string_view last = rule->path.substr(above.size() + 1);
    if (last == key) return rule->path;
    if (last == "*") any = rule->path;
  }
  return any;
}

/// Entries of the APP table are an item each: others write into it as well.
Result<> add_dcb_entries(Collector& out, const std::string& set, const Node& table) {
  for (const auto& [entry, priority] : table.entries) {
    TRY(check_dcb_entry(entry, priority.origin));
    TRY(out.add(cat("dcb:", set, ":app#", entry), cat("dcb.", set), cat("app#", entry),
                "profile/dcb/*/app/*", priority));
  }
  return {};
}

/// Sections of the form [KIND.SET]: each key is an item. `check` refuses keys that the schema
/// cannot list.
Result<> add_of_devices(Collector& out, const Node& root, std::string_view kind,
                        Result<> (*check)(const std::string&) = nullptr) {
  for (const auto& [set, table] : entries(root, kind)) {
    TRY(check_identifier(set, "a device set", table.origin));
    const std::string section = cat(kind, '.', set);
    for (const auto& [key, value] : table.entries) {
      const std::string_view path = rule_path(cat("profile/", kind, "/*"), key);
      if (path == "profile/dcb/*/app") {
        TRY(add_dcb_entries(out, set, value));
        continue;
      }
      if (const auto good = check != nullptr ? check(key) : Result<>(); !good)
        return fail_at(value.origin, cat('[', section, "] ", good.error().text));
      TRY(out.add(cat(kind, ':', set, ':', key), section, key, path, value));
    }
  }
  return {};
}

/// The flags of `value` go with each element, since each is inherited and removed by itself.
Result<> add_elements(Collector& out, const std::string& key, const Node& value) {
  for (const Node& item : value.find("elements")->items) {
    const std::string element =
        item.is(Node::Kind::integer) ? std::to_string(item.integer) : item.text;
    TRY(check_element(element, item.origin));
    Node one = value;
    one.origin = item.origin;
    std::erase_if(one.entries, [](const auto& entry) { return entry.first == "elements"; });
    one.entries.emplace_back("value", Node::string(element, item.origin));
    TRY(out.add(cat("sysctl:", key, '#', element), "sysctl", cat(key, '#', element),
                "profile/sysctl/*", std::move(one)));
  }
  return {};
}

Result<> add_sysctl(Collector& out, const Node& root) {
  for (const auto& [typed, value] : entries(root, "sysctl")) {
    TRY_ASSIGN(const std::string key, at(value.origin, sysctl_template(typed)));
    const Node* const elements = value.find("elements");
    if (value.is(Node::Kind::table) && (elements != nullptr) == (value.find("value") != nullptr)) {
      return fail_at(value.origin, cat(key, " needs either value or elements"));
    }
    if (elements == nullptr) {
      TRY(out.add(cat("sysctl:", key), "sysctl", key, "profile/sysctl/*", value));
      continue;
    }
    if (value.find("nearest") != nullptr) {
      return fail_at(value.origin, cat(key, ": nearest has no meaning for elements"));
    }
    TRY(add_elements(out, key, value));
  }
  return {};
}

Result<> add_services(Collector& out, const Node& list, std::string_view prefix,
                      const std::string& section, std::string_view path) {
  for (const Node& item : list.items) {
    std::string name = item.text;
    if (name.ends_with(".service")) name.resize(name.size() - 8);
    TRY(check_service(name, item.origin));
    TRY(out.add(cat(prefix, name), section, "services", path, item));
  }
  return {};
}

Result<> add_node(Collector& out, const Node& root) {
  for (const auto& [key, list] : entries(root, "modules")) {
    for (const Node& item : list.items) {
      TRY_ASSIGN(const std::string name, at(item.origin, module_name(item.text)));
      TRY(out.add(cat("module:", name), "modules", key, "profile/modules/load", item));
    }
  }
  for (const auto& [key, value] : entries(root, "limits")) {
    if (key == "memlock") {
      TRY(out.add("limits:memlock", "limits", key, "profile/limits/memlock", value));
      continue;
    }
    TRY(add_services(out, value, "service:", "limits", "profile/limits/services"));
  }
  for (const auto& [typed, value] : entries(root, "files")) {
    TRY_ASSIGN(const std::string path, at(value.origin, file_path(typed)));
    TRY(out.add(cat("file:", path), "files", path, "profile/files/*", value));
  }
  return {};
}

Result<> add_rest(Collector& out, const Node& root) {
  for (const auto& [name, value] : entries(root, "env")) {
    if (name == "services") {
      TRY(add_services(out, value, "env-service:", "env", "profile/env/services"));
      continue;
    }
    const bool outputs = name == "outputs";
    if (!outputs) TRY(at(value.origin, formats::check_variable_name(name)));
    TRY(out.add(cat("env:", name), "env", name, outputs ? "profile/env/outputs" : "profile/env/*",
                value));
  }
  for (const auto& [key, value] : entries(root, "tcp")) {
    TRY(out.add(cat("tcp:", key), "tcp", key,
                key == "rtt_ms" ? "profile/tcp/rtt_ms" : "profile/tcp/rate_gbps", value));
  }
  for (const auto& [key, value] : entries(root, "refuse")) {
    TRY(out.add(cat("refuse:", key), "refuse", key, "profile/refuse/rdma_active", value));
  }
  return {};
}

}  // namespace

Result<> check_element(std::string_view element, const Origin& origin) {
  const bool good =
      !element.empty() && element.size() <= 200 && std::ranges::all_of(element, [](char c) {
        return c > ' ' && c <= '~' &&
               std::string_view(",#\"'`\\").find(c) == std::string_view::npos;
      });
  if (good) return {};
  return fail_at(origin, cat("\"", printable(element.substr(0, 80)),
                             "\" is no element of a list; it needs at least one character, and no "
                             "blanks, commas, quotes or '#'"));
}

Result<std::string> sysctl_template(std::string_view typed) {
  // A dot in ${set.each} is no separator; '@' stands for it while the key is brought into form.
  const auto swap_in_references = [](std::string text, char from, char to) {
    std::size_t begin = 0;
    while ((begin = text.find("${", begin)) != std::string::npos) {
      const std::size_t end = std::min(text.find('}', begin), text.size());
      std::replace(text.begin() + static_cast<std::ptrdiff_t>(begin),
                   text.begin() + static_cast<std::ptrdiff_t>(end), from, to);
      begin = end;
    }
    return text;
  };
  if (typed.find_first_of("#=*?[]:;\"'`\\@") != std::string_view::npos) {
    return fail(Errc::invalid, cat("sysctl key \"", printable(typed.substr(0, 80)),
                                   "\" holds a character that no key has"));
  }
  TRY_ASSIGN(std::string key,
             formats::canonical_sysctl_key(swap_in_references(std::string(typed), '.', '@')));
  return swap_in_references(std::move(key), '@', '.');
}

Result<std::string> module_name(std::string_view typed) {
  std::string name(typed);
  std::ranges::replace(name, '-', '_');
  const bool good =
      !name.empty() && name.size() <= kMaxModuleBytes &&
      std::ranges::all_of(name, [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
  if (good) return name;
  return fail(Errc::invalid,
              cat("\"", printable(typed.substr(0, 80)),
                  "\" is no name of a kernel module; use lower-case letters, digits, "
                  "'_' and '-'"));
}

Result<std::string> file_path(std::string_view typed) {
  const auto refuse = [&](std::string_view why) {
    return fail(Errc::invalid, cat("the path \"", printable(typed.substr(0, 200)), "\" ", why));
  };
  if (has_control_characters(typed)) return refuse("holds control characters");
  if (typed.size() > 1024) return refuse("is too long");
  if (!typed.starts_with('/')) return refuse("is not absolute");
  if (typed.find_first_of("#${}") != std::string_view::npos) return refuse("holds one of # $ { }");
  std::string path;
  for (const std::string_view part : split(typed, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") return refuse("holds \"..\"");
    if (part.size() > 255) return refuse("has a part of more than 255 bytes");
    path += cat('/', part);
  }
  if (!path.starts_with("/etc/") || typed.ends_with('/')) {
    return refuse("is no file below /etc; nettune writes files nowhere else");
  }
  return path;
}

Result<std::map<std::string, Item>> items_of(const Node& root) {
  Collector out;
  TRY(add_named(out, root));
  TRY(add_of_devices(out, root, "link"));
  TRY(add_of_devices(out, root, "lossless"));
  TRY(add_of_devices(out, root, "firewall"));
  TRY(add_of_devices(out, root, "ethtool", check_ethtool_key));
  TRY(add_of_devices(out, root, "rdma", check_rdma_key));
  TRY(add_of_devices(out, root, "qdisc"));
  TRY(add_of_devices(out, root, "dcb"));
  TRY(add_sysctl(out, root));
  TRY(add_node(out, root));
  TRY(add_rest(out, root));
  return out.take();
}

}  // namespace nettune::profile
