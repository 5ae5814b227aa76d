// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/provider.hpp"
#include "kinds/sysctl/value.hpp"

namespace nettune::providers {

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

std::span<const SideEffect> side_effects();
std::span<const Caution> cautions();

Form form_of(std::string_view key);
/// True for keys with members of several programs; the members have addresses of their own.
inline bool has_elements(std::string_view key) {
  return form_of(key) == Form::word_set || form_of(key) == Form::ranges;
}
/// The module that brings a key; "" if none is known.
std::string_view module_of(std::string_view key);
/// The alternative of a key: two keys are one setting in two units, and writing one zeroes the
/// other; "" for none.
std::string_view rival_of(std::string_view key);
/// The ratio of such a pair for its amount; "" for other keys.
std::string_view ratio_of(std::string_view key);

using Captures = std::map<std::string, std::string, std::less<>>;
/// The values of a pattern's variables if it matches a canonical key.
std::optional<Captures> match(std::string_view pattern, std::string_view key);

}  // namespace nettune::providers
