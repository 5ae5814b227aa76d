// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace nettune::tools::render {

/// A name that templates may use. Members of a list have its name as prefix: "nodes.rank".
struct Name {
  enum class Kind { text, number, list };
  std::string_view name;
  Kind kind = Kind::text;
  std::string_view help;
  std::string_view how = {};  ///< how to give it, if it can be missing: "give --image NAME"
};

/// All names; members follow their list.
std::span<const Name> names();
/// Null for an unknown name.
const Name* find_name(std::string_view name);
/// "nodes" of "nodes.rank"; "" for a name that is not a member.
std::string_view list_of(std::string_view name);

}  // namespace nettune::tools::render
