// SPDX-License-Identifier: Apache-2.0
#include "tools/report/fleet_page.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/node_set.hpp"
#include "base/text.hpp"
#include "tools/compare/findings.hpp"
#include "tools/compare/read_files.hpp"
#include "tools/report/compared.hpp"
#include "tools/report/html.hpp"

namespace nettune::tools::report {

namespace {

/// The kinds of document that a node may have, and what prints them.
struct KindSpec {
  std::string_view kind;
  std::string_view command;
  std::string_view means;  ///< when it is missing
};
constexpr std::array kKinds = {
    KindSpec{"doctor", "nettune doctor --json", "the state of cards, links and drivers: no colour"},
    KindSpec{"facts", "nettune facts --full --json",
             "hardware and versions: not compared with the others"},
    KindSpec{"check", "nettune check --json",
             "drift from the applied profile, and blocked traffic"},
    KindSpec{"history", "nettune history --json", "what was applied, when and by whom"},
    KindSpec{"status", "nettune status --json", "what is applied, and whether a boot is owed"},
};

Level level_of(const DoctorFinding& finding) {
  if (finding.costs == "fails") return Level::fails;
  return finding.costs == "halves" || finding.costs == "percent" ? Level::slows : Level::may;
}

void add_node(Nodes& nodes, std::uint32_t node) {
  if (nodes.empty() || nodes.back() != node) nodes.push_back(node);
}

class Builder {
 public:
  Builder(compare::Fleet fleet, Documents documents)
      : fleet_(std::move(fleet)), documents_(std::move(documents)) {}

  Result<Page> build() {
    page_.title = "Fleet report";
    page_.told =
        "A square is a node. Its colour is its worst finding of nettune doctor: a job fails, gets "
        "slower, or may. Good: doctor found the node ready. Unknown: doctor was not read, or could "
        "not decide.";
    choose_newest();
    name_nodes();
    std::ranges::stable_sort(documents_.seen, {}, [&](const Seen& seen) {
      return std::pair(place_.at(seen.node), std::string_view(seen.kind));
    });
    TRY_ASSIGN(const compare::Comparison comparison, compare::compare(fleet_, ""));
    add_comparison(page_, fleet_, comparison, places_of_fleet(), true);
    for (const Seen& seen : documents_.seen) take(seen);
    add_rule_steps();
    add_drift_steps();
    add_meshes();
    page_.experiments = std::move(documents_.experiments);
    std::ranges::stable_sort(page_.experiments, std::greater<>(), &Experiment::time);
    for (const Experiment& one : page_.experiments) say_unknown(one);
    finish_timelines();
    add_versions();
    add_missing();
    add_unknown();
    for (const auto& one : fleet_.unread()) page_.not_read.emplace_back(one.file, one.why);
    for (PageNode& node : page_.nodes) std::ranges::stable_sort(node.items, {}, &Item::level);
    sort_steps(page_);
    return std::move(page_);
  }

