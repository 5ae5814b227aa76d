// SPDX-License-Identifier: Apache-2.0
// What the kernel does around a write of SysctlProvider.
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <set>
#include <unistd.h>

#include "base/text.hpp"
#include "kinds/sysctl/forwarded.hpp"
#include "kinds/sysctl/joined.hpp"
#include "kinds/sysctl/keys.hpp"
#include "kinds/sysctl/provider.hpp"

namespace nettune::kinds::sysctl {

namespace {

using kernel::sysctl_path;

constexpr std::string_view kAvailable = "net.ipv4.tcp_available_congestion_control";

}  // namespace

Effects SysctlProvider::effects(const Address& address, const Value& before, const Value& after) {
  const std::string key = key_of(address);
  Effects effects;
  if (tree_.exists(sysctl_path(key))) effects.not_permitted = tree_.write_barrier(sysctl_path(key));
  if (!address.element().empty()) {
    if (effects.not_permitted.empty() && tree_.read(sysctl_path(key)).text.size() > kLongestWrite)
      effects.not_permitted = cat(key, " has a list of more than ", kLongestWrite,
                                  " bytes, which the kernel does not accept back in one write; "
                                  "merge its ports into ranges first");
    return effects;
  }
  if (after) add_cautions(key, *after, effects);
  if (after != before && is_lost(key, before)) {
    effects.undo = Undo::none;
    effects.residue = cat("the kernel accepts ", *before, " again only if a stable_secret is set");
  }
  if (after) effects.impossible = not_offered(key, *after);
  effects.touches = witnesses(key, after);
  add_module_effects(key, after, effects);
  return effects;
}

void SysctlProvider::add_cautions(const std::string& key, const std::string& after,
                                  Effects& effects) {
  for (const Caution& caution : cautions()) {
    const auto captures = match(caution.key, key);
    if (!captures || !fits(after, caution.value)) continue;
    effects.impact = caution.impact;
    effects.undo = caution.undo;
    effects.residue = caution.residue;
    const auto device = captures->find("$dev");
    const std::string name = device == captures->end() ? "" : sysctl_path(device->second);
    if (caution.impact == Impact::may_cut) effects.cuts = name.empty() ? kEveryDevice : name;
    if (caution.impact == Impact::cuts_forwarded)
      effects.disturbs = forwarded_text(tree_.list("net/ipv4/conf"), sys_);
  }
  for (const Exposure& exposure : exposures())
    if (const auto captures = match(exposure.key, key); captures && fits(after, exposure.value))
      add_hazards(exposure, *captures, effects);
}

/// Why the kernel will refuse a name: it does not have such a thing, nor a module for it.
std::string SysctlProvider::not_offered(const std::string& key, const std::string& value) {
  const Offer* const offer = offer_of(key);
  if (!offer) return {};
  const auto raw = tree_.read(sysctl_path(offer->list.empty() ? key : offer->list));
  if (raw.error != 0) return {};
  const auto has = [&](std::string_view list, std::string_view word) {
    return std::ranges::count(words(list), word) != 0;
  };
  const auto listed = words(raw.text);
  const std::vector<std::string> sorted(listed.begin(), listed.end());
  for (const std::string_view word : words(value)) {
    if (has(offer->known, word) || has(raw.text, word)) continue;
    const std::string module = cat(offer->module, word);
    const bool is_loaded =
        !offer->module.empty() && ::access(cat(sys_, "/module/", module).c_str(), F_OK) == 0;
    if (is_loaded) continue;
    const std::string why =
        offer->module.empty()
            ? std::string("it loads none on demand")
            : loadable_.cannot_load(module, offer->list.empty() ? cat(word, '_') : std::string());
    if (why.empty()) continue;
    return cat("this kernel has no ", word, ": ", why,
               offer->list.empty() ? "" : cat("; it has ", join(sorted, ", ")));
  }
  return {};
}

/// What a write does to interfaces, each with what would prevent it.
void SysctlProvider::add_hazards(const Exposure& exposure, const Captures& captures,
                                 Effects& effects) {
  const auto device = captures.find("$dev");
  const std::string own = device == captures.end() ? "" : sysctl_path(device->second);
  const auto residue = [&](std::string_view name) {
    return exposure.residue.empty() ? std::string() : cat(exposure.residue, name);
  };
  if (!tree_.exists(".")) {
    if (exposure.cuts) add_cut(effects, own.empty() ? kEveryDevice : own);
    if (!exposure.residue.empty()) add_residue(effects, residue(own.empty() ? "unknown" : own));
    return;
  }
  for (const std::string& name : exposed(exposure.exposed, own)) {
    std::string shield(exposure.shield);
    constexpr std::string_view kName = "$exposed";
    if (const std::size_t at = shield.find(kName); at != shield.npos)
      shield.replace(at, kName.size(), shield.starts_with("sysctl:") ? name_in_key(name) : name);
    effects.hazards.push_back({Address{std::move(shield)}, std::string(exposure.shielding),
                               exposure.cuts ? name : std::string(), residue(name)});
  }
}

std::vector<std::string> SysctlProvider::exposed(Exposed which, const std::string& own) {
  if (which == Exposed::own) return {own};
  std::vector<std::string> names =
      tree_.list(which == Exposed::routed ? "net/ipv6/conf" : "net/ipv4/conf");
  const auto routed = which == Exposed::routed ? routed_by_routers() : std::nullopt;
  std::erase_if(names, [&](const std::string& name) {
    const bool is_none = name == "all" || name == "default" || name == "lo";
    const bool is_other = which == Exposed::routed && !own.empty() && name != own;
    return is_none || (routed && !routed->contains(name)) || (is_other && !purges_others());
  });
  return names;
}

/// In 6.1 forwarding on one interface also removes the routes of others; not in 6.18, as tried.
bool SysctlProvider::purges_others() {
  const std::string release = tree_.read("kernel/osrelease").text;
  const auto parts = split(release, '.');
  const auto major = parts.empty() ? std::nullopt : parse_int(parts[0]);
  const auto minor = parts.size() > 1 ? parse_int(parts[1]) : std::nullopt;
  return !major || !minor ||
         std::pair(*major, *minor) < std::pair<std::int64_t, std::int64_t>(6, 18);
}

/// The interfaces with routes from router advertisements that rt6_purge_dflt_routers() may remove;
/// nothing if the routes cannot be read.
std::optional<std::set<std::string>> SysctlProvider::routed_by_routers() const {
  constexpr std::int64_t kDefault = 0x10000;   // RTF_DEFAULT, include/uapi/linux/ipv6_route.h
  constexpr std::int64_t kAddrconf = 0x40000;  // RTF_ADDRCONF
  std::ifstream routes(cat(loadable_.proc_sys, "/../net/ipv6_route"));
  if (!routes) return std::nullopt;
  std::set<std::string> found;
  bool has_default = false;
  for (std::string line; std::getline(routes, line);) {
    const auto columns = words(line);
    if (columns.size() != 10) continue;
    std::int64_t flags = 0;
    std::from_chars(columns[8].begin(), columns[8].end(), flags, 16);
    has_default |= (flags & kDefault) != 0;
    if ((flags & (kDefault | kAddrconf)) != 0) found.emplace(columns[9]);
  }
  if (!has_default) found.clear();  // RT6_TABLE_HAS_DFLT_ROUTER, net/ipv6/route.c
  return found;
}

Turn SysctlProvider::turn(const Address& address, const Value& before, const Value& after) const {
  if (!address.element().empty() || !after) return Turn::usual;
  const std::string key = key_of(address);
  const std::optional<bool> then = protects(key, *after);
  if (!then) return Turn::usual;
  if (*then) return Turn::first;
  return before && *protects(key, *before) ? Turn::last : Turn::usual;
}

std::string SysctlProvider::no_effect(const Address& address, const Value& value,
                                      const Later& later) {
  const std::string key = key_of(address);
  if (!value || !address.element().empty() || !key.starts_with("net.ipv")) return {};
  const bool all = key.find(".all.") != key.npos;
  return no_effect_of(
      key, *value, [&](std::string_view other) { return later(address_of(other)); },
      all ? tree_.list("net/ipv4/conf") : std::vector<std::string>());
}

/// A value that others can set and that the kernel does not accept from a sysctl:
/// check_stable_privacy() in net/ipv6/addrconf.c.
bool SysctlProvider::is_lost(const std::string& key, const Value& value) {
  const auto captures = match("net.ipv6.conf.$dev.addr_gen_mode", key);
  if (!captures || value != "2") return false;
  // Unreadable means unknown.
  const auto has_secret = [this](std::string_view of) {
    const int error = tree_.read(cat("net/ipv6/conf/", of, "/stable_secret")).error;
    return error != EIO && error != ENOENT;
  };
  return !has_secret(sysctl_path(captures->at("$dev"))) && !has_secret("default");
}

/// Two keys load a module for an unknown name: tcp_ca_find_autoload() in net/ipv4/tcp_cong.c and
/// qdisc_set_default() in net/sched/sch_generic.c.
void SysctlProvider::add_module_effects(const std::string& key, const Value& after,
                                        Effects& effects) {
  if (!after) return;
  std::string module;
  if (key == "net.core.default_qdisc") {
    effects.note = "new queues";
    module = cat("sch_", *after);
  } else if (key == "net.ipv4.tcp_congestion_control") {
    effects.note = "new connections";
    const auto raw = tree_.read(sysctl_path(kAvailable));
    const std::string known = canonical_reading(Form::word_set, raw.text);
    if (raw.error != 0 || has_element(Form::word_set, known, *after)) return;
    module = cat("tcp_", *after);
    effects.touches.push_back({address_of(kAvailable), "",
                               with_element(Form::word_set, known, *after, true),
                               "tcp_ca_find_autoload, net/ipv4/tcp_cong.c"});
  }
  if (module.empty() || ::access(cat(sys_, "/module/", module).c_str(), F_OK) == 0) return;
  effects.undo = Undo::residue;
  effects.residue = cat(
      "if ", module, " is a module, the kernel loads it and it stays loaded",
      key == "net.core.default_qdisc" ? "" : " and in net.ipv4.tcp_available_congestion_control");
}

/// The side effects of a write, followed from key to key (ip_forward changes
/// conf.default.forwarding).
std::vector<Witness> SysctlProvider::witnesses(const std::string& key, const Value& after) {
  struct Moved {
    std::string key;
    std::optional<std::string> value;
  };
  std::vector<Witness> found;
  std::set<std::string> seen = {key};
  std::vector<Moved> queue = {{key, after}};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Moved source = queue[i];
    for (const auto& [row, captures] : side_effects_of(source.key)) {
      for (std::string& touched : expand(row->touches, captures)) {
        if (!seen.insert(touched).second) continue;
        const auto value = moved(*row, touched, source.value);
        found.push_back({address_of(touched), "", value, std::string(row->source)});
        queue.push_back({std::move(touched), value});
      }
    }
  }
  return found;
}

