// SPDX-License-Identifier: Apache-2.0
#include "node/planning.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "core/foreign.hpp"
#include "kinds/firewall/kind.hpp"
#include "kinds/link/provider.hpp"
#include "kinds/nccl_conf/kind.hpp"
#include "node/device_index.hpp"
#include "node/devices.hpp"
#include "node/identity.hpp"
#include "node/image.hpp"
#include "node/incompatible_settings.hpp"
#include "node/lockout_guard.hpp"
#include "node/present_names.hpp"
#include "node/profile_overlay.hpp"
#include "node/qualify/evidence_notes.hpp"
#include "node/required_traffic.hpp"
#include "node/setting_selection.hpp"
#include "node/snapshot.hpp"
#include "node/stale_lines.hpp"
#include "node/unrecorded.hpp"
#include "owners/claims.hpp"

namespace nettune::node {

namespace {

std::vector<Guard> guards_from(const facts::Facts& facts) {
  std::vector<Guard> guards;
  for (const facts::NetDevice& device : facts.net)
    if (!device.protected_by.empty())
      guards.push_back({device.name, join(device.protected_by, ", ")});
  return guards;
}

/// The user can fix a mistake in a profile, even if the reason is a rule of ours (who may own the
/// file). A file that the kernel does not let us read remains a question of permission.
Failure profile_failure(Error error) {
  if (error.sys == 0) error.code = Errc::invalid;
  return fail(std::move(error));
}

/// The managed settings of the active generation, under the present names of their devices.
Located locate(const facts::Facts& facts, const std::optional<Transaction>& active) {
  if (!active) return {};
  return locate_all(active->settings, active->owned, DeviceNames(facts));
}

/// Identities of the devices with settings: managers match their files by them.
std::vector<owners::LinkFacts> links_of(const facts::Facts& facts, const Desired& desired) {
  std::set<std::string> names;
  for (const Setting& setting : desired.settings) names.insert(device_in(setting.address));
  std::vector<owners::LinkFacts> links;
  for (const facts::NetDevice& device : facts.net)
    if (names.contains(device.name))
      links.push_back({device.name, device.ifindex, device.mac, device.permanent_mac, device.driver,
                       device.kind, device.link_layer, device.physical});
  return links;
}

/// What shows whether a present ssh session could come again; null if that is not needed, or with
/// a gap if it cannot be read.
const kernel::NfRuleset* rules_for_guard(Context& context, const facts::Facts& facts,
                                         const std::map<Address, Owned>& owned,
                                         std::vector<std::string>& gaps) {
  const bool ours = std::any_of(owned.begin(), owned.end(), [](const auto& each) {
    return kinds::firewall::kFirewall.has(each.first);
  });
  if (context.recorded() || context.image() || facts.ssh.empty() || !ours) return nullptr;
  const auto ruleset = context.ruleset().now();
  if (!ruleset) gaps.push_back(ruleset.error().text);
  return ruleset ? *ruleset : nullptr;
}

/// The identities of the devices to leave out.
Result<std::map<std::string, std::string>> identities_of(const facts::Facts& facts,
                                                         const std::vector<std::string>& names) {
  std::map<std::string, std::string> identities;
  for (const std::string& name : names) {
    const std::string why = cat("left out (--without ", name, ")");
    const std::size_t before = identities.size();
    for (const facts::NetDevice& device : facts.net)
      if (device.name == name) identities.emplace(device.identity, why);
    for (const facts::RdmaDevice& device : facts.rdma)
      if (device.name == name) identities.emplace(device.identity, why);
    if (identities.size() == before)
      return fail(Errc::invalid, cat("--without: there is no device ", printable(name),
                                     "; nettune facts lists them"));
  }
  return identities;
}

bool has_same_sources(const std::vector<Source>& left, const std::vector<Source>& right) {
  return std::ranges::equal(left, right, [](const Source& a, const Source& b) {
    return a.path == b.path && a.digest == b.digest;
  });
}

/// The values that are not tried again: not what a person asks for in a changed profile, or with
/// --force.
std::map<Address, Refusal> refusals(const std::optional<Transaction>& active,
                                    const Desired& desired, const Result<std::string>& boot,
                                    const DeviceNames& names, bool force) {
  if (!active || active->refused.empty() || force || !boot ||
      !has_same_sources(active->sources, desired.sources))
    return {};
  return refused_in_boot(*active, *boot, [&](const Address& address, const std::string& device) {
    return names.locate(address, device);
  });
}

/// Under today's names, each list in the order of its addresses, as find_debt() wants it.
void add_debts_to(PlanInput& input, const Debts& debts, const DeviceNames& names) {
  Debts present;
  Debts gone;
  for (Debt debt : debts) {
    const auto address = names.locate(debt.owed.address, debt.owed.device);
    if (!address) {
      gone.push_back(std::move(debt));
      continue;
    }
    if (!debt.owed.cause.text.empty())
      debt.owed.cause = with_device(debt.owed.cause, device_in(*address));
    debt.owed.address = *address;
    present.push_back(std::move(debt));
  }
  input.debts = add_debts(std::move(input.debts), present);
  input.debts_gone = add_debts(std::move(input.debts_gone), gone);
}

/// A side effect is also found again by its device.
void name_devices(Plan& plan, const facts::Facts& facts) {
  std::map<std::string, std::string> identities;
  for (const facts::NetDevice& device : facts.net) identities.emplace(device.name, device.identity);
  for (const facts::RdmaDevice& device : facts.rdma)
    identities.emplace(device.name, device.identity);
  for (PlanItem& item : plan.items)
    for (Witness& witness : item.effects.touches)
      if (const auto found = identities.find(device_in(witness.address));
          witness.device.empty() && found != identities.end())
        witness.device = found->second;
}

Result<Plan> make(Context& context, const Desired& desired, const facts::Facts& facts,
                  const std::optional<Transaction>& active, const PlanRequest& request) {
  TRY_ASSIGN(const Providers* const providers, context.providers());
  Located located = locate(facts, active);
  for (const Owned& owned : request.taken_over) located.owned.emplace(owned.address, owned);
  const DeviceNames names(facts);
  TRY_ASSIGN(const auto without, identities_of(facts, request.without));
  const std::string boot = active ? active->identity.boot_id : std::string();
  const auto now = boot_id(context.disk());
  // After a reboot a namespace's number means another one.
  if (!now || *now != boot)
    std::erase_if(located.owned, [](const auto& each) { return is_foreign(each.first); });
  std::vector<Owned> found = active ? found_under(active->found, names) : std::vector<Owned>();
  std::vector<StaleLine> stale;
  if (active && now && !context.recorded() && !context.image())
    stale = stale_lines(context.disk(), *active, *now, located, found, names, *providers);
  for (const StaleLine& line : stale)
    if (!line.source.empty()) located.owned.emplace(line.value.address, line.value);
  auto claims = claims_on(context, desired, facts, located.owned);
  std::vector<std::string> gaps = facts.access_gaps;
  const kernel::NfRuleset* const ruleset = rules_for_guard(context, facts, located.owned, gaps);
  PlanInput input{desired,
                  located.owned,
                  std::move(claims),
                  guards_from(facts),
                  request.allow_management,
                  request.force,
                  located.owned_gone,
                  request.only_devices,
                  request.only_kind,
                  request.leave_refused,
                  request.accept_owners,
                  lockouts(desired, located.owned, facts.ssh, ruleset),
                  std::move(found)};
  input.debts_gone = debts_of_gone(located.owned_gone, desired.absent, now && *now == boot);
  add_debts_to(input, request.debts, names);
  input.only_debts = request.only_debts;
  input.per_device = request.per_device;
  input.without = without;
  input.refused = refusals(active, desired, now, names, request.force);
  for (const std::string& address : request.only_settings) input.only.insert(Address{address});
  TRY_ASSIGN(Plan plan, make_plan(input, *providers));
  plan.takes_over = !request.taken_over.empty();
  plan.access_gaps = std::move(gaps);
  name_devices(plan, facts);
  for (const StaleLine& line : stale) plan.notes.push_back(line.text);
  for (const Owned& owned : located.owned_gone)
    if (owned.cause.text.empty())
      plan.notes.push_back(
          cat(owned.address.text, " was set by nettune, but ", away_text(owned.device)));
  std::set<Address> told;
  for (const Owned& owned : located.owned_gone) told.insert(owned.address);
  for (const Debt& debt : plan.debts_gone)
    if (!told.contains(debt.owed.address))
      plan.notes.push_back(cat(debt.owed.address.text, " is still owed: ", debt.reason));
  return plan;
}

/// Changes that nobody has tried on such hardware. This machine knows nothing about a recorded node
/// or an image.
void add_evidence_notes(Context& context, const facts::Facts& facts, Plan& plan) {
  if (context.recorded() || context.image() || !qualify::asks_for_evidence(plan)) return;
  const auto evidence =
      qualify::read_evidence(context.disk(), qualify::evidence_directories(), plan.notes);
  for (std::string& note : qualify::evidence_notes(
           plan, facts, evidence,
           [&](const std::string& name) { return qualify::hardware_of(facts, name); }))
    plan.notes.push_back(std::move(note));
}

/// Keys that are wrong, not merely absent here. An `optional` key may belong to another kernel.
void find_mistaken(const Plan& plan, Mistakes& mistakes) {
  for (const PlanItem& item : plan.items) {
    if (item.role != PlanItem::Role::set || item.verdict != Verdict::not_applicable) continue;
    const bool misspelled = item.now.naming == Naming::misspelled && !item.setting.optional;
    if (!misspelled && item.now.naming != Naming::impossible) continue;
    const Origin& origin = item.setting.origin;
    mistakes.add(
        {Errc::invalid,
         cat(item.setting.address.text, ": ", item.now.why,
             misspelled ? "; correct it, or set optional = true if another kernel has this key"
                        : ""),
         0, origin.file, origin.line});
  }
}

/// What --only leaves out of `whole`, the settings of a profile; "" for nothing.
std::string part_text(const std::string& profile, const std::vector<Setting>& whole,
                      const std::vector<Setting>& kept) {
  const auto left_out = std::ranges::count_if(whole, [&](const Setting& setting) {
    return !std::ranges::binary_search(kept, setting.address, {}, &Setting::address);
  });
  if (left_out == 0) return {};
  return cat("only a part of ", profile, " (--only): ", left_out, " of its ",
             counted(whole.size(), "setting"), left_out == 1 ? " is" : " are", " left out");
}

bool only_records(const Context& context, const Planned& planned,
                  const std::optional<Transaction>& active) {
  return !planned.plan.writes() &&
         !nothing_to_record(active, planned.plan, planned.resolved.desired,
                            awaits_first_boot(context, planned.plan));
}

/// A generation of a running machine has values that an image lacks.
Result<> check_image(const Context& context, const std::optional<Transaction>& active) {
  if (!context.image() || !active || active->image) return {};
  if (holds_nothing(*active)) return {};
  return fail(Errc::conflict,
              cat("the state in ", printable(context.locations().root),
                  " was applied on a running "
                  "machine (generation ",
                  active->number, "), so it is not an image; boot it, and use nettune there"));
}

/// A device never leaves a set automatically: not because it is gone, lost its address, or carries
/// a present ssh connection. Somebody must say so.
void add_fallen(const Transaction& active, profile::Resolved& resolved) {
  std::set<std::pair<std::string_view, std::string_view>> now;
  for (const Member& member : resolved.desired.members) now.emplace(member.set, member.device);
  for (const Member& before : active.members) {
    if (!now.contains({before.set, before.device}))
      resolved.cautions.push_back(
          cat(before.name, " (", before.device, ") was in the device set ", before.set, " when ",
              active.profile,
              " was applied, but is not now (it is gone or no longer matches): continuing would "
              "leave it out and restore its settings"));
  }
}

int rank_of(const Match& match) { return !match.matches ? 2 : match.cautions.empty() ? 0 : 1; }

/// Best first: the profile that uses most of the node and adds least of its own.
bool is_nearer(const Match& left, const Match& right) {
  return std::tuple(rank_of(left), right.demand, right.sets_environment, left.settings,
                    left.listed.name) < std::tuple(rank_of(right), left.demand,
                                                   left.sets_environment, right.settings,
                                                   right.listed.name);
}

/// A sentence that names the profiles that match instead, the nearest first.
std::string instead(Context& context, const facts::Facts& facts) {
  std::vector<std::string> fitting;
  for (const Match& match : match_profiles(context, facts))
    if (rank_of(match) == 0) fitting.push_back(match.listed.name);
  if (fitting.empty()) return "no profile here matches this node";
  const std::vector<std::string> others(fitting.begin() + 1, fitting.end());
  return cat("the closest profile that matches this node: ", fitting.front(),
             others.empty() ? "" : cat("; others that match: ", join(others, ", ")));
}

}  // namespace

namespace {

/// The plan shows what nettune manages from now on without writing it.
void add_taken_over(const std::vector<Owned>& owned, Planned& planned) {
  for (const Owned& one : owned) {
    if (!one.cause.text.empty()) continue;
    planned.taken_over.push_back(one.address);
    planned.plan.notes.push_back(
        cat(one.address.text, " bears nettune's mark without a record and is exactly what ",
            planned.plan.profile, " writes: it is taken over, and rollback will remove it"));
  }
}

}  // namespace

PlanRequest request_of(const ChangeRequest& change, const StateView& state) {
  PlanRequest request{change.allow_management, change.force, change.accept_owners};
  request.debts = state.debts;
  request.without = change.without;
  request.only_settings = change.only_settings;
  request.unrecorded = change.unrecorded;
  return request;
}

Result<std::string> token_of(const Desired& desired) {
  if (!desired.absent.empty()) return std::string("some are missing");
  const bool named = std::any_of(desired.settings.begin(), desired.settings.end(),
                                 [](const Setting& setting) { return !setting.device.empty(); });
  if (!named && desired.names.empty()) return std::string();
  TRY_ASSIGN(const auto links, kernel::dump_links());
  return device_token(kernel::link_token(links));
}

namespace {

Result<profile::Resolved> resolve_with(Context& context, const std::string& profile,
                                       Mistakes& mistakes) {
  if (auto named = profile::check_name(profile); !named)
    return profile_failure(std::move(named).error());
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  auto resolved =
      profile::resolve(context.disk(), context.profile_sources(), profile, *facts, mistakes);
  if (!resolved) return profile_failure(std::move(resolved).error());
  return std::move(*resolved);
}

Result<> refuse(const Mistakes& mistakes) {
  const Result<> good = mistakes.result();
  return good ? Result<>() : Result<>(profile_failure(good.error()));
}

}  // namespace

Result<profile::Resolved> resolve_profile(Context& context, const std::string& profile) {
  Mistakes mistakes;
  TRY_ASSIGN(profile::Resolved resolved, resolve_with(context, profile, mistakes));
  TRY(refuse(mistakes));
  return resolved;
}

std::vector<Match> match_profiles(Context& context, const facts::Facts& facts) {
  profile::Sources sources = context.profile_sources();
  sources.set.clear();
  std::vector<Match> all;
  for (profile::Listed& listed : profile::list(context.disk(), sources)) {
    Match match;
    const auto resolved = profile::resolve(context.disk(), sources, listed.name, facts);
    if (resolved) {
      match.matches = resolved->misfits.empty();
      match.misfits = resolved->misfits;
      match.cautions = resolved->cautions;
      match.in_short = resolved->in_short;
      match.sets = resolved->sets;
      match.settings = resolved->desired.settings.size();
      match.demand = resolved->demand;
      match.sets_environment = std::ranges::any_of(
          resolved->desired.settings,
          [](const Setting& setting) { return kinds::nccl_conf::kNcclConf.has(setting.address); });
    } else {
      match.misfits.push_back(resolved.error().text);
    }
    if (match.in_short.empty() && !match.misfits.empty()) match.in_short = match.misfits.front();
    match.listed = std::move(listed);
    all.push_back(std::move(match));
  }
  std::ranges::sort(all, is_nearer);
  return all;
}

std::vector<Claim> claims_on(Context& context, const Desired& desired, const facts::Facts& facts,
                             const std::map<Address, Owned>& owned) {
  // They are sought on this machine, which is not the recorded one.
  if (context.recorded()) return {};
  return owners::find_claims(context.disk(), desired, owned, links_of(facts, desired));
}

Result<Planned> plan_text(Context& context, const ProfileInMemory& profile,
                          const StateView& state) {
  ProfileOverlay disk(context.disk(), profile.directory, profile.name, profile.text);
  profile::Sources sources = context.profile_sources();
  sources.directories.insert(sources.directories.begin(), profile.directory);
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  TRY_ASSIGN(profile::Resolved resolved, profile::resolve(disk, sources, profile.name, *facts));
  Planned planned;
  if (resolved.misfits.empty()) {
    PlanRequest request;
    request.debts = state.debts;
    TRY_ASSIGN(planned, plan_desired(context, resolved.desired, state.active, request));
    resolved.desired = std::move(planned.resolved.desired);
    Mistakes mistakes;
    find_mistaken(planned.plan, mistakes);
    TRY(refuse(mistakes));
    TRY_ASSIGN(const Providers* const providers, context.providers());
    TRY(find_incompatible_settings(planned.plan, *providers, *facts));
  }
  planned.plan.profile = profile.name;
  planned.resolved = std::move(resolved);
  return planned;
}

Result<RecordedValues> record_values(Context& context, const facts::Facts& facts) {
  TRY_ASSIGN(const Providers* const providers, context.providers());
  std::set<Address> addresses;
  for (const profile::Listed& listed : profile::list(context.disk(), context.profile_sources())) {
    const auto resolved =
        profile::resolve(context.disk(), context.profile_sources(), listed.name, facts);
    if (!resolved || !resolved->misfits.empty()) continue;
    for (const Setting& setting : resolved->desired.settings) addresses.insert(setting.address);
  }
  RecordedValues values = read_all({addresses.begin(), addresses.end()}, *providers);
  if (!context.is_root())
    std::erase_if(values,
                  [](const auto& each) { return each.second.presence == Presence::not_permitted; });
  return values;
}

Result<Planned> plan_profile(Context& context, const std::string& profile,
                             const std::optional<Transaction>& active, const PlanRequest& request) {
  Planned planned;
  TRY(check_image(context, active));
  Mistakes mistakes;
  TRY_ASSIGN(planned.resolved, resolve_with(context, profile, mistakes));
  if (context.image()) planned.lasting = leave_for_first_boot(planned.resolved);
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  if (!planned.resolved.misfits.empty()) {
    TRY(refuse(mistakes));
    planned.plan.profile = profile;
    planned.plan.notes.push_back(instead(context, *facts));
    return planned;
  }
  const bool is_whole = request.only_settings.empty();
  if (active && active->profile == profile && !request.force && is_whole)
    add_fallen(*active, planned.resolved);
  PlanRequest limited = request;
  if (!is_whole) {
    TRY(refuse(mistakes));
    TRY_ASSIGN(const Providers* const all, context.providers());
    const std::vector<Setting> whole = planned.resolved.desired.settings;
    TRY_ASSIGN(limited.only_settings,
               keep_selected(context.state(), planned.resolved.desired, request.only_settings,
                             active, DeviceNames(*facts), *all));
    planned.part = part_text(profile, whole, planned.resolved.desired.settings);
  }
  if (!request.unrecorded.empty()) {
    TRY(refuse(mistakes));
    TRY_ASSIGN(TakenOver taken,
               take_over_for(context, active, request.unrecorded, planned.resolved.desired));
    limited.taken_over = std::move(taken.owned);
  }
  auto plan = make(context, planned.resolved.desired, *facts, active, limited);
  if (!plan && !mistakes.any()) return fail(std::move(plan).error());
  if (plan)
    find_mistaken(*plan, mistakes);
  else
    mistakes.add(plan.error());
  TRY(refuse(mistakes));
  planned.plan = std::move(*plan);
  if (!planned.part.empty()) planned.plan.notes.push_back(planned.part);
  add_taken_over(limited.taken_over, planned);
  TRY_ASSIGN(const Providers* const providers, context.providers());
  TRY(find_incompatible_settings(planned.plan, *providers, *facts));
  planned.passages = traffic_after(context, planned.resolved.desired.admissions, planned.plan);
  add_evidence_notes(context, *facts, planned.plan);
  planned.record_only = only_records(context, planned, active);
  return planned;
}

Result<Planned> plan_desired(Context& context, Desired desired,
                             const std::optional<Transaction>& active, const PlanRequest& request) {
  TRY(check_image(context, active));
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  Planned planned;
  planned.resolved.desired = std::move(desired);
  const DeviceNames names(*facts);
  put_in_present_names(context.state(), names, planned.resolved.desired);
  std::vector<Setting>& settings = planned.resolved.desired.settings;
  Located located = locate_all(settings, {}, names);
  settings = std::move(located.settings);
  planned.resolved.desired.absent = std::move(located.gone);
  TRY_ASSIGN(planned.plan, make(context, planned.resolved.desired, *facts, active, request));
  planned.passages = traffic_after(context, planned.resolved.desired.admissions, planned.plan);
  planned.record_only = only_records(context, planned, active);
  for (const Setting& setting : planned.plan.absent)
    planned.plan.notes.push_back(cat(setting.address.text, " waits for its device (",
                                     setting.device, "), which is not present"));
  return planned;
}

bool awaits_first_boot(const Context& context, const Plan& plan) {
  return context.image() && !plan.profile.empty();
}

}  // namespace nettune::node
