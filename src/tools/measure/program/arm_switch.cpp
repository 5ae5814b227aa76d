// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/arm_switch.hpp"

#include "base/digest.hpp"
#include "base/text.hpp"
#include "cli/programs.hpp"
#include "conf/environment.hpp"
#include "node/job_environment.hpp"
#include "node/planning.hpp"
#include "node/write_access.hpp"
#include "tools/measure/program/arrival.hpp"
#include "tools/measure/program/child.hpp"

namespace nettune::tools::measure::program {
namespace {

using node::Exit;

constexpr std::int64_t kLockPatience_s = 30;
constexpr std::int64_t kLongestWindow_s = std::int64_t{24} * 3600;

/// Passes our directories on to a command of nettune.
void add_locations(std::vector<std::string>& words, const cli::GlobalOptions& options) {
  for (const std::string& directory : options.profile_directories)
    words.insert(words.end(), {"--profiles", node::absolute_path(directory)});
  if (options.site_given)
    words.insert(words.end(), {"--site", node::absolute_path(options.site_file)});
  words.insert(words.end(), {"--state-dir", options.state_directory});
}

node::Locations with_set(const node::Locations& locations, const Arm& arm) {
  node::Locations out = locations;
  out.set = arm.set;
  return out;
}

}  // namespace

Result<std::optional<Report>> end_window(node::Context& context,
                                         const std::function<bool(const JournalStatus&)>& is_ours) {
  context.forget();
  TRY_ASSIGN(const node::WriteAccess writing, node::lock_state(context, kLockPatience_s));
  if (!is_ours(writing.state.journal)) return std::optional<Report>();
  TRY_ASSIGN(Report report, node::run_recovery(context, {.expire_window = true}));
  context.forget();
  return std::optional<Report>(std::move(report));
}

ArmSwitch::~ArmSwitch() {
  if (is_switched()) (void)back();
}

Result<> ArmSwitch::prepare(Arm& arm, std::map<std::string, std::string>& variables) {
  std::set<std::string> of_this_node;
  if (!arm.profile.empty()) {
    node::Context context(with_set(context_.locations(), arm));
    TRY_ASSIGN(const profile::Resolved resolved, node::resolve_profile(context, arm.profile));
    std::string all;
    for (const Setting& setting : resolved.desired.settings)
      all += cat(setting.address.text, relation_text(setting.relation), "=",
                 setting.want.value_or("(none)"), "\n");
    arm.digest = sha256_hex(all);
    TRY_ASSIGN(const node::JobEnvironment found, node::job_environment(context, arm.profile));
    for (const JobVariable& one : found.variables) {
      variables[one.name] = one.value;
      if (one.of_this_node) of_this_node.insert(one.name);
    }
  }
  for (const auto& [name, value] : arm.env) {
    variables[name] = value;
    of_this_node.erase(name);
  }
  variables[std::string(conf::kArmMark)] = arm_mark(variables, of_this_node);
  return {};
}

bool ArmSwitch::holds(const Arm& arm) {
  if (arm.profile.empty()) return true;
  node::Context context(with_set(context_.locations(), arm));
  const auto state = context.look_at_state(node::OnDamage::tell);
  if (!state || !state->unreadable.empty()) return false;
  const auto planned = node::plan_profile(context, arm.profile, state->active,
                                          node::request_of(node::ChangeRequest(), *state));
  return planned && planned->resolved.misfits.empty() && !planned->plan.writes();
}

Result<Switched> ArmSwitch::to(const Arm& arm, std::int64_t longest_s) {
  if (arm.profile.empty()) return Switched{};
  TRY_ASSIGN(const std::string nettune, cli::nettune_path());
  ChildSpec apply{
      nettune,
      {"nettune", "apply", arm.profile, "--for", cat(std::min(longest_s, kLongestWindow_s), "s")}};
  for (const auto& [name, value] : arm.set)
    apply.words.insert(apply.words.end(), {"--set", cat(name, "=", value)});
  add_locations(apply.words, options_);
  constexpr double kDay_s = 86400;
  apply.longest_s = kDay_s;
  apply.dies_with_us =
      false;  // an apply is never stopped in the middle; the confirm window ends it
  apply.place = &watched_.apply;
  watched_.switching_to(arm.profile);
  const auto ended = run_child(apply, [] { return false; });
  if (!ended) watched_.is_home();
  TRY_ASSIGN(const ChildEnd end, ended);
  context_.forget();
  // Even if it failed: only the journal knows the state.
  TRY_ASSIGN(const node::StateView state, context_.look_at_state(node::OnDamage::tell));
  const Transaction& now = state.journal.transaction;
  if (state.journal.kind == JournalStatus::Kind::awaiting_confirm && now.temporary &&
      now.profile == arm.profile && end.succeeded())
    window_ = now.id;
  if (is_switched())
    watched_.switched_to(window_);
  else
    watched_.is_home();
  if (end.succeeded()) return Switched{};
  const auto exit = end.how == ChildEnd::How::exited ? static_cast<Exit>(end.status) : Exit::failed;
  return Switched{
      exit, cat("nettune apply ", arm.profile, " failed (", end.text(), "): ", trim(end.output))};
}

Result<Switched> ArmSwitch::back() {
  if (!is_switched()) return Switched{};
  // Where another nettune is at work, it is still switched, and can be tried again.
  TRY_ASSIGN(const std::optional<Report> report,
             end_window(context_, [&](const JournalStatus& journal) {
               return journal.kind == JournalStatus::Kind::awaiting_confirm &&
                      journal.transaction.id == window_;
             }));
  window_.clear();
  watched_.is_home();
  if (!report)
    return Switched{Exit::rolled_back,
                    "the confirm window of a half ended before the half did: it expired, or "
                    "somebody reverted or confirmed it; see nettune history"};
  const Exit exit = node::exit_of(*report);
  if (report->outcome == Outcome::rolled_back || report->outcome == Outcome::unchanged)
    return Switched{};
  return Switched{exit == Exit::done ? Exit::unfinished : exit,
                  cat("the node could not be reverted: ",
                      report->error ? report->error->text : std::string("see nettune status"),
                      "; its own timer tries again; see nettune status")};
}

}  // namespace nettune::tools::measure::program
