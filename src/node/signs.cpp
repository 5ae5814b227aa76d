// SPDX-License-Identifier: Apache-2.0
#include "node/signs.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "conf/files.hpp"
#include "node/identity.hpp"
#include "node/summary.hpp"
#include "owners/daemon.hpp"

namespace nettune::node {

namespace {

/// The package brings a site file of comments alone. One that cannot be read is somebody's.
bool says_something(Disk& disk, const std::string& path) {
  constexpr std::uint64_t kMost = 1U << 20;
  const auto text = disk.read(path, kMost);
  if (!text) return true;
  if (!*text) return false;
  return std::ranges::any_of(split(**text, '\n'), [](std::string_view line) {
    return !trim(line).empty() && !trim(line).starts_with('#');
  });
}

}  // namespace

void find_signs(Context& context, StateView& state) {
  const Locations& locations = context.locations();
  const bool known = state.unreadable.empty() && state.damaged.empty() && !state.is_open();
  // The site's files are about its own node and the usual state directory.
  if (!known || state.has_records || context.recorded() || context.image() ||
      locations.state_directory != Locations().state_directory)
    return;
  // Every command of root leaves one; it has what was done since the node booted.
  if (const auto summary = read_summary(context)) {
    const auto boot = boot_id(context.disk());
    const Summary::Lasting& lasting = summary->lasting;
    if (boot && lasting.boot_id == *boot && (lasting.generation > 0 || !lasting.history.empty()))
      state.signs.push_back(cat(kSummaryFile, " of this boot"));
  }
  if (says_something(context.disk(), locations.site_file))
    state.signs.push_back(locations.site_file);
  const std::string cron = "/etc/cron.d/nettune";
  if (const auto found = context.disk().info(cron); found && *found) state.signs.push_back(cron);
  // The package enables nettune-apply.service everywhere; these two are for who wants them.
  const conf::Files files(context.disk(), "");
  for (const std::string_view unit : {"nettune-check.timer", "nettune-watch.service"})
    if (owners::starts_at_boot(files, unit)) state.signs.push_back(cat(unit, " is enabled"));
}

}  // namespace nettune::node
