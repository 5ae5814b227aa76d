// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "toml/value.hpp"

namespace nettune::intake {

/// One key of a profile to write.
struct Entry {
  std::string section;           ///< "sysctl"; "link.mlx5_core" for a device set
  std::vector<std::string> key;  ///< {"mtu"}; {"app", "dscp-26"}
  toml::Node value;
  std::vector<std::string> comments = {};  ///< lines above it
  bool off = false;                        ///< commented out
};

/// A device set to write.
struct SetText {
  std::string name;
  toml::Node definition;  ///< the table [devices.NAME]
  std::vector<std::string> comments = {};
};

/// A profile to write. Texts may be anything: in comments they are made printable, and values and
/// keys are quoted.
struct ProfileText {
  std::string name;
  std::string summary;
  std::vector<std::string> heading = {};  ///< comment lines on top
  std::vector<std::string> extends = {};
  std::vector<SetText> sets = {};
  std::vector<Entry> entries = {};
  std::vector<std::string> closing = {};  ///< comment lines at the end
};

/// The profile as TOML. A section begins where its first entry is; a section or set of which every
/// entry is commented out is commented out, too.
std::string profile_toml(const ProfileText& profile);

/// "${SET.each}", for the key of a sysctl of every device in a set.
std::string each_of(std::string_view set);

/// A name for a profile of `text`: its lower-case letters and digits, "-" for all else; `otherwise`
/// if nothing is left.
std::string name_made_of(std::string_view text, std::string_view otherwise);

}  // namespace nettune::intake
