// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysctl/joined.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "kernel/sysctl_key.hpp"
#include "kinds/sysctl/table.hpp"

namespace nettune::kinds::sysctl {
namespace {

struct Parts {
  std::string_view directory;  ///< "net.ipv4.conf"
  std::string_view interface;  ///< as in the key
  std::string_view name;
};

std::optional<Parts> parts_of(std::string_view key) {
  const std::size_t name = key.rfind('.');
  if (name == key.npos || name == 0) return std::nullopt;
  const std::size_t interface = key.rfind('.', name - 1);
  if (interface == key.npos) return std::nullopt;
  return Parts{key.substr(0, interface), key.substr(interface + 1, name - interface - 1),
               key.substr(name + 1)};
}

const Join* join_of(const Parts& parts) {
  for (const Join& row : joins())
    if (row.directory == parts.directory && std::ranges::count(words(row.keys), parts.name) != 0)
      return &row;
  return nullptr;
}

/// Why `value` does nothing beside `other`; "" if it counts.
std::string_view hidden(Joined joined, std::string_view value, std::string_view other) {
  const auto number = parse_int(value);
  const auto beside = parse_int(other);
  if (!number || !beside) return {};
  switch (joined) {
    case Joined::larger:
      return *beside > *number ? "the kernel uses the larger value" : "";
    case Joined::smaller:
      return *beside < *number ? "the kernel uses the smaller value" : "";
    case Joined::either:
      return *number == 0 && *beside != 0 ? "one of the two is enough" : "";
    case Joined::both:
      return *number != 0 && *beside == 0 ? "the kernel wants both" : "";
    default:
      return {};
  }
}

/// How the two join on one interface.
Joined joined_on(const Join& row, const Parts& parts, std::string_view interface,
                 const ValueOfKey& later) {
  if (row.joined != Joined::redirects) return row.joined;
  const auto forwards = later(cat(parts.directory, '.', interface, ".forwarding"));
  if (!forwards) return Joined::own;
  return *forwards == "0" ? Joined::either : Joined::both;
}

std::string none_on_interface(const Join& row, const Parts& parts, std::string_view value,
                              const ValueOfKey& later) {
  const std::string key = cat(parts.directory, ".all.", parts.name);
  const auto all = later(key);
  if (!all) return {};
  std::string_view why = hidden(joined_on(row, parts, parts.interface, later), value, *all);
  if (row.joined == Joined::all && *all != "0" && *all != value) why = "that one comes first";
  return why.empty() ? std::string()
                     : cat("has no effect, since ", key, " is ", *all, " and ", why);
}

std::string none_on_all(const Join& row, const Parts& parts, std::string_view value,
                        const ValueOfKey& later, std::span<const std::string> interfaces) {
  if (row.joined == Joined::own)
    return "has no effect, since the kernel uses only the value of each interface";
  constexpr std::size_t kMostNames = 3;
  std::vector<std::string> names;
  std::string_view reason;
  for (const std::string& interface : interfaces) {
    const std::string in_key = kernel::sysctl_path(interface);
    if (interface == "all" || interface == "default" || interface == "lo") continue;
    const auto own = later(cat(parts.directory, '.', in_key, '.', parts.name));
    if (!own) continue;
    const std::string_view why = hidden(joined_on(row, parts, in_key, later), value, *own);
    if (why.empty()) continue;
    reason = why;
    names.push_back(cat(interface, " (", *own, ")"));
  }
  if (names.empty()) return {};
  const std::size_t more = names.size() - std::min(names.size(), kMostNames);
  names.resize(names.size() - more);
  return cat("has no effect on ", join(names, ", "), more > 0 ? cat(" and ", more, " more") : "",
             ", since ", reason);
}

}  // namespace

std::string no_effect_of(std::string_view key, std::string_view value, const ValueOfKey& later,
                         std::span<const std::string> interfaces) {
  const auto parts = parts_of(key);
  if (!parts || parts->interface == "default") return {};
  for (const Moot& row : moots()) {
    const auto captures = match(row.key, key);
    if (!captures || !fits(value, row.value)) continue;
    const std::string under =
        cat(parts->directory, '.', parts->interface, row.under.substr(row.under.rfind('.')));
    if (const auto now = later(under); now && *now != "0")
      return cat("has no effect, since ", under, " is ", *now);
  }
  const Join* const row = join_of(*parts);
  if (!row) return {};
  return parts->interface == "all" ? none_on_all(*row, *parts, value, later, interfaces)
                                   : none_on_interface(*row, *parts, value, later);
}

}  // namespace nettune::kinds::sysctl
