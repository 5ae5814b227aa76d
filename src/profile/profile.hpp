// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/mistakes.hpp"
#include "base/result.hpp"
#include "core/provider.hpp"
#include "core/setting.hpp"
#include "facts/facts.hpp"

namespace nettune::profile {

/// Where profiles come from. Earlier directories shadow later ones by profile name.
struct Sources {
  std::vector<std::string> directories;    ///< /etc/nettune/profiles, /usr/share/nettune/profiles
  std::string site_file;                   ///< /etc/nettune/site.toml; may be absent
  std::map<std::string, std::string> set;  ///< --set name=value, texts as typed
  /// Besides root, who may own the files and their directories; root alone by default.
  std::uint32_t trusted_uid = 0;
  /// How settings of the kind sysctl are on the node that is planned for, one reading an address;
  /// not there where nobody can look: for a recorded node, and for an image.
  std::function<std::vector<Reading>(std::span<const Address>)> read_sysctls = {};
};

struct Listed {
  std::string name;
  std::string summary;
  std::string file;
  std::string shadows;  ///< the file that this one hides, if any
  std::string error;    ///< why it cannot be used, if it cannot
};

/// A value with where it comes from, for `show --origin`.
struct Shown {
  std::string section;  ///< "sysctl", "link.fabric", "env", ...
  std::string key;
  std::string value;  ///< as in the profile, variables put in
  Origin origin;
  std::string why = {};  ///< as add_reasons()
};

/// What the device sets that must not be empty ask for: of the profiles that fit a node, the one
/// that asks for most makes most of it.
struct Demand {
  bool rdma = false;
  std::int64_t speed_gbps = 0;

  auto operator<=>(const Demand&) const = default;
};

struct Resolved {
  Desired desired;
  Demand demand;
  std::vector<Shown> shown;
  /// Device sets: name to the interfaces that are in it, in order.
  std::map<std::string, std::vector<std::string>> sets;
  /// Set when the profile does not fit this node (a require that fails); nothing may be applied.
  std::vector<std::string> misfits;
  /// Reasons not to apply without a flag ([refuse] of the profile that holds on this node).
  std::vector<std::string> cautions;
};

/// A profile name: lower-case letters, digits, '-', '_' and '.', starting with a letter or digit,
/// no "..".
Result<> check_name(std::string_view name);

/// Every profile in the directories, by name; what is broken is in the list with its reason.
std::vector<Listed> list(Disk& disk, const Sources& sources);

/// The interfaces that the site file declares protected ([protect] devices); facts are collected
/// with them. Empty when there is no site file.
Result<std::vector<std::string>> protected_devices(Disk& disk, const Sources& sources);

/// How many transactions the site file wants to be kept ([history] keep), or the usual number.
Result<std::size_t> kept_transactions(Disk& disk, const Sources& sources);

/// From a profile's name to settings: load, extend, merge, put in variables, choose devices, expand
/// intents, derive boot files. Pure but for reading the profile files through `disk`; `facts` is
/// the node planned for. Changes nothing. Errors carry file and line.
Result<Resolved> resolve(Disk& disk, const Sources& sources, const std::string& name,
                         const facts::Facts& facts);
/// The same as far as it goes: what is wrong with single settings goes into `mistakes`.
Result<Resolved> resolve(Disk& disk, const Sources& sources, const std::string& name,
                         const facts::Facts& facts, Mistakes& mistakes);

/// Gives each shown value the reason that its file has for it: the comment above it.
void add_reasons(Disk& disk, const Sources& sources, Resolved& resolved);

/// JSON Schema (2020-12) of the profile format, as text.
std::string schema_json();
/// The same of the site file.
std::string site_schema_json();

}  // namespace nettune::profile
