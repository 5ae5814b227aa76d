// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/provider.hpp"
#include "kinds/sysctl/value.hpp"

namespace nettune::kinds::sysctl {

/// What nettune knows about sysctls beyond their names: data, each row with its kernel function.
/// Patterns are keys with variables: `$if` is the name of an interface, "all" or "default", `$dev`
/// that of an interface only, `$key` any name.

/// The new value of an affected key.
enum class Moves {
  same,      ///< the value that was written
  opposite,  ///< 0 for any value but 0, and 1 for 0
  zero,      ///< 0
  gains,     ///< a set of words that gains the written one
  unknown,   ///< depends on state that the kernel does not show
};

/// Writing `key` also changes `touches`.
struct SideEffect {
  std::string_view key;
  std::string_view touches;
  Moves moves;
  std::string_view source;       ///< function and file in the kernel
  std::string_view except = {};  ///< values of $key that are exceptions, as words
};

/// Writing `value` to `key` has an effect that the value does not show.
struct Caution {
  std::string_view key;
  std::string_view value;  ///< "" for any, "!0" for any but 0
  Impact impact;
  Undo undo;
  std::string_view residue;
};

/// The interfaces that a write exposes.
enum class Exposed {
  every,   ///< all of them
  routed,  ///< those with routes from router advertisements
  own,     ///< that of the key
};

/// Writing `value` to `key` can cut an interface, or leaves `residue` there (with its name after
/// it), unless `shield` has the value `shielding`. `$exposed` is the name of the interface, also in
/// addresses of other kinds.
struct Exposure {
  std::string_view key;
  std::string_view value;
  Exposed exposed;
  std::string_view shield;
  std::string_view shielding;
  bool cuts;
  std::string_view residue;
};

/// While `key` has `value`, it protects against side effects of other writes.
struct Protection {
  std::string_view key;
  std::string_view value;
  std::string_view source;  ///< function and file in the kernel
};

/// What the kernel uses of an interface's value and that of "all".
enum class Joined {
  larger,
  smaller,
  either,     ///< 1 if one of them is not 0
  both,       ///< 1 if none of them is 0
  all,        ///< that of "all", unless it is 0
  own,        ///< that of the interface; "all" does nothing
  redirects,  ///< both where the interface forwards, else either: IN_DEV_RX_REDIRECTS
};

/// How keys of an interface join with those of "all".
struct Join {
  std::string_view directory;  ///< "net.ipv4.conf"
  Joined joined;
  std::string_view keys;  ///< as words
};

/// `value` of `key` does nothing while `under` is not 0.
struct Moot {
  std::string_view key;
  std::string_view value;
  std::string_view under;
};

/// The values of a key are names of what the kernel offers.
struct Offer {
  std::string_view key;
  std::string_view list;    ///< the key that has them all; "" for none
  std::string_view module;  ///< the kernel loads the module of this name and the value; "" for none
  std::string_view known = {};  ///< values that every kernel has, as words
};

std::span<const SideEffect> side_effects();
std::span<const Caution> cautions();
std::span<const Exposure> exposures();
std::span<const Protection> protections();
std::span<const Join> joins();
std::span<const Moot> moots();

/// Whether a value fits the `value` of a row.
bool fits(std::string_view value, std::string_view row);
/// Whether the value of a key protects; nothing for a key that never does.
std::optional<bool> protects(std::string_view key, std::string_view value);

/// Null for a key whose values are no such names.
const Offer* offer_of(std::string_view key);

Form form_of(std::string_view key);
/// True for keys with members of several programs; the members have addresses of their own.
inline bool has_elements(std::string_view key) {
  return form_of(key) == Form::word_set || form_of(key) == Form::ranges;
}
/// The module that brings a key; "" if none is known.
std::string_view module_of(std::string_view key);
/// The key that lists the values of another one, as words; "" if there is none.
std::string_view list_of(std::string_view key);
/// The alternative of a key: two keys are one setting in two units, and writing one zeroes the
/// other; "" for none.
std::string_view rival_of(std::string_view key);
/// The ratio of such a pair for its amount; "" for other keys.
std::string_view ratio_of(std::string_view key);

using Captures = std::map<std::string, std::string, std::less<>>;
/// The values of a pattern's variables if it matches a canonical key.
std::optional<Captures> match(std::string_view pattern, std::string_view key);
/// The rows of side effects that a write of the key has, with the variables of their patterns.
std::vector<std::pair<const SideEffect*, Captures>> side_effects_of(std::string_view key);

}  // namespace nettune::kinds::sysctl
