// SPDX-License-Identifier: Apache-2.0
#include "owners/udev_rules.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "conf/units.hpp"
#include "kinds/sysctl/sysctl_d.hpp"
#include "owners/network_files.hpp"
#include "owners/shell_commands.hpp"
#include "owners/shell_scripts.hpp"

namespace nettune::owners {
namespace {

constexpr std::array<std::string_view, 5> kRuleDirectories = {
    "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/local/lib/udev/rules.d",
    "/usr/lib/udev/rules.d", "/lib/udev/rules.d"};

/// One KEY{attribute}op"value" of a rule.
struct RulePart {
  std::string key;
  std::string attribute;
  std::string op;
  std::string value;
};

struct UdevRule {
  std::vector<RulePart> parts;
  std::string file;
  int line = 0;
};

/// parse_line() in src/udev/udev-rules.c (systemd 252), without escapes in values.
std::vector<RulePart> parse_rule(std::string_view text) {
  std::vector<RulePart> parts;
  while (true) {
    text = trim(text);
    while (text.starts_with(',')) text = trim(text.substr(1));
    const std::size_t end = text.find_first_of("=!+-:{ \t");
    if (text.empty() || end == 0 || end == text.npos) return parts;
    RulePart part;
    part.key = text.substr(0, end);
    text.remove_prefix(end);
    if (text.starts_with('{')) {
      const std::size_t close = text.find('}');
      if (close == text.npos) return parts;
      part.attribute = text.substr(1, close - 1);
      text.remove_prefix(close + 1);
    }
    text = trim(text);
    const std::size_t quote = text.find('"');
    const std::size_t close = quote == text.npos ? text.npos : text.find('"', quote + 1);
    if (close == text.npos) return parts;
    part.op = trim(text.substr(0, quote));
    if (part.op.ends_with('e') || part.op.ends_with('i')) part.op.pop_back();
    part.value = text.substr(quote + 1, close - quote - 1);
    text.remove_prefix(close + 1);
    parts.push_back(std::move(part));
  }
}

std::vector<UdevRule> read_rules(const conf::Files& files) {
  std::vector<UdevRule> rules;
  for (const conf::FoundFile& file : files.drop_ins(kRuleDirectories, ".rules")) {
    if (file.path.ends_with("-nettune.rules")) continue;
    std::string joined;
    int number = 0;
    int first = 0;
    for (const std::string_view raw : split(file.text, '\n')) {
      ++number;
      const std::string_view line = trim(raw);
      if (line.starts_with('#')) continue;
      if (first == 0) first = number;
      joined += line;
      if (joined.ends_with('\\')) {
        joined.pop_back();
        continue;
      }
      if (!joined.empty()) rules.push_back({parse_rule(joined), file.path, first});
      joined.clear();
      first = 0;
    }
  }
  return rules;
}

bool is_match(const RulePart& part) { return part.op == "==" || part.op == "!="; }

/// What udev says about an interface that appears.
class LinkEvent {
 public:
  LinkEvent(const Link& link, Rivals& rivals) : link_(link), rivals_(rivals) {}

  /// A jump leads to the label further down in the same file.
  void run(const std::vector<UdevRule>& rules) {
    std::string label;
    std::string_view file;
    bool sure = true;
    for (const UdevRule& rule : rules) {
      if (rule.file != file) {
        file = rule.file;
        label.clear();
        sure = true;
      }
      if (!label.empty()) {
        if (!has(rule, "LABEL", label)) continue;
        label.clear();
      }
      const Match fit = fits(rule);
      if (fit == Match::no) continue;
      const auto jump = std::ranges::find(rule.parts, "GOTO", &RulePart::key);
      if (jump != rule.parts.end() && fit == Match::yes) label = jump->value;
      if (jump != rule.parts.end() && fit == Match::maybe) sure = false;
      act(rule, sure && fit == Match::yes);
    }
  }

 private:
  static bool has(const UdevRule& rule, std::string_view key, const std::string& value) {
    return std::ranges::any_of(
        rule.parts, [&](const RulePart& part) { return part.key == key && part.value == value; });
  }

