// SPDX-License-Identifier: Apache-2.0
#include "node/held.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "facts/collect.hpp"
#include "kinds/link/provider.hpp"
#include "node/device_index.hpp"
#include "node/devices.hpp"
#include "node/identity.hpp"
#include "node/present_names.hpp"
#include "node/snapshot.hpp"
#include "node/stale_lines.hpp"
#include "owners/claims.hpp"

namespace nettune::node {

bool is_drift(const PlanItem& item) {
  return item.role == PlanItem::Role::set && (item.to_write() || item.verdict == Verdict::missing);
}

std::vector<PlanItem> not_in_sync(const Held& held) {
  std::vector<PlanItem> apart;
  for (const PlanItem& item : held.plan.items)
    if (is_drift(item) || (item.verdict == Verdict::not_permitted && !item.setting.optional))
      apart.push_back(item);
  for (const Setting& setting : held.gone) {
    PlanItem item;
    item.setting = setting;
    item.verdict = Verdict::missing;
    item.now = {Presence::missing, {}, "its device is gone", {}};
    apart.push_back(std::move(item));
  }
  return apart;
}

namespace {

/// Whether devices came, went or were renamed since, as the links now show.
bool devices_moved(const Transaction& active, const std::vector<kernel::Link>& links) {
  const std::string token = without_indexes(active.device_token);
  return !token.empty() && device_token(kernel::link_token(links)) != token;
}

/// As a setting that differs, for check.
PlanItem item_of(const StaleLine& line) {
  PlanItem item;
  item.setting.address = line.value.address;
  item.setting.device = line.value.device;
  item.setting.want = line.value.baseline;
  item.setting.origin.file = line.source;
  item.verdict = Verdict::different;
  item.now = {Presence::present, line.value.committed.value_or(""), line.text, {}};
  return item;
}

/// A file that is as applied and has no effect is drift too: the program that reads it takes
/// another one's line.
void add_overridden(Context& context, const std::vector<Setting>& settings,
                    const std::vector<std::size_t>& apart, Held& held) {
  for (const Claim& claim : owners::find_overrides(context.disk(), settings)) {
    const auto setting = std::ranges::find(settings, claim.address, &Setting::address);
    const auto index = static_cast<std::size_t>(setting - settings.begin());
    if (std::ranges::find(apart, index) != apart.end()) continue;
    const auto told = std::ranges::find(held.plan.items, claim.address,
                                        [](const PlanItem& item) { return item.setting.address; });
    if (told != held.plan.items.end()) {
      told->now.why += cat("; ", claim.text);
      continue;
    }
    PlanItem item;
    item.setting = *setting;
    item.verdict = Verdict::different;
    item.now.presence = Presence::present;
    item.now.text =
        cat("overridden by ", printable(claim.file), claim.line > 0 ? cat(':', claim.line) : "");
    item.now.why = claim.text;
    item.after = setting->want;
    held.overridden.insert(item.setting.address);
    held.plan.items.push_back(std::move(item));
  }
}

}  // namespace

Result<Desired> desired_now(Context& context, const Transaction& active) {
  Desired desired = desired_of(active);
  if (active.device_token.empty()) return desired;
  TRY_ASSIGN(const auto links, kernel::dump_links());
  if (!devices_moved(active, links)) return desired;
  TRY_ASSIGN(const facts::Facts ports, facts::collect_ports(facts::live()));
  put_in_present_names(context.state(), DeviceNames(ports), desired);
  return desired;
}

Result<Held> plan_active(Context& context, const Transaction& active) {
  TRY_ASSIGN(const Providers* const live, context.providers());
  Held held;
  held.plan.profile = active.profile;
  held.admissions = active.admissions;
  const Providers* providers = live;
  Providers snapshot;
  bool moved = false;
  if (!without_indexes(active.device_token).empty()) {
    TRY_ASSIGN(const auto links, kinds::link::dump_shared());
    moved = devices_moved(active, *links);
    snapshot = with_links(*live, links);
    providers = &snapshot;
  }
  Located located{active.settings, {}, active.owned, {}};
  std::vector<StaleLine> stale;
  std::optional<DeviceNames> names;
  facts::Facts ports;  // asks no driver for anything: a timer comes here
  const bool looks = moved || has_gid_index(active);
  if (looks) {
    TRY_ASSIGN(ports, facts::collect_ports(facts::live()));
  }
  if (moved) {
    names.emplace(ports);
    Desired present = desired_of(active);
    put_in_present_names(context.state(), *names, present);
    located = locate_all(present.settings, active.owned, *names);
    held.admissions = std::move(present.admissions);
    held.contents = std::move(present.contents);
    held.notes = std::move(present.notes);
    if (const auto boot = boot_id(context.disk()))
      stale = stale_lines(context.disk(), active, *boot, located, found_under(active.found, *names),
                          *names, *providers);
  }
  held.gone = std::move(located.gone);
  Desired desired;
  desired.profile = active.profile;
  // Side effects are not requested: only the settings are compared.
  std::map<Address, Owned> owned;
  const std::vector<std::size_t> apart = not_holding(located.settings, *providers);
  for (const std::size_t index : apart) {
    const Setting& setting = desired.settings.emplace_back(located.settings[index]);
    if (const auto found = located.owned.find(setting.address); found != located.owned.end())
      owned.insert(*found);
  }
  if (!desired.settings.empty()) {
    PlanInput input{desired, owned, {}, {}, false, false};
    if (!active.refused.empty()) {
      TRY_ASSIGN(const std::string boot, boot_id(context.disk()));
      input.refused =
          refused_in_boot(active, boot, [&](const Address& address, const std::string& device) {
            return names ? names->locate(address, device) : std::optional(address);
          });
    }
    TRY_ASSIGN(held.plan, make_plan(input, *providers));
  }
  for (const StaleLine& line : stale) {
    if (line.source.empty())
      held.notes.push_back(line.text);
    else
      held.plan.items.push_back(item_of(line));
  }
  if (looks)
    std::ranges::move(left_behind(context.state(), active, ports),
                      std::back_inserter(held.plan.items));
  add_overridden(context, located.settings, apart, held);
  return held;
}

std::vector<std::string> moved_sources(Disk& disk, const Transaction& active) {
  std::vector<std::string> moved;
  for (const Source& source : active.sources) {
    const auto info = disk.info(source.path);
    if (!info) continue;  // not readable without root: nothing to report
    if (!*info)
      moved.push_back(cat(source.path, " no longer exists"));
    else if ((*info)->size != source.size || (*info)->mtime_ns != source.mtime_ns)
      moved.push_back(cat(source.path, " changed since"));
  }
  return moved;
}

}  // namespace nettune::node
