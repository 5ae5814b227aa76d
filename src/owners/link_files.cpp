// SPDX-License-Identifier: Apache-2.0
#include "owners/link_files.hpp"

#include <string>
#include <vector>

#include "base/text.hpp"
#include "owners/network_files.hpp"

namespace nettune::owners {
namespace {

void say(const NetworkFile& file, const Link& link, bool sure, Rivals& rivals) {
  const auto is_size = [](std::string_view value) { return parse_size(value).has_value(); };
  const bool follows = nettune_follows(link.facts);
  std::string when = "udev sets it when the interface appears";
  if (!sure) when += " and the rest of [Match], which nettune cannot evaluate, matches";
  if (follows) when += ", and nettune then sets its own value";
  const auto one = [&](std::string_view key, std::string_view part) {
    if (const NetworkFile::Line* line = file.last("Link", key, is_size)) {
      rivals.say({{cat("link:", link.facts.name, ":", part)},
                  "udev",
                  line->file,
                  line->line,
                  sets(key, line->value),
                  *parse_size(line->value),
                  sure && !follows,
                  when});
    }
  };
  one("MTUBytes", "mtu");
  one("TransmitQueueLength", "txqueuelen");
}

}  // namespace

/// link_get_config() in src/udev/net/link-config.c: only the first matching file counts, and no
/// file applies to the loopback interface.
void find_link_files(const conf::Files& files, std::span<const Link> links, Rivals& rivals) {
  const std::vector<NetworkFile> all = read_network_files(files, ".link");
  for (const Link& link : links) {
    if (link.facts.link_layer == "Loopback") continue;
    for (const NetworkFile& file : all) {
      const Match fit = match(file, link, "OriginalName");
      if (fit == Match::no) continue;
      say(file, link, fit == Match::yes, rivals);
      if (fit == Match::yes) break;
    }
  }
}

}  // namespace nettune::owners