  Match fits(const UdevRule& rule) const {
    Match all = Match::yes;
    for (const RulePart& part : rule.parts) {
      if (!is_match(part) && part.key != "TEST" && part.key != "PROGRAM") continue;
      const auto text = known(part);
      if (!text) {
        all = std::min(all, Match::maybe);
        continue;
      }
      const bool found = std::ranges::any_of(split(part.value, '|'), [&](std::string_view pattern) {
        return glob_match(pattern, *text);
      });
      if (found != (part.op == "==")) return Match::no;
    }
    return all;
  }

  /// What the key is of this interface when it appears; nothing if nettune does not know.
  std::optional<std::string> known(const RulePart& part) const {
    const LinkFacts& facts = link_.facts;
    if (part.key == "ACTION") return "add";
    if (part.key == "SUBSYSTEM") return "net";
    if (part.key == "NAME" || part.key == "KERNEL") return facts.name;
    const bool driver = part.key == "DRIVERS" || part.key == "DRIVER" ||
                        (part.key == "ENV" && part.attribute == "ID_NET_DRIVER");
    if (driver && !facts.driver.empty()) return facts.driver;
    const bool attribute = part.key == "ATTR" || part.key == "ATTRS";
    if (attribute && part.attribute == "address") return facts.mac;
    if (attribute && part.attribute == "type" && facts.link_layer == "Ethernet") return "1";
    if (attribute && part.attribute == "type" && facts.link_layer == "InfiniBand") return "32";
    if (part.key == "ENV" && part.attribute == "INTERFACE") return facts.name;
    if (part.key == "ENV" && link_.udev.contains(part.attribute))
      return link_.udev_property(part.attribute);
    return std::nullopt;
  }

  void act(const UdevRule& rule, bool sure) {
    for (const RulePart& part : rule.parts) {
      if (is_match(part)) continue;
      const std::string value = inserted(part.value);
      if (part.key == "ATTR" && is_integer(value)) {
        if (part.attribute == "mtu") say(rule, part, ":mtu", value, sure);
        if (part.attribute == "tx_queue_len") say(rule, part, ":txqueuelen", value, sure);
      }
      if (part.key == "SYSCTL")
        for (const kinds::sysctl::SysctlLine& line :
             kinds::sysctl::read_sysctl_d(cat(inserted(part.attribute), "=", value)))
          add(rule, {cat("sysctl:", line.key)}, sets(line.key, line.value), line.value, sure);
      if (part.key == "RUN" && part.attribute != "builtin") command(rule, value, sure);
    }
  }

  void command(const UdevRule& rule, const std::string& text, bool sure) {
    const std::vector<std::string> word = conf::unit_words(text);
    const auto option = std::ranges::find(word, "-c");
    const std::string line =
        option != word.end() && option + 1 != word.end() ? *(option + 1) : join(word, " ");
    for (const ScriptCommand& one : script_commands(line, {}))
      for (const CommandEffect& effect : command_effects(one.text, link_.facts.name))
        add(rule, effect.address, cat("runs \"", printable(text), "\""), effect.value,
            sure && one.sure);
  }

  /// The substitutions of udev(7) that are the interface's name.
  std::string inserted(std::string text) const {
    for (const std::string_view name : {"$kernel", "%k", "$name", "$env{INTERFACE}",
                                        "%E{INTERFACE}", "$env{ID_NET_NAME}", "%E{ID_NET_NAME}"})
      for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at)) {
        text.replace(at, name.size(), link_.facts.name);
        at += link_.facts.name.size();
      }
    return text;
  }

  void say(const UdevRule& rule, const RulePart& part, std::string_view key,
           const std::string& value, bool sure) {
    add(rule, {cat("link:", link_.facts.name, key)}, sets(cat("ATTR{", part.attribute, "}"), value),
        value, sure);
  }

  void add(const UdevRule& rule, Address address, std::string says, std::string value, bool sure) {
    const bool follows = nettune_follows(link_.facts);
    std::string when = "udev does so when the interface appears";
    if (!sure) when += " and conditions that nettune cannot evaluate hold";
    if (follows) when += ", and nettune then sets its own value";
    rivals_.say({std::move(address), "udev", rule.file, rule.line, std::move(says),
                 std::move(value), sure && !follows, std::move(when)});
  }

  const Link& link_;
  Rivals& rivals_;
};

}  // namespace

void find_udev_rules(const conf::Files& files, std::span<const Link> links, Rivals& rivals) {
  const std::vector<UdevRule> rules = read_rules(files);
  for (const Link& link : links) LinkEvent(link, rivals).run(rules);
}

}  // namespace nettune::owners
