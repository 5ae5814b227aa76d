// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conf/files.hpp"
#include "conf/ini.hpp"
#include "owners/link.hpp"

namespace nettune::owners {

/// A .network or .link file with its drop-ins, in the order in which they are read.
struct NetworkFile {
  struct Line : conf::IniLine {
    std::string file;
  };
  std::string path;
  std::vector<Line> lines;

  /// The last line that sets the key to a value that `accepts` takes. systemd skips other values
  /// with a warning in its log.
  template <class Accepts>
  const Line* last(std::string_view section, std::string_view key, Accepts accepts) const {
    const Line* found = nullptr;
    for (const Line& line : lines) {
      if (line.section == section && line.key == key && accepts(line.value)) found = &line;
    }
    return found;
  }
};

/// All files of systemd.network(5) or systemd.link(5) (`suffix` ".network" or ".link"), sorted by
/// name: systemd matches in this order.
std::vector<NetworkFile> read_network_files(const conf::Files& files, std::string_view suffix);

enum class Match {
  no,
  maybe,  ///< it depends on what nettune cannot judge: Host=, KernelCommandLine=, ...
  yes
};
/// Whether the [Match] section matches the interface. `name_key` is "Name" or "OriginalName".
Match match(const NetworkFile& file, const Link& link, std::string_view name_key);

/// Parses "1500" and "9K" as systemd reads sizes (base 1024); nothing for an invalid size.
std::optional<std::string> parse_size(std::string_view text);
/// Parses like systemd's parse_boolean().
std::optional<bool> parse_boolean(std::string_view text);

}  // namespace nettune::owners
