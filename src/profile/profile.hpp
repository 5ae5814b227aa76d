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
  /// The user besides root who may own the files and their directories; only root by default.
  std::uint32_t trusted_uid = 0;
  /// Reads sysctls of the planned node, one reading for each address; empty for a recorded node and
  /// for an image, where they cannot be read.
  std::function<std::vector<Reading>(std::span<const Address>)> read_sysctls = {};
};

struct Listed {
  std::string name;
  std::string summary;
  std::string file;
  std::string shadows;  ///< the file that this one hides, if any
  std::string error;    ///< why it cannot be used; "" if it can
};

/// A value with where it comes from, for `show --origin`.
struct Shown {
  std::string section;  ///< "sysctl", "link.fabric", "env", ...
  std::string key;
  std::string value;  ///< as in the profile, variables put in
  Origin origin;
  std::string why = {};  ///< as add_reasons()
};

/// The sum of what non-empty device sets require: of several matching profiles, the one that
/// requires most makes the best use of the node.
struct Demand {
  bool rdma = false;
  std::int64_t speed_gbps = 0;

  auto operator<=>(const Demand&) const = default;
};

struct Resolved {
  Desired desired;
  Demand demand;
  std::vector<Shown> shown;
  /// The device sets: the names of their interfaces, in order.
  std::map<std::string, std::vector<std::string>> sets;
  /// Set if the profile does not match this node (a failed require); nothing may be applied.
  std::vector<std::string> misfits;
  /// Reasons to apply only with a flag ([refuse] of the profile that holds on this node).
  std::vector<std::string> cautions;
  std::string in_short = {};  ///< the first misfit, else caution, in a few words
};

/// A profile name: lower-case letters, digits, '-', '_' and '.', starting with a letter or digit,
/// no "..".
Result<> check_name(std::string_view name);
/// The name that the profile in this file has: "x" for "/d/x.toml".
Result<std::string> name_of_file(const std::string& path);

/// Every profile in the directories, by name; a broken one is listed with the reason.
std::vector<Listed> list(Disk& disk, const Sources& sources);

/// The interfaces that the site file protects ([protect] devices), for collecting facts. Empty if
/// there is no site file.
Result<std::vector<std::string>> protected_devices(Disk& disk, const Sources& sources);

/// The number of transactions to keep: the site file's [history] keep, or the default.
Result<std::size_t> kept_transactions(Disk& disk, const Sources& sources);

/// Turns a profile's name into settings: loads, extends, merges, inserts variables, chooses
/// devices, expands intents, derives boot files. Its only input and output is reading profile files
/// through `disk`; `facts` is the node planned for. Errors carry file and line.
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
