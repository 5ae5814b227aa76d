// SPDX-License-Identifier: Apache-2.0
#include "owners/ifupdown.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "owners/daemon.hpp"
#include "owners/shell_commands.hpp"

namespace nettune::owners {
namespace {

constexpr std::size_t kMaxFiles = 256;

bool is_plain(std::string_view name) {
  return std::ranges::all_of(name, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-';
  });
}

/// This follows read_interfaces_defn() in config.c of ifupdown.
class InterfacesReader {
 public:
  InterfacesReader(const conf::Files& files, Interfaces& into) : files_(files), into_(into) {}

  void file(const std::string& path) {
    if (seen_.size() >= kMaxFiles || !seen_.insert(path).second) return;
    const auto found = files_.read(path);
    if (!found) return;
    Stanza* stanza = nullptr;
    int number = 0;
    int first = 0;
    std::string joined;
    for (const std::string_view raw : split(found->text, '\n')) {
      ++number;
      if (first == 0) first = number;
      // A '#' begins a comment only at the start of a line; a backslash joins the next line.
      if (joined.empty() && trim(raw).starts_with('#')) {
        first = 0;
        continue;
      }
      joined += raw;
      if (joined.ends_with('\\')) {
        joined.pop_back();
        continue;
      }
      line(path, first, trim(joined), stanza);
      joined.clear();
      first = 0;
    }
  }

 private:
  void line(const std::string& path, int number, std::string_view text, Stanza*& stanza) {
    const auto word = words(text);
    if (word.empty()) return;
    const std::string_view key = word[0];
    const std::string_view rest = trim(text.substr(key.size()));
    if (key == "iface") {
      stanza = begin(path, number, word);
    } else if (key == "auto" || key == "allow-auto" || key == "allow-hotplug") {
      auto& list = key == "allow-hotplug" ? into_.at_plug : into_.at_boot;
      if (word.size() == 1 && stanza) list.push_back(stanza->name);
      if (word.size() > 1) {
        list.insert(list.end(), word.begin() + 1, word.end());
        stanza = nullptr;
      }
    } else if (key == "source") {
      source(absolute(path, rest));
      stanza = nullptr;
    } else if (key.starts_with("source-dir")) {
      const std::string directory = absolute(path, rest);
      for (const std::string& name : files_.names(directory, "")) {
        if (is_plain(name)) file(cat(directory, "/", name));
      }
      stanza = nullptr;
    } else if (key == "mapping" || key == "rename" || key.starts_with("allow-")) {
      stanza = nullptr;
    } else if (stanza && key != "no-scripts" && key != "no-auto-down") {
      stanza->options.push_back({std::string(key), std::string(rest), path, number});
    }
  }

  Stanza* begin(const std::string& path, int number, const std::vector<std::string_view>& word) {
    if (word.size() < 3) return nullptr;
    Stanza stanza{std::string(word[1]), {}, {}, {}, path, number};
    const auto inherits = std::ranges::find(word, "inherits");
    const bool by_name = word[2] == "inherits";
    if (!by_name) stanza.family = word[2];
    if (!by_name && word.size() > 3 && word[3] != "inherits") stanza.method = word[3];
    if (inherits != word.end() && inherits + 1 != word.end()) inherit(*(inherits + 1), stanza);
    into_.stanzas.push_back(std::move(stanza));
    return &into_.stanzas.back();
  }

  /// Starts from the first stanza of that name above, of the same family if one is given.
  void inherit(std::string_view name, Stanza& stanza) const {
    for (const Stanza& other : into_.stanzas) {
      if (other.name != name || (!stanza.family.empty() && other.family != stanza.family)) continue;
      stanza.options = other.options;
      if (stanza.family.empty()) stanza.family = other.family;
      if (stanza.method.empty()) stanza.method = other.method;
      return;
    }
  }

  /// Wildcards are expanded in the last component only, where people use them.
  void source(const std::string& pattern) {
    const std::string directory = parent_path(pattern);
    const std::string last = pattern.substr(pattern.rfind('/') + 1);
    if (last.find_first_of("*?[") == last.npos) {
      file(pattern);
      return;
    }
    for (const std::string& name : files_.names(directory, "")) {
      if (!name.starts_with('.') && glob_match(last, name)) file(cat(directory, "/", name));
    }
  }

  static std::string absolute(const std::string& from, std::string_view path) {
    return path.starts_with('/') ? std::string(path) : cat(parent_path(from), "/", path);
  }

