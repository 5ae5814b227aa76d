// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/mistakes.hpp"
#include "core/setting.hpp"
#include "core/state.hpp"
#include "profile/profile.hpp"
#include "toml/value.hpp"

namespace nettune::profile {

/// A file that was read, parsed and checked against the schema.
struct Document {
  toml::Node root;
  Source source;
  Mistakes mistakes;  ///< what was wrong, and is not in `root` any more
};

/// The text of a file, nothing if there is none. Refuses symbolic links and files that others than
/// root and the trusted user could have written.
Result<std::optional<std::string>> read_trusted(Disk& disk, const std::string& path,
                                                std::uint32_t trusted_uid);

/// The profile of this name from the first directory that has one. Refuses symbolic links and files
/// that others than root and the trusted user could have written.
Result<Document> read_profile(Disk& disk, const Sources& sources, const std::string& name);

struct Site {
  std::optional<Source> source;  ///< nothing if there is no site file
  toml::Node vars;               ///< a table
  std::vector<std::string> protected_devices;
  std::size_t kept_transactions = kKeptTransactions;
  std::vector<std::string> boot_probes = {};  ///< as the options --probe
  std::vector<std::string> kernel_arguments = {};
  bool acs_with_guests = false;
  bool announces_reboot = false;
  toml::Node doctor;  ///< the table [doctor], as the schema has it
  toml::Node slurm;   ///< the table [slurm], as the schema has it
};
Result<Site> read_site(Disk& disk, const Sources& sources);

/// A profile file in a directory.
struct Found {
  std::string name;
  std::string file;
  std::string shadows;
};
/// The profiles in the directories, by name; unreadable directories are in `unreadable`.
std::vector<Found> find_profiles(Disk& disk, const Sources& sources,
                                 std::vector<Error>* unreadable = nullptr);

}  // namespace nettune::profile