std::optional<std::string> SysctlProvider::moved(const SideEffect& row, const std::string& touched,
                                                 const std::optional<std::string>& written) {
  if (row.moves == Moves::zero) return "0";
  if (!written) return std::nullopt;
  if (row.moves == Moves::same) return written;
  if (row.moves == Moves::opposite) return *written == "0" ? "1" : "0";
  if (row.moves == Moves::gains) {
    const Form form = form_of(touched);
    const auto raw = tree_.read(sysctl_path(touched));
    if (raw.error != 0) return std::nullopt;
    return with_element(form, canonical_reading(form, raw.text), *written, true);
  }
  return std::nullopt;
}

/// The existing keys of a pattern: captured variables are inserted, others looked up.
std::vector<std::string> SysctlProvider::expand(std::string_view pattern,
                                                const Captures& captures) {
  std::vector<std::string> keys = {""};
  for (const std::string_view part : split(pattern, '.')) {
    std::vector<std::string> next;
    for (const std::string& key : keys) {
      const std::string prefix = key.empty() ? "" : key + ".";
      const auto captured = captures.find(part);
      if (captured != captures.end()) {
        next.push_back(prefix + captured->second);
      } else if (!part.starts_with('$')) {
        next.push_back(prefix + std::string(part));
      } else {
        for (const std::string& name : tree_.list(sysctl_path(key))) {
          if (part == "$dev" && (name == "all" || name == "default")) continue;
          next.push_back(prefix + name_in_key(name));
        }
      }
    }
    keys = std::move(next);
  }
  std::erase_if(keys, [&](const std::string& key) { return !tree_.exists(sysctl_path(key)); });
  return keys;
}

}  // namespace nettune::kinds::sysctl
