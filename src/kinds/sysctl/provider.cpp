// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysctl/provider.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <unistd.h>

#include "base/text.hpp"
#include "kernel/sysctl_key.hpp"
#include "kinds/sysctl/bounds.hpp"
#include "kinds/sysctl/keys.hpp"
#include "kinds/sysctl/names.hpp"
#include "kinds/sysctl/order.hpp"

namespace nettune::kinds::sysctl {
namespace {

using kernel::sysctl_path;

constexpr std::string_view kDefaultQdisc = "net.core.default_qdisc";

std::string_view without_number(std::string_view name) {
  return name.substr(0, name.find_last_not_of("0123456789") + 1);
}

}  // namespace

Result<Value> SysctlProvider::canonical(const Address& address, const Value& want) const {
  const std::string key = key_of(address);
  TRY_ASSIGN(const std::string spelled, kernel::canonical_sysctl_key(key));
  if (spelled != key) {
    return fail(Errc::invalid, cat("sysctl ", key, " must be written ", spelled, " in an address"));
  }
  const Form form = form_of(key);
  if (address.text.find('#') != std::string::npos) {
    if (!has_elements(key)) {
      return fail(Errc::invalid, cat(address.text, ": ", key, " is not a list with elements"));
    }
    if (auto ok = check_element(form, address.element()); !ok) return fail_in(key, ok.error());
    if (want && *want != "present") {
      return fail(Errc::invalid, cat("the value of ", address.text, " must be \"present\", not \"",
                                     printable(*want), "\""));
    }
    return want;
  }
  if (!want) return fail(Errc::invalid, cat("sysctl ", key, " cannot be removed, only set"));
  auto text = canonical_wanted(form, *want);
  if (!text) return fail_in(cat("sysctl ", key), text.error());
  return Value(std::move(*text));
}

std::vector<Reading> SysctlProvider::read(std::span<const Address> addresses) {
  std::vector<Reading> readings;
  readings.reserve(addresses.size());
  std::string_view last_key;
  kernel::SysctlTree::Raw raw;
  for (const Address& address : addresses) {
    // Members of one key are adjacent; the key is read once for all of them.
    if (address.body() != last_key || readings.empty()) {
      last_key = address.body();
      raw = tree_.read(sysctl_path(last_key));
    }
    readings.push_back(reading_of(address, raw));
  }
  return readings;
}

Reading SysctlProvider::reading_of(const Address& address, const kernel::SysctlTree::Raw& raw) {
  const std::string key = key_of(address);
  if (raw.error != 0) return unreadable(key, raw.error);
  const Form form = form_of(key);
  std::string text = canonical_reading(form, raw.text);
  if (address.element().empty()) return {Presence::present, std::move(text), "", {}};
  if (has_element(form, text, address.element())) return {Presence::present, "present", "", {}};
  return {Presence::absent, "", "", {}};
}

Reading SysctlProvider::unreadable(const std::string& key, int error) {
  if (error == ENOENT || error == ENOTDIR) return absent(key);
  const std::string path = sysctl_path(key);
  std::string why = tree_.read_barrier(path, error);
  if (error != EISDIR) return {Presence::not_permitted, "", std::move(why), {}};
  if (const std::string below = first_key_below(path); !below.empty())
    why += cat("; the first key below it is ", sysctl_path(below));
  return {Presence::not_applicable, "", std::move(why), {}, Naming::impossible};
}

Reading SysctlProvider::absent(const std::string& key) {
  if (!tree_.exists(".")) {
    return {Presence::not_applicable, "", "there is no /proc/sys", {}};
  }
  if (key.starts_with("net.ipv6.") && !tree_.exists("net/ipv6")) {
    return {Presence::not_applicable, "", "this kernel has no IPv6", {}};
  }
  const bool known = is_known_sysctl(key);
  if (!known)
    for (auto meant : {known_sysctl_with_dots(key), known_sysctl_near(key)})
      if (auto reading = misspelled(key, std::move(meant))) return std::move(*reading);
  if (auto reading = without_interface(key)) return std::move(*reading);
  if (!known)
    if (auto reading = misspelled(key, existing_near(key))) return std::move(*reading);
  const std::string_view module = module_of(key);
  if (!module.empty() && ::access(cat(sys_, "/module/", module).c_str(), F_OK) != 0) {
    return {Presence::not_yet, "", cat("module:", module), {}, Naming::doubtful};
  }
  const std::string none = cat("there is no sysctl ", key);
  if (known) return {Presence::not_applicable, "", none, {}};
  return {
      Presence::not_applicable,
      "",
      cat(none, nearest_hint(key), "; it may need a module that is not loaded, or another kernel"),
      {},
      Naming::doubtful};
}

std::optional<Reading> SysctlProvider::misspelled(const std::string& key,
                                                  std::optional<std::string> meant) {
  if (!meant) return std::nullopt;
  return Reading{Presence::not_applicable,
                 "",
                 cat("there is no sysctl ", key, "; did you mean ", *meant, "?"),
                 {},
                 Naming::misspelled};
}

/// The key below /proc/sys that is one typo away.
std::optional<std::string> SysctlProvider::existing_near(const std::string& key) {
  const std::string path = sysctl_path(key);
  const auto names = split(path, '/');
  const auto found = path_near(names, ".", false);
  return found ? std::optional(sysctl_path(found->substr(2))) : std::nullopt;
}

std::optional<std::string> SysctlProvider::path_near(std::span<const std::string_view> names,
                                                     const std::string& directory, bool slipped) {
  const bool last = names.size() == 1;
  const std::string exact = cat(directory, '/', names.front());
  if (last && slipped) return tree_.is_key(exact) ? std::optional(exact) : std::nullopt;
  if (!last)
    if (auto found = path_near(names.subspan(1), exact, slipped)) return found;
  if (slipped) return std::nullopt;
  for (const std::string& name : tree_.list(directory)) {
    // "cpu1" and "cpu2" are two things of the same kind.
    const bool slip =
        is_one_slip(name, names.front()) && without_number(name) != without_number(names.front());
    if (!slip) continue;
    const std::string near = cat(directory, '/', name);
    if (last && tree_.is_key(near)) return near;
    if (!last)
      if (auto found = path_near(names.subspan(1), near, true)) return found;
  }
  return std::nullopt;
}

std::string SysctlProvider::first_key_below(const std::string& directory) {
  const std::vector<std::string> names = tree_.list(directory);
  for (const std::string& name : names)
    if (std::string path = cat(directory, '/', name); tree_.is_key(path)) return path;
  for (const std::string& name : names)
    if (std::string found = first_key_below(cat(directory, '/', name)); !found.empty())
      return found;
  return {};
}

/// Keys of an interface that is absent, or that has no IPv6 at the moment.
std::optional<Reading> SysctlProvider::without_interface(const std::string& key) {
  for (const std::string_view pattern :
       {"net.ipv4.conf.$dev.$key", "net.ipv4.neigh.$dev.$key", "net.ipv6.conf.$dev.$key",
        "net.ipv6.neigh.$dev.$key", "net.mpls.conf.$dev.$key"}) {
    const auto captures = match(pattern, key);
    if (!captures) continue;
    const std::string interface = sysctl_path(captures->at("$dev"));
    const std::string directory = sysctl_path(key.substr(0, key.rfind('.')));
    if (tree_.exists(directory)) return std::nullopt;
    if (key.starts_with("net.ipv6.") && tree_.exists(cat("net/ipv4/conf/", interface))) {
      // addrconf_notify() in net/ipv6/addrconf.c: no IPv6 below an MTU of 1280, all of it above.
      return Reading{Presence::not_yet, "", cat("link:", interface, ":mtu"), {}};
    }
    return Reading{Presence::missing, "", cat("there is no interface ", interface), {}};
  }
  return std::nullopt;
}

std::string SysctlProvider::nearest_hint(const std::string& key) {
  std::string directory = sysctl_path(key);
  std::string name;
  do {
    const std::size_t slash = directory.rfind('/');
    name = directory.substr(slash == std::string::npos ? 0 : slash + 1);
    directory = slash == std::string::npos ? std::string(".") : directory.substr(0, slash);
  } while (directory != "." && !tree_.exists(directory));
  const auto found = nearest(name, tree_.list(directory));
  if (!found) return {};
  if (directory == ".") return cat("; the closest name is ", name_in_key(*found));
  return cat("; the closest name is ", sysctl_path(directory), '.', name_in_key(*found));
}

std::string SysctlProvider::unit(const Address& address) const {
  const std::string key = key_of(address);
  const std::string_view family = family_of(key);
  return cat("sysctl:", family.empty() ? std::string_view(key) : family);
}

std::vector<Address> SysctlProvider::needs(const Address& address) const {
  const std::string key = key_of(address);
  std::vector<Address> first;
  if (const std::string_view module = module_of(key); !module.empty()) {
    first.push_back(Address{cat("module:", module)});
  }
  return first;
}

/// The kernel has no list of queueing disciplines; one that is a module is there while it is
/// loaded.
bool SysctlProvider::lists(const Address& address, const std::string& value) {
  const std::string key = key_of(address);
  if (key == kDefaultQdisc) return ::access(cat(sys_, "/module/sch_", value).c_str(), F_OK) == 0;
  const std::string_view list = list_of(key);
  if (list.empty()) return false;
  const auto raw = tree_.read(sysctl_path(list));
  const auto listed = words(raw.text);
  const std::string wanted = address.element().empty() ? value : std::string(address.element());
  return raw.error == 0 && std::ranges::all_of(words(wanted), [&](std::string_view word) {
           return std::ranges::find(listed, word) != listed.end();
         });
}

Result<> SysctlProvider::write(std::span<const Write> unit, const Contents&, const std::string&) {
  const bool elements = std::ranges::any_of(
      unit, [](const Write& write) { return !write.address.element().empty(); });
  if (elements) return write_elements(key_of(unit.front().address), unit);
  for (const Write& write : unit)
    if (!write.after)
      return fail(Errc::invalid,
                  cat("sysctl ", write.address.body(), " cannot be removed, only set"));
  for (const SysctlStep& step : steps_of(unit))
    if (auto written = tree_.write(sysctl_path(step.key), step.key, step.value); !written)
      return fail(with_bounds(step.key, std::move(written).error()));
  return {};
}

/// A refused value may be outside of its neighbours' bounds.
Error SysctlProvider::with_bounds(const std::string& key, Error error) {
  if (error.sys != EINVAL) return error;
  for (const std::string_view neighbour : sysctl::bounds_of(key)) {
    const auto raw = tree_.read(sysctl_path(neighbour));
    if (raw.error == 0)
      error.text +=
          cat("; its bound ", neighbour, " is ", canonical_reading(form_of(neighbour), raw.text));
  }
  return error;
}

Result<> SysctlProvider::write_elements(const std::string& key, std::span<const Write> unit) {
  const Form form = form_of(key);
  const std::string path = sysctl_path(key);
  // Read again now: what others added since the plan was made stays.
  const auto raw = tree_.read(path);
  if (raw.error != 0) {
    return fail(Errc::io,
                cat("reading ", key, " before writing it: ", tree_.read_barrier(path, raw.error)),
                raw.error);
  }
  std::string text = canonical_reading(form, raw.text);
  for (const Write& write : unit) {
    if (write.address.element().empty() && write.after) text = *write.after;
  }
  for (const Write& write : unit) {
    if (write.address.element().empty()) continue;
    text = with_element(form, text, write.address.element(), write.after.has_value());
  }
  if (text.size() > kLongestWrite)
    return fail(Errc::unsupported, cat("the list in ", key, " is longer than the ", kLongestWrite,
                                       " bytes that the kernel accepts in one write"));
  return tree_.write(path, key, text);
}

}  // namespace nettune::kinds::sysctl