 private:
  /// Leaves out older documents of the same kind and node, also from the comparison.
  void choose_newest() {
    std::vector<Seen>& all = documents_.seen;
    std::unordered_map<std::string, std::size_t> newest;
    std::vector<bool> is_out(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].kind == compare::kTestKind) continue;  // each is a measurement of its own
      const auto [found, is_new] = newest.try_emplace(cat(all[i].kind, "\n", all[i].node), i);
      if (is_new) continue;
      const std::size_t other = found->second;
      // Of the same time, the later name.
      const bool is_newer =
          std::tie(all[i].time, all[i].file) > std::tie(all[other].time, all[other].file);
      const std::size_t older = is_newer ? other : i;
      const std::size_t newer = is_newer ? i : other;
      is_out[older] = true;
      found->second = newer;
      leave_out(all[older], all[newer]);
    }
    std::vector<bool> out_of_fleet(fleet_.nodes().size());
    for (std::size_t i = 0; i < all.size(); ++i)
      if (is_out[i] && all[i].in_fleet >= 0)
        out_of_fleet[static_cast<std::size_t>(all[i].in_fleet)] = true;
    fleet_.leave_out(out_of_fleet);
    fleet_.finish();
    std::vector<Seen> kept;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!is_out[i]) kept.push_back(std::move(all[i]));
    all = std::move(kept);
    std::ranges::sort(page_.left_out);
  }

  void leave_out(const Seen& older, const Seen& newer) {
    const auto when = [](const Seen& seen) {
      if (seen.time.empty()) return std::string("of an unknown time");
      return cat(seen.is_file_time ? "file of " : "of ", seen.time);
    };
    page_.left_out.emplace_back(older.file, cat(older.kind, " of ", older.node, ", ", when(older),
                                                "; shown is ", newer.file, ", ", when(newer)));
    const auto* const one = std::get_if<FactsSeen>(&older.what);
    const auto* const two = std::get_if<FactsSeen>(&newer.what);
    if (one && two && !one->machine.empty() && !two->machine.empty() &&
        one->machine != two->machine)
      same_name_[older.node] =
          cat(older.file, " and ", newer.file, " are of two machines (machine ids ", one->machine,
              " and ", two->machine, "); only the newer is on this page");
  }

  void name_nodes() {
    std::vector<std::string> names;
    for (const Seen& seen : documents_.seen) names.push_back(seen.node);
    for (const compare::Node& node : fleet_.nodes()) names.push_back(node.name);
    for (const Mesh& mesh : documents_.meshes)
      names.insert(names.end(), mesh.names.begin(), mesh.names.end());
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::ranges::sort(names, name_less);
    for (std::string& name : names) {
      place_.emplace(name, static_cast<std::uint32_t>(page_.nodes.size()));
      page_.nodes.emplace_back();
      page_.nodes.back().name = std::move(name);
    }
    facts_.resize(page_.nodes.size());
    kinds_.resize(page_.nodes.size());
    timelines_.resize(page_.nodes.size());
  }

  Places places_of_fleet() const {
    Places places;
    for (const compare::Node& node : fleet_.nodes()) places.push_back(place_.at(node.name));
    return places;
  }

  void take(const Seen& seen) {
    const std::uint32_t node = place_.at(seen.node);
    kinds_[node].insert(seen.kind);
    ++counts_[seen.kind];
    if (!seen.time.empty()) {
      if (page_.oldest.empty() || seen.time < page_.oldest) page_.oldest = seen.time;
      page_.newest = std::max(page_.newest, seen.time);
    }
    if (const auto* const doctor = std::get_if<DoctorSeen>(&seen.what)) take_doctor(node, *doctor);
    if (const auto* const facts = std::get_if<FactsSeen>(&seen.what)) take_facts(node, *facts);
    if (const auto* const check = std::get_if<CheckSeen>(&seen.what))
      take_check(node, seen, *check);
    if (const auto* const history = std::get_if<HistorySeen>(&seen.what))
      take_history(node, seen, *history);
    if (const auto* const status = std::get_if<StatusSeen>(&seen.what))
      take_status(node, seen, *status);
  }

  std::size_t rule_index(const DoctorFinding& finding) {
    const auto [found, is_new] = rules_.try_emplace(finding.rule, page_.rules.size());
    if (is_new) {
      page_.rules.push_back(
          {finding.rule, level_of(finding), finding.why, finding.remedy, finding.source, {}});
      about_.emplace_back();
    }
    return found->second;
  }

  void take_doctor(std::uint32_t node, const DoctorSeen& doctor) {
    PageNode& into = page_.nodes[node];
    if (doctor.verdict == "ready") into.level = Level::good;
    for (const DoctorFinding& finding : doctor.bad) {
      const Level level = level_of(finding);
      if (into.level > level) into.level = level;  // good and unknown come last
      const std::size_t index = rule_index(finding);
      Rule& rule = page_.rules[index];
      rule.level = std::min(rule.level, level);
      add_node(rule.nodes, node);
      About& about = about_[index];
      about.is_fault = about.is_fault || finding.verdict == "fault";
      if (finding.because.empty()) {
        add_node(about.nodes, node);
        if (about.seen.empty()) about.seen = finding.seen;
        about.is_same = about.is_same && about.seen == finding.seen;
      }
      into.items.push_back({level,
                            static_cast<int>(index),
                            {},
                            finding.device,
                            finding.seen,
                            finding.remedy,
                            finding.because});
    }
    for (const DoctorFinding& finding : doctor.open) {
      into.unknown.push_back(cat(finding.rule,
                                 finding.device.empty() ? "" : cat(" of ", finding.device), ": ",
                                 finding.seen));
      const bool needs_root = finding.verdict == "not_permitted";
      unknown(cat("doctor: ", finding.rule), finding.seen,
              needs_root ? "sudo nettune doctor --json"
                         : cat("nettune doctor --explain ", finding.rule),
              node);
    }
    if (doctor.verdict == "undecided")
      unknown("doctor: the verdict", "a rule that decides could not be decided",
              "nettune doctor -v", node);
  }

  void take_facts(std::uint32_t node, const FactsSeen& facts) {
    facts_[node] = &facts;
    for (const auto& [what, value] : facts.versions) {
      versions_[what][value].push_back(node);
      if (what == "system" || what == "kernel" || what == "GPU driver")
        page_.nodes[node].lines.push_back(cat(what == "GPU driver" ? "driver " : "", value));
    }
  }

  /// What check, history and status say alike; the first document of a node that says it counts.
  void take_state(std::uint32_t node, const Seen& seen, const StateSeen& state) {
    Timeline& line = timelines_[node];
    const bool is_first = !line_is_used_[node];
    line_is_used_[node] = true;
    line.node = node;
    const long long read = seconds_of(seen.time);
    if (!is_first) return;
    if (!state.unreadable.empty()) {
      line.now = cat("not known: ", state.unreadable);
      unknown(cat(seen.kind, ": the state directory"), state.unreadable,
              cat("sudo nettune ", seen.kind, " --json"), node);
      return;
    }
    line.now = state.generation.empty()
                   ? "nothing is applied"
                   : cat("generation ", state.generation, ", ",
                         state.profile.empty() ? "the baseline" : state.profile);
    if (state.journal == "open" || state.journal == "awaiting_confirm" ||
        state.journal == "corrupt") {
      line.has_trouble = true;
      line.now += state.journal == "open"      ? "; a change is unfinished"
                  : state.journal == "corrupt" ? "; the journal is damaged"
                                               : "; a change waits for confirm";
      line.events.push_back({Event::Kind::unfinished, read, "a change is not finished"});
      if (state.journal != "awaiting_confirm") unfinished_.push_back(node);
    }
    if (state.debts > 0) {
      line.has_trouble = true;
      line.now += cat("; ", counted(state.debts, "value is", "values are"), " owed to devices");
    }
    if (!state.hold_who.empty()) {
      line.has_trouble = true;
      const std::string text = cat("hold by ", state.hold_who,
                                   state.hold_since.empty() ? "" : cat(" since ", state.hold_since),
                                   state.hold_why.empty() ? "" : cat(": ", state.hold_why));
      line.now += cat("; ", text);
      line.events.push_back({Event::Kind::hold, seconds_of(state.hold_since), text});
      page_.nodes[node].also.push_back(text);
    }
    line.events.push_back({Event::Kind::seen, read, cat("read: ", seen.kind)});
  }

  void take_check(std::uint32_t node, const Seen& seen, const CheckSeen& check) {
    take_state(node, seen, check.state);
    Timeline& line = timelines_[node];
    for (const Drifted& one : check.apart) {
      const std::string text = cat(
          one.address, " is ", one.now.empty() ? (one.why.empty() ? "absent" : one.why) : one.now,
          ", should be ", one.want.empty() ? "absent" : one.want);
      drift_[text].push_back(node);
      page_.nodes[node].also.push_back(
          cat("drift: ", text,
              one.origin.empty() || one.origin == ":" ? "" : cat(" (", one.origin, ")")));
    }
    if (!check.apart.empty()) {
      line.has_trouble = true;
      const std::string text = cat("drift in ", counted(check.apart.size(), "setting", "settings"));
      line.now += cat("; ", text);
      line.events.push_back({Event::Kind::drift, seconds_of(seen.time), text});
    } else if (check.verdict == "in_sync") {
      line.now +=
          cat("; in sync", check.settings.empty() ? "" : cat(", ", check.settings, " settings"));
    }
    if (check.verdict == "state_lost") {
      line.has_trouble = true;
      line.now += "; its record is lost";
      page_.nodes[node].also.emplace_back(
          "nettune's record is lost, although the node should be managed");
      lost_.push_back(node);
    }
    for (const auto& [what, remedy] : check.dropped) {
      dropped_[{what, remedy}].push_back(node);
      page_.nodes[node].also.push_back(what);
    }
    for (const auto& [what, why] : check.unknown) {
      unknown(cat("check: ", what), why, "sudo nettune check --json", node);
      page_.nodes[node].unknown.push_back(cat(what, ": ", why));
    }
    if (!check.skipped.empty())
      unknown("check: nothing was checked", check.skipped, "nettune check --json", node);
  }

  void take_history(std::uint32_t node, const Seen& seen, const HistorySeen& history) {
    take_state(node, seen, history.state);
    Timeline& line = timelines_[node];
    const Change* last = nullptr;
    for (const Change& change : history.changes) {
      const std::string text =
          cat(change.action, change.profile.empty() ? "" : cat(" ", change.profile), " by ",
              change.who.empty() ? "somebody" : change.who, ": ", change.result,
              change.reason.empty() ? "" : cat(" (", change.reason, ")"), ", ",
              counted(change.changes, "change", "changes"));
      const long long when = seconds_of(change.time);
      if (last && !last->boot.empty() && !change.boot.empty() && last->boot != change.boot)
        line.events.push_back({Event::Kind::reboot, when,
                               cat("rebooted before this, after ",
                                   last->time.empty() ? "the change before" : last->time)});
      const Event::Kind kind = change.result == "committed" ? Event::Kind::applied
                               : change.result == "aborted" ? Event::Kind::undone
                                                            : Event::Kind::unfinished;
      line.events.push_back({kind, when, cat("generation ", change.number, ": ", text)});
      if (change.result == "damaged")
        unknown("history: a damaged record", cat("generation ", change.number),
                "nettune history -v", node);
      page_.nodes[node].history.insert(
          page_.nodes[node].history.begin(),
          cat(change.time.empty() ? "at an unknown time" : change.time, " ", text));
      last = &change;
    }
    if (!last) return;
    last_boot_[node] = last->boot;
    last_change_[node] = cat("; last change ", last->time.empty() ? "" : cat(last->time, " "),
                             "by ", last->who.empty() ? "somebody" : last->who,
                             last->result == "committed" ? "" : cat(" (", last->result, ")"));
  }

  void take_status(std::uint32_t node, const Seen& seen, const StatusSeen& status) {
    take_state(node, seen, status.state);
    if (status.reboot_owed.empty()) return;
    timelines_[node].now += "; a boot is owed";
    page_.nodes[node].also.push_back(cat("a boot is owed for ", fold_names(status.reboot_owed)));
  }

  void add_rule_steps() {
    for (std::size_t i = 0; i < page_.rules.size(); ++i) {
      const Rule& rule = page_.rules[i];
      const About& about = about_[i];
      if (about.nodes.empty()) continue;  // others explain it everywhere
      page_.steps.push_back({rule.level, about.is_fault,
                             cat(rule.id, ": ", about.is_same ? "" : "for example ", about.seen),
                             rule.remedy, about.nodes, cat("#r", i), rule.why});
    }
    // Among equals those first that are on the most nodes.
    std::ranges::stable_sort(page_.steps, [](const Step& left, const Step& right) {
      return left.nodes.size() > right.nodes.size();
    });
    for (const auto& [name, why] : same_name_)
      page_.steps.push_back({Level::may,
                             true,
                             cat("two machines have the name ", name, ": ", why),
                             "give each node a name of its own, or remove the file of the machine "
                             "that is gone",
                             {place_.at(name)},
                             "#unseen"});
  }

  void add_drift_steps() {
    for (auto& [what, nodes] : dropped_)
      page_.steps.push_back({Level::fails, true, what.first, what.second, nodes, "#time"});
    for (auto& [text, nodes] : drift_)
      page_.steps.push_back({Level::may, true, cat("drift: ", text),
                             "nettune plan shows what apply would write; nettune reapply restores "
                             "the applied profile",
                             nodes, "#time"});
    if (!unfinished_.empty())
      page_.steps.push_back({Level::may, true, "a change of nettune is unfinished",
                             "nettune recover takes the node to the old or the new state",
                             unfinished_, "#time"});
    if (!lost_.empty())
      page_.steps.push_back(
          {Level::may, true, "nettune's record is lost on nodes that should be managed",
           "nettune status says what shows it; apply the profile again", lost_, "#time"});
  }

  void add_meshes() {
    page_.meshes = std::move(documents_.meshes);
    std::ranges::stable_sort(page_.meshes, std::greater<>(), &Mesh::time);
    for (std::size_t i = 0; i < page_.meshes.size(); ++i) {
      const Mesh& mesh = page_.meshes[i];
      if (i == 0) add_mesh_steps(mesh);
      if (!mesh.undecided.empty())
        unknown("test --mesh: the verdict", cat("undecided (", mesh.undecided, ") in ", mesh.file),
                "nettune test --mesh --expect-rate RATE", {});
      for (const std::string& name : mesh.missing)
        unknown("test --mesh: no result", cat("in ", mesh.file), "nettune test --mesh",
                place_.at(name));
    }
  }

  void add_mesh_steps(const Mesh& mesh) {
    for (const Mesh::Finding& finding : mesh.findings) {
      const std::string text = finding_text(finding);
      Nodes nodes;
      for (const std::string& name : finding.nodes) {
        const auto found = place_.find(name);
        if (found == place_.end()) continue;
        nodes.push_back(found->second);
        if (finding.where != "passed")
          page_.nodes[found->second].also.push_back(cat("test --mesh: ", text));
      }
      if (finding.where == "passed") continue;
      std::ranges::sort(nodes);
      const bool is_shared = finding.where == "leaf" || finding.where == "rail";
      page_.steps.push_back({finding.where == "unknown" ? Level::may : Level::slows, true, text,
                             is_shared
                                 ? "look at the switch of these nodes, and at its links to others"
                                 : "nettune doctor on these nodes: it looks at cards, slots and "
                                   "cables; drain what has a fault",
                             std::move(nodes), "#mesh"});
    }
  }

  void say_unknown(const Experiment& one) {
    const auto found = place_.find(one.host);
    const std::string what = cat("ab: ", one.a, " against ", one.b);
    std::optional<std::uint32_t> node;
    if (found != place_.end()) node = found->second;
    if (one.judged.empty() || one.judged.front().verdict == "not decided")
      unknown(what, cat("not decided, in ", one.file), "nettune ab with more blocks", node);
  }

  void finish_timelines() {
    for (std::uint32_t node = 0; node < timelines_.size(); ++node) {
      if (!line_is_used_[node]) continue;
      Timeline& line = timelines_[node];
      const auto last = last_boot_.find(node);
      if (last != last_boot_.end() && facts_[node] && !last->second.empty() &&
          !facts_[node]->boot.empty() && facts_[node]->boot != last->second)
        line.events.push_back({Event::Kind::reboot, 0, "rebooted since the last change"});
      if (const auto change = last_change_.find(node); change != last_change_.end())
        line.now += change->second;
      page_.timelines.push_back(std::move(line));
    }
  }

  void add_versions() {
    for (auto& [what, values] : versions_) {
      Version version{what, {}};
      for (auto& [value, nodes] : values) version.values.emplace_back(value, std::move(nodes));
      std::ranges::stable_sort(version.values, [](const auto& left, const auto& right) {
        return left.second.size() > right.second.size();
      });
      constexpr std::size_t kMost = 30;
      if (version.values.size() > kMost) {
        Nodes rest;
        for (std::size_t i = kMost; i < version.values.size(); ++i)
          rest.insert(rest.end(), version.values[i].second.begin(), version.values[i].second.end());
        std::ranges::sort(rest);
        const std::size_t count = version.values.size() - kMost;
        version.values.resize(kMost);
        version.values.emplace_back(cat(count, " other versions"), std::move(rest));
      }
      page_.versions.push_back(std::move(version));
    }
  }

  void add_missing() {
    for (const KindSpec& kind : kKinds) {
      Nodes without;
      for (std::uint32_t node = 0; node < page_.nodes.size(); ++node)
        if (!kinds_[node].contains(std::string(kind.kind))) without.push_back(node);
      if (!without.empty())
        page_.missing.push_back({std::string(kind.kind), std::string(kind.means),
                                 std::move(without), std::string(kind.command)});
    }
    if (page_.meshes.empty())
      page_.missing.push_back({"test --mesh",
                               "the rates between nodes: nothing here measured the fabric",
                               {},
                               "nettune test --mesh --topology lldp --json"});
    if (page_.experiments.empty())
      page_.missing.push_back({"ab",
                               "whether a change of settings is faster: nothing was compared",
                               {},
                               "nettune ab A B --json"});
    for (std::uint32_t node = 0; node < page_.nodes.size(); ++node) {
      std::vector<std::string> here(kinds_[node].begin(), kinds_[node].end());
      page_.nodes[node].lines.insert(
          page_.nodes[node].lines.begin(),
          here.empty() ? "no document of its own" : cat("read: ", join(here, ", ")));
      std::string absent;
      for (const KindSpec& kind : kKinds)
        if (!kinds_[node].contains(std::string(kind.kind)))
          absent += cat(absent.empty() ? "" : ", ", kind.kind);
      if (!absent.empty()) page_.nodes[node].lines.push_back(cat("missing: ", absent));
    }
    for (const auto& [kind, count] : counts_)
      page_.sources.push_back(cat(with_commas(count), " ", kind));
    if (!page_.meshes.empty()) page_.sources.push_back(cat(page_.meshes.size(), " test-mesh"));
    if (!page_.experiments.empty()) page_.sources.push_back(cat(page_.experiments.size(), " ab"));
    if (page_.sources.empty()) page_.sources.emplace_back("nothing");
  }

  void unknown(std::string what, const std::string& why, std::string next,
               std::optional<std::uint32_t> node) {
    UnknownHere& here = unknown_[std::move(what)];
    here.next = std::move(next);
    ++here.reasons[why];
    if (node) here.nodes.push_back(*node);
  }

  /// One row for each subject, with its most frequent reasons.
  void add_unknown() {
    constexpr std::size_t kMostReasons = 3;
    for (auto& [what, here] : unknown_) {
      std::vector<std::pair<std::size_t, std::string>> reasons;
      for (const auto& [why, count] : here.reasons) reasons.emplace_back(count, why);
      std::ranges::stable_sort(reasons,
                               [](const auto& a, const auto& b) { return a.first > b.first; });
      std::string why;
      for (std::size_t i = 0; i < std::min(kMostReasons, reasons.size()); ++i)
        why += cat(why.empty() ? "" : "; ", reasons[i].second);
      if (reasons.size() > kMostReasons)
        why += cat("; and ", reasons.size() - kMostReasons, " other reasons");
      std::ranges::sort(here.nodes);
      here.nodes.erase(std::unique(here.nodes.begin(), here.nodes.end()), here.nodes.end());
      page_.unknown.push_back({what, why, std::move(here.nodes), here.next});
    }
    std::ranges::stable_sort(page_.unknown, [](const Gap& left, const Gap& right) {
      return left.nodes.size() > right.nodes.size();
    });
  }

  struct About {
    Nodes nodes;  ///< on which nothing else explains it
    std::string seen;
    bool is_same = true;
    bool is_fault = false;
  };
  struct UnknownHere {
    std::map<std::string, std::size_t> reasons;
    Nodes nodes;
    std::string next;
  };

  compare::Fleet fleet_;
  Documents documents_;
  Page page_;
  std::unordered_map<std::string, std::uint32_t> place_;
  std::map<std::string, std::string> same_name_;
  std::map<std::string, std::size_t> rules_;
  std::vector<About> about_;
  std::vector<const FactsSeen*> facts_;
  std::vector<std::set<std::string>> kinds_;
  std::map<std::string, std::size_t> counts_;
  std::vector<Timeline> timelines_;
  std::map<std::uint32_t, bool> line_is_used_;
  std::map<std::uint32_t, std::string> last_boot_;
  std::map<std::uint32_t, std::string> last_change_;
  std::map<std::string, Nodes> drift_;
  std::map<std::pair<std::string, std::string>, Nodes> dropped_;
  Nodes unfinished_;
  Nodes lost_;
  std::map<std::string, std::map<std::string, Nodes>> versions_;
  std::map<std::string, UnknownHere> unknown_;
};

}  // namespace

Result<Page> fleet_page(compare::Fleet fleet, Documents documents) {
  return Builder(std::move(fleet), std::move(documents)).build();
}

Result<Page> read_page(const std::vector<std::string>& inputs, const compare::Rules& rules) {
  TRY_ASSIGN(auto readers,
             compare::read_files(inputs, [&] { return std::make_unique<Reader>(rules); }));
  Documents all;
  compare::Fleet fleet(rules);
  for (const auto& gatherer : readers) {
    auto& reader = static_cast<Reader&>(*gatherer);
    const int before = static_cast<int>(fleet.nodes().size());
    Documents& here = reader.documents();
    for (Seen& seen : here.seen) {
      if (seen.in_fleet >= 0) seen.in_fleet += before;
      all.seen.push_back(std::move(seen));
    }
    std::ranges::move(here.meshes, std::back_inserter(all.meshes));
    std::ranges::move(here.experiments, std::back_inserter(all.experiments));
    fleet.merge(std::move(reader.fleet()));
  }
  return fleet_page(std::move(fleet), std::move(all));
}

}  // namespace nettune::tools::report
