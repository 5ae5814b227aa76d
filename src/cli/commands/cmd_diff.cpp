// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/text.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/line_diff.hpp"
#include "cli/plan_view.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "core/contents_view.hpp"
#include "node/check/steady.hpp"
#include "node/display_text.hpp"
#include "node/held.hpp"
#include "node/planning.hpp"
#include "node/required_traffic.hpp"

namespace nettune::cli::commands {

namespace {

struct DiffCommand : GlobalOptions {
  std::string subject;     ///< a profile or a generation; "" for the active one
  std::string generation;  ///< the second one of two

  Options options() {
    return {{"profile", "", "Profile name, or a generation (default: the active one)", &subject},
            {"generation", "", "A second generation to compare with", &generation}};
  }

  static std::vector<std::string> candidates(node::Context& context,
                                             std::span<const std::string> words) {
    std::vector<std::string> names = generation_names(context);
    std::ranges::move(profile_first(context, words), std::back_inserter(names));
    return names;
  }

  Result<node::Exit> run(node::Context& context, Output& output) const;
};

/// The wanted content of a file; nothing if it is unknown, or the value is not a file's.
std::optional<std::string> content_of(node::Context& context, const Value& want,
                                      const Desired& desired) {
  if (!want) return std::string();
  const std::string digest = content_digest(want);
  if (digest.empty()) return {};
  if (const auto found = desired.contents.find(digest); found != desired.contents.end())
    return found->second;
  auto blob = context.state().blob(digest);
  return blob ? std::optional<std::string>(std::move(*blob)) : std::nullopt;
}

json::Difference difference_of(node::Context& context, const PlanItem& item,
                               const Desired& desired) {
  json::Difference difference{item.setting.address,
                              item.setting.origin,
                              item.now.value(),
                              item.to_write() ? item.after : item.setting.want,
                              {}};
  const bool is_file =
      !content_digest(difference.now).empty() || !content_digest(difference.wanted).empty();
  // A file as applied that another one overrides: its value now says by which.
  const bool is_overridden = difference.now && content_digest(difference.now).empty();
  if (!is_file || is_overridden) return difference;
  if (const auto content = content_of(context, difference.wanted, desired))
    difference.text = line_diff(item.now.content, *content);
  return difference;
}

/// Includes settings that are restored because the profile no longer mentions them.
bool differs(const PlanItem& item) {
  return item.to_write() || node::is_drift(item) || item.verdict == Verdict::left;
}

std::vector<json::Difference> differences_of(node::Context& context, const Plan& plan,
                                             const Desired& desired) {
  std::vector<json::Difference> differences;
  for (const PlanItem& item : plan.items)
    if (differs(item)) differences.push_back(difference_of(context, item, desired));
  return differences;
}

/// The subject of the comparison: a profile, or the active generation.
struct Compared {
  std::string name;
  std::vector<json::Difference> differences;
  node::Exit exit = node::Exit::done;
  /// Why the profile does not match; then nothing is compared.
  std::vector<std::string> misfits = {};
  node::StateView state = {};
  std::vector<firewall::RequiredTraffic> passages = {};  ///< of the active generation
  std::optional<json::Between> between = {};             ///< two generations
  std::string from = "now";                              ///< the other side of the comparison
  node::Planned rows = {};  ///< the same as a plan, for people; without items for misfits
  bool impact = false;      ///< it is a plan, and knows what applying would do
};

/// A difference that is no write of a plan.
PlanItem item_of(const json::Difference& difference, Verdict verdict) {
  PlanItem item;
  item.setting.address = difference.address;
  item.setting.origin = difference.origin;
  item.setting.want = difference.wanted;
  item.verdict = verdict;
  item.now.presence = verdict == Verdict::missing ? Presence::missing
                      : difference.now            ? Presence::present
                                                  : Presence::absent;
  item.now.text = difference.now.value_or("");
  item.after = difference.wanted;
  return item;
}

Result<Compared> compare_profile(node::Context& context, const std::string& name,
                                 const node::StateView& state) {
  TRY_ASSIGN(node::Planned planned, node::plan_profile(context, name, state.active, {}));
  if (!planned.resolved.misfits.empty()) {
    std::vector<std::string> reasons = planned.resolved.misfits;
    reasons.insert(reasons.end(), planned.plan.notes.begin(), planned.plan.notes.end());
    return Compared{name, {}, node::Exit::refused, std::move(reasons)};
  }
  Compared compared{
      name, differences_of(context, planned.plan, planned.resolved.desired),
      planned.plan.has_not_permitted() ? node::Exit::not_permitted : node::Exit::done};
  compared.rows = std::move(planned);
  compared.impact = true;
  return compared;
}

Result<Compared> compare_active(node::Context& context, const node::StateView& state) {
  if (!state.unreadable.empty())
    return fail(Errc::denied, cat(state.unreadable, "; try ", context.locations().again));
  Compared compared;
  if (!state.active || (state.active->settings.empty() && state.active->admissions.empty()))
    return compared;
  compared.name = state.active->profile;
  TRY_ASSIGN(const node::Held held, node::plan_active(context, *state.active));
  Desired wanted;
  wanted.contents = held.contents;
  compared.differences = differences_of(context, held.plan, wanted);
  compared.rows.plan = held.plan;
  std::erase_if(compared.rows.plan.items, [](const PlanItem& item) { return !differs(item); });
  for (const Setting& setting : held.gone) {
    compared.differences.push_back({setting.address, setting.origin, {}, setting.want, {}});
    compared.rows.plan.items.push_back(item_of(compared.differences.back(), Verdict::missing));
  }
  compared.rows.resolved.desired.contents = held.contents;
  compared.passages = node::traffic_now(context, held.admissions);
  compared.exit = held.plan.has_not_permitted() ? node::Exit::not_permitted : node::Exit::done;
  if (firewall::any_dropped(compared.passages))
    compared.exit = node::worse(compared.exit, node::Exit::drift);
  return compared;
}

/// `nothing` is the text for an absent value.
std::string value_line(char mark, const Value& value, const std::string& nothing,
                       const Style& style) {
  const std::string line = cat(mark, value ? node::value_text(value) : nothing);
  return (mark == '-' ? style.red(line) : style.green(line)) + "\n";
}

/// The content shows more than its digest; mode and owner are shown too.
bool values_matter(const json::Difference& difference) {
  if (difference.text.empty() || !difference.now || !difference.wanted) return true;
  return difference.now->substr(difference.now->find(' ')) !=
         difference.wanted->substr(difference.wanted->find(' '));
}

std::string colored(const std::string& diff, const Style& style) {
  if (!style.color) return diff;
  std::string out;
  for (const std::string_view line : split(diff, '\n')) {
    if (line.empty()) continue;
    const std::string text(line);
    out += cat(line[0] == '-' ? style.red(text) : line[0] == '+' ? style.green(text) : text, "\n");
  }
  return out;
}

std::string text_of(const json::Difference& difference, const std::string& nothing,
                    const Style& style) {
  std::string out = cat(style.bold(node::safe(difference.address.text)), "  ",
                        style.dim(node::origin_text(difference.origin)), "\n");
  if (values_matter(difference))
    out += value_line('-', difference.now, nothing, style) +
           value_line('+', difference.wanted, nothing, style);
  return out + colored(difference.text, style);
}

/// A generation's number, or 0 for the baseline.
std::optional<std::uint64_t> generation_in(const std::string& word) {
  if (word == "baseline") return 0;
  const auto number = parse_int(word);
  if (!number || *number < 1) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

/// The settings of a generation, by address; empty for the baseline.
struct Generation {
  std::string title;  ///< "generation 3 (tcp-fallback)"
  std::map<Address, Setting> settings;
};

Result<Generation> read_generation(node::Context& context, std::uint64_t number) {
  if (number == 0) return Generation{"the baseline", {}};
  TRY_ASSIGN(const Transaction one, context.state().generation(number));
  Generation generation{
      cat("generation ", number, " (", one.profile.empty() ? "the baseline" : one.profile, ")"),
      {}};
  for (const Setting& setting : one.settings) generation.settings.emplace(setting.address, setting);
  return generation;
}

/// A bound is part of the wanted value.
Value wanted_text(const Setting* setting) {
  if (!setting) return {};
  if (setting->relation == Relation::exact) return setting->want;
  return node::want_text(*setting);
}

std::string lines_between(node::Context& context, const Value& from, const Value& to) {
  if (content_digest(from).empty() && content_digest(to).empty()) return {};
  const auto before = content_of(context, from, Desired());
  const auto after = content_of(context, to, Desired());
  return before && after ? line_diff(*before, *after) : std::string();
}

Result<Compared> compare_generations(node::Context& context, const DiffCommand& options) {
  const auto from = generation_in(options.subject);
  const auto to = generation_in(options.generation);
  if (!from || !to)
    return fail(Errc::invalid,
                cat("diff with two arguments compares generations: numbers from nettune history, "
                    "or baseline, not \"",
                    printable(from ? options.generation : options.subject), "\""));
  TRY_ASSIGN(const Generation before, read_generation(context, *from));
  TRY_ASSIGN(const Generation after, read_generation(context, *to));
  Compared compared;
  compared.name = after.title;
  compared.from = before.title;
  compared.between = json::Between{*from, *to};
  std::set<Address> addresses;
  for (const Generation* const one : {&before, &after})
    for (const auto& [address, setting] : one->settings) addresses.insert(address);
  for (const Address& address : addresses) {
    const auto was = before.settings.find(address);
    const auto is = after.settings.find(address);
    const Setting* const old_one = was == before.settings.end() ? nullptr : &was->second;
    const Setting* const new_one = is == after.settings.end() ? nullptr : &is->second;
    const Value now = wanted_text(old_one);
    const Value wanted = wanted_text(new_one);
    // Wanting something absent differs from not wanting anything.
    if (now == wanted && (old_one == nullptr) == (new_one == nullptr)) continue;
    compared.differences.push_back({address, (new_one ? new_one : old_one)->origin, now, wanted,
                                    lines_between(context, now, wanted)});
    PlanItem item = item_of(compared.differences.back(), Verdict::different);
    // What a generation does not mention is not absent.
    if (!wanted) item.after = item.setting.want = "not set";
    item.now.content = content_of(context, now, Desired()).value_or("");
    compared.rows.plan.items.push_back(std::move(item));
  }
  return compared;
}

Result<Compared> compare(node::Context& context, const DiffCommand& options) {
  TRY_ASSIGN(node::StateView state, context.look_at_state());
  if (!options.generation.empty()) {
    if (!state.unreadable.empty())
      return fail(Errc::denied, cat(state.unreadable, "; try ", context.locations().again));
    return compare_generations(context, options);
  }
  TRY(node::refuse_half_changed(state));
  TRY_ASSIGN(Compared compared, options.subject.empty()
                                    ? compare_active(context, state)
                                    : compare_profile(context, options.subject, state));
  compared.state = std::move(state);
  return compared;
}

/// As unified diffs, each setting with its origin.
std::string in_full(const Compared& compared, const Style& style) {
  std::string out = cat("--- ", printable(compared.from), "\n+++ ", printable(compared.name), "\n");
  for (const json::Difference& difference : compared.differences)
    out += text_of(difference, compared.between ? "(not set)" : "(absent)", style);
  return out;
}

/// In the rows of a plan. Of what drifted, and of two generations, the lines of files too.
Result<std::string> in_short(node::Context& context, const Compared& compared, const Style& style) {
  text::PlanView view;
  const facts::Facts* facts = nullptr;
  if (compared.impact) {
    TRY_ASSIGN(facts, context.facts());
    view = text::plan_view(context, *facts, false);
  }
  view.impact = compared.impact;
  view.blob = [&](const std::string& digest) -> std::optional<std::string> {
    auto blob = context.state().blob(digest);
    return blob ? std::optional(std::move(*blob)) : std::nullopt;
  };
  std::string out = text::differences(
      compared.between ? cat(printable(compared.from), " -> ", printable(compared.name))
                       : cat(printable(compared.name), " and this node"),
      compared.rows, view, style);
  for (const json::Difference& difference : compared.differences)
    if (!compared.impact && !difference.text.empty())
      out += cat("  ", style.bold(node::safe(difference.address.text)), "\n",
                 colored(difference.text, style));
  return out;
}

Result<node::Exit> DiffCommand::run(node::Context& context, Output& output) const {
  TRY_ASSIGN(const Compared compared,
             node::check::read_steadily(context, [&] { return compare(context, *this); }));
  const node::StateView& state = compared.state;
  if (!compared.misfits.empty()) {
    const node::Exit refused = node::worse(node::Exit::refused, state.exit());
    const Error error{
        Errc::conflict,
        cat(compared.name, " does not match this node: ", printable(join(compared.misfits, "; ")))};
    report_error(error, refused, json, output);
    output.complain(text::notes(state.notes(), Style{}));
    return refused;
  }
  const node::Exit exit =
      node::worse(node::worse(compared.exit,
                              compared.differences.empty() ? node::Exit::done : node::Exit::drift),
                  state.exit());
  if (json) {
    output.print(
        json::diff(compared.name, compared.differences, compared.passages, compared.between));
    return exit;
  }
  if (compared.between && compared.differences.empty()) {
    output.print(cat("identical settings: ", printable(compared.from), " and ",
                     printable(compared.name), "\n"));
  } else if (compared.name.empty()) {
    output.print("nothing is applied here; name a profile to compare with\n");
  } else if (!compared.differences.empty()) {
    if (verbose > 0) {
      output.print(in_full(compared, output.style()));
    } else {
      TRY_ASSIGN(const std::string text, in_short(context, compared, output.style()));
      output.print(text);
    }
  }
  if (firewall::any_dropped(compared.passages))
    output.print(text::passages_in_short(compared.passages, output.style()));
  output.print(text::notes(state.notes(), output.style()));
  return exit;
}

}  // namespace

Command diff_command() { return make_command<DiffCommand>(); }

}  // namespace nettune::cli::commands