  const conf::Files& files_;
  Interfaces& into_;
  std::set<std::string> seen_;
};

/// The stanza that an entry of auto or allow-hotplug selects for the interface: "eth0",
/// "eth0=home", "/en*", "/mac/0c:42:*=home" (interfaces(5), PATTERN MATCHING INTERFACES).
std::string stanza_for(std::string_view entry, const LinkFacts& link) {
  const std::size_t equals = entry.find('=');
  const std::string_view name = entry.substr(0, equals);
  if (name.starts_with('/')) {
    std::string_view pattern = name.substr(1);
    std::string text = link.name;
    if (pattern.starts_with("mac/")) {
      pattern.remove_prefix(4);
      text = link.mac;
    }
    if (pattern.ends_with('/')) pattern.remove_suffix(1);
    if (!glob_match(pattern, text)) return {};
  } else if (name != link.name) {
    return {};
  }
  return equals == entry.npos ? link.name : std::string(entry.substr(equals + 1));
}

class Teller {
 public:
  Teller(const Link& link, Rivals& rivals) : link_(link.facts), rivals_(rivals) {}

  void stanza(const Stanza& stanza) {
    for (const Stanza::Option& option : stanza.options) {
      for (const char* key : {"up", "post-up", "pre-up"}) {
        if (option.key == key) command(option);
      }
      if (stanza.family == "inet") inet(stanza, option);
      if (stanza.family == "inet6") inet6(stanza, option);
    }
  }

 private:
  void say(Address address, const Stanza::Option& option, std::string value) {
    rivals_.say({std::move(address), "ifupdown", option.file, option.line,
                 sets(option.key, option.value), std::move(value), true,
                 cat("ifup sets it whenever it configures ", printable(link_.name))});
  }

  void command(const Stanza::Option& option) {
    for (CommandEffect& effect : command_effects(option.value, link_.name)) {
      rivals_.say({std::move(effect.address), "ifupdown", option.file, option.line,
                   cat("runs \"", printable(option.value), "\""), std::move(effect.value), true,
                   cat("ifup does so whenever it configures ", printable(link_.name))});
    }
  }

  /// The methods of inet.defn that have the option.
  void inet(const Stanza& stanza, const Stanza::Option& option) {
    const bool has = stanza.method == "static" || stanza.method == "manual";
    if (has && option.key == "mtu" && is_integer(option.value)) {
      say({cat("link:", link_.name, ":mtu")}, option, option.value);
    }
  }

  /// inet6.defn raises a lower link MTU; otherwise it sets the MTU of IPv6 only.
  void inet6(const Stanza& stanza, const Stanza::Option& option) {
    if (!is_integer(option.value)) return;
    const auto sysctl = [&](std::string_view name) {
      return Address{cat("sysctl:net.ipv6.conf.", sysctl_name(link_.name), ".", name)};
    };
    const bool is_static = stanza.method == "static";
    if (option.key == "mtu" && (is_static || stanza.method == "manual")) {
      const Address link{cat("link:", link_.name, ":mtu")};
      const Setting* setting = rivals_.find(link);
      if (setting && setting->want && is_integer(*setting->want) &&
          compare_integers(*setting->want, option.value) < 0) {
        say(link, option, option.value);
      } else {
        say(sysctl("mtu"), option, option.value);
      }
    }
    const bool is_auto = stanza.method == "auto";
    const bool is_dhcp = stanza.method == "dhcp";
    if (option.key == "accept_ra" && (is_static || is_auto || is_dhcp))
      say(sysctl("accept_ra"), option, option.value);
    if (option.key == "autoconf" && (is_static || is_dhcp))
      say(sysctl("autoconf"), option, option.value);
    if (option.key == "privext" && (is_static || is_auto))
      say(sysctl("use_tempaddr"), option, option.value);
  }

  const LinkFacts& link_;
  Rivals& rivals_;
};

}  // namespace

Interfaces read_interfaces(const conf::Files& files) {
  Interfaces interfaces;
  InterfacesReader(files, interfaces).file("/etc/network/interfaces");
  return interfaces;
}

std::vector<const Stanza*> automatic_stanzas(const conf::Files& files, const Interfaces& interfaces,
                                             const Link& link) {
  std::set<std::string> names;
  const auto add = [&](const std::vector<std::string>& entries) {
    for (const std::string& entry : entries) names.insert(stanza_for(entry, link.facts));
  };
  if (!interfaces.at_boot.empty() && starts_at_boot(files, "networking.service")) {
    add(interfaces.at_boot);
  }
  // ifupdown's udev rule runs ifup when the interface appears.
  if (files.exists("/usr/sbin/ifup") || files.exists("/sbin/ifup")) add(interfaces.at_plug);
  std::vector<const Stanza*> found;
  for (const Stanza& stanza : interfaces.stanzas) {
    if (names.contains(stanza.name)) found.push_back(&stanza);
  }
  return found;
}

void find_ifupdown(const conf::Files& files, const Interfaces& interfaces,
                   std::span<const Link> links, Rivals& rivals) {
  for (const Link& link : links) {
    for (const Stanza* stanza : automatic_stanzas(files, interfaces, link)) {
      Teller(link, rivals).stanza(*stanza);
    }
  }
}

}  // namespace nettune::owners
