// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_impact.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/braces.hpp"
#include "cli/table.hpp"
#include "core/contents_view.hpp"
#include "core/side_effects.hpp"
#include "node/devices.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::text {

namespace {

enum class Tone { plain, good, notable, bad };

/// One line: a label, and what it says.
struct Line {
  std::string label;
  std::string text;
  Tone tone = Tone::plain;
};

std::string painted(const std::string& text, Tone tone, const Style& style) {
  switch (tone) {
    case Tone::good:
      return style.green(text);
    case Tone::notable:
      return style.yellow(text);
    case Tone::bad:
      return style.red(text);
    case Tone::plain:
      break;
  }
  return text;
}

std::string line_text(const Line& line, const Style& style) {
  constexpr std::string_view kIndent = "             ";
  std::string wrapped = wrap(line.text, kIndent, style.width);
  wrapped.replace(2, line.label.size(), line.label);
  std::string out;
  for (const std::string_view part : split(wrapped, '\n'))
    if (!part.empty()) out += painted(std::string(part), line.tone, style) + "\n";
  return out;
}

void add_once(std::vector<std::string>& list, std::string one) {
  if (std::ranges::find(list, one) == list.end()) list.push_back(std::move(one));
}

std::string listed(const std::vector<std::string>& names) {
  return braces(names).value_or(join(names, ", "));
}

/// Settings that disturb the same devices in the same way, one after the other.
struct Disturbance {
  Impact impact = Impact::none;
  bool reaches_others = false;
  std::string pattern;
  std::vector<std::string> names;
  std::vector<std::string> ports;  ///< in the order of writes
};

std::vector<Disturbance> steps_of(const Plan& plan, const Ports& ports) {
  std::vector<Disturbance> steps;
  const std::set<Address> along = side_effects(plan);
  for (const std::vector<std::size_t>& unit : plan.units)
    for (const std::size_t index : unit) {
      const PlanItem& item = plan.items[index];
      if (along.contains(item.setting.address)) continue;  // the write that causes it is a step
      const bool others = text::reaches_others(item);
      if (item.effects.impact == Impact::none && !others) continue;
      const std::string pattern = node::with_device(item.setting.address, kAnyDevice).text;
      auto found = std::ranges::find_if(steps, [&](const Disturbance& step) {
        return step.impact == item.effects.impact && step.reaches_others == others &&
               step.pattern == pattern;
      });
      if (found == steps.end())
        found = steps.insert(
            steps.end(),
            Disturbance{
                item.effects.impact, others, pattern, {short_name(item.setting.address)}, {}});
      if (std::string port = ports.of(item.setting.address); !port.empty())
        add_once(found->ports, std::move(port));
    }
  // One operation carries the settings of a unit.
  std::vector<Disturbance> merged;
  for (Disturbance& step : steps) {
    Disturbance* const last = merged.empty() ? nullptr : &merged.back();
    if (last && last->impact == step.impact && last->reaches_others == step.reaches_others &&
        last->ports == step.ports)
      add_once(last->names, step.names.front());
    else
      merged.push_back(std::move(step));
  }
  return merged;
}

std::string step_text(const Disturbance& step) {
  const bool disturbs = step.impact != Impact::none;
  return cat(listed(step.names), " (", disturbs ? impact_text(step.impact) : "",
             disturbs && step.reaches_others ? ", " : "",
             step.reaches_others ? "links of containers" : "", ")");
}

/// Steps on the same ports, as one sentence.
std::string steps_text(const std::vector<std::string>& ports,
                       const std::vector<Disturbance>& steps) {
  const bool bounces = std::ranges::any_of(
      steps, [](const Disturbance& step) { return step.impact == Impact::link_bounce; });
  std::vector<std::string> parts;
  for (const Disturbance& step : steps) parts.push_back(step_text(step));
  const std::string then = join(parts, ", then ");
  if (ports.empty()) return cat("the host: ", then);
  if (ports.size() == 1) return cat(ports.front(), bounces ? " goes down and up: " : ": ", then);
  return cat(ports.size(), bounces ? " links go down and up" : " ports",
             ", one after the other: ", node::safe(names_in_short(ports)), "; ", then);
}

std::string unknown_text(const Plan& plan) {
  return cat("unknown: ", node::counted(plan.count(Verdict::unknown), "value"), " not recorded");
}

/// A firewall rule that keeps others out: mode = "restrict".
bool is_drop(const PlanItem& item) {
  return item.to_write() && item.setting.address.kind() == "firewall" && item.after &&
         item.after->starts_with("drop ");
}

/// A rollback restores what a write here changed in another network namespace.
bool is_link_elsewhere(const PlanItem& item) {
  return item.to_write() && item.setting.address.kind() == "netns" &&
         item.setting.address.key() == "mtu";
}

Line disturbs(const Plan& plan, const Ports& ports) {
  const std::vector<Disturbance> steps = steps_of(plan, ports);
  const auto drops = static_cast<std::size_t>(std::ranges::count_if(plan.items, is_drop));
  const auto links = static_cast<std::size_t>(std::ranges::count_if(plan.items, is_link_elsewhere));
  if (steps.empty() && drops == 0 && links == 0)
    return plan.count(Verdict::unknown) > 0
               ? Line{"DISTURBS", unknown_text(plan), Tone::notable}
               : Line{"DISTURBS", "nothing: no traffic is interrupted", Tone::good};
  std::vector<std::string> sentences;
  std::vector<std::vector<std::string>> told;
  bool bad = false;
  for (const Disturbance& step : steps) {
    bad = bad || (step.impact != Impact::none && step.impact != Impact::queue_reopen);
    if (std::ranges::find(told, step.ports) != told.end()) continue;
    told.push_back(step.ports);
    std::vector<Disturbance> same;
    std::ranges::copy_if(steps, std::back_inserter(same),
                         [&](const Disturbance& other) { return other.ports == step.ports; });
    sentences.push_back(steps_text(step.ports, same));
  }
  if (drops > 0)
    sentences.push_back(cat("new connections and datagrams of others are dropped (",
                            node::counted(drops, "rule"), ")"));
  if (links > 0)
    sentences.push_back(cat("the MTU of ", node::counted(links, "link"), " of containers changes"));
  if (plan.count(Verdict::unknown) > 0) sentences.push_back(unknown_text(plan));
  return {"DISTURBS", join(sentences, ". "), bad ? Tone::bad : Tone::notable};
}

/// What a device carries that must not be cut; "" if another one's reasons say it.
std::string carried_by(const facts::NetDevice& device, const facts::Facts& facts) {
  constexpr std::size_t kShown = 2;
  std::vector<std::string> remotes;
  for (const facts::SshSession& session : facts.ssh)
    if (session.interface == device.name ||
        (session.interface.empty() && session.leaves_by == device.name))
      add_once(remotes, session.remote);
  std::string text;
  if (!remotes.empty()) {
    const std::size_t more = remotes.size() > kShown ? remotes.size() - kShown : 0;
    remotes.resize(remotes.size() - more);
    text = cat("ssh from ", join(remotes, ", "), more > 0 ? cat(" and ", more, " more") : "");
  }
  if (device.default_route) text += cat(text.empty() ? "" : ", ", "default route");
  return text;
}

/// "eno1 (ssh from 192.0.2.10, default route) and 2 more protected devices"; "" for none.
std::string protected_text(const facts::Facts& facts) {
  constexpr std::size_t kShown = 2;
  std::vector<std::string> named;
  std::size_t others = 0;
  for (const facts::NetDevice& device : facts.net) {
    if (device.protected_by.empty()) continue;
    const std::string carried = carried_by(device, facts);
    if (carried.empty() || named.size() == kShown)
      ++others;
    else
      named.push_back(cat(device.name, " (", carried, ")"));
  }
  if (named.empty())
    for (const facts::NetDevice& device : facts.net) {
      if (device.protected_by.empty() || !named.empty()) continue;
      named.push_back(cat(device.name, " (", device.protected_by.front(), ")"));
      --others;
    }
  return cat(join(named, ", "), others > 0 ? cat(named.empty() ? "" : " and ", others,
                                                 " more protected device", others == 1 ? "" : "s")
                                           : "");
}

/// Only what is known: "safe" is said only of this machine, where everything was seen.
Line access(const Plan& plan, const PlanView& view) {
  std::map<std::string, std::vector<std::string>> lockouts;
  bool refused = true;
  for (const PlanItem& item : plan.items) {
    if (!item.to_write() || item.lockout.empty()) continue;
    lockouts[item.lockout].push_back(short_name(item.setting.address));
    refused = refused && !item.refused.empty();
  }
  if (!lockouts.empty()) {
    std::vector<std::string> texts;
    for (const auto& [why, names] : lockouts)
      texts.push_back(cat(node::safe(why), ": ", listed(names)));
    return {"ACCESS",
            cat(refused ? "refused, it could be lost: " : "MAY BE LOST: ", join(texts, "; ")),
            Tone::bad};
  }
  if (view.seen == PlanView::Seen::image)
    return {"ACCESS", "an image: nothing that runs is touched"};
  if (view.seen == PlanView::Seen::recorded || view.facts == nullptr)
    return {"ACCESS", "unknown: a recorded node does not show who is connected to it",
            Tone::notable};
  const std::string guarded = protected_text(*view.facts);
  std::vector<std::string> gaps = plan.access_gaps;
  for (const facts::SshSession& session : view.facts->ssh)
    if (session.interface.empty() && session.leaves_by.empty())
      add_once(gaps, cat("the interface of ssh from ", session.remote, " is not known"));
  if (!gaps.empty())
    return {"ACCESS",
            node::safe(cat("unknown: ", join(gaps, "; "),
                           guarded.empty() ? "" : cat("; no change can cut ", guarded))),
            Tone::notable};
  if (guarded.empty())
    return {"ACCESS", "no ssh connection, default route or network mount here, so none is guarded"};
  return {"ACCESS", node::safe(cat("safe: no change can cut ", guarded)), Tone::good};
}

/// What undo leaves behind: of which settings, on which ports.
struct Rest {
  Undo undo = Undo::residue;
  std::string text;
  std::vector<std::string> names;
  std::vector<std::string> ports;
};

Line undo(const Plan& plan, const Ports& ports) {
  std::vector<Rest> rests;
  for (const PlanItem& item : plan.items) {
    if (!item.to_write() || item.effects.undo == Undo::exact) continue;
    const std::string device = node::device_in(item.setting.address);
    std::string text = node::safe(item.effects.residue);
    // In an address the name stays.
    const bool is_in_address = text.find(cat(":", device)) != std::string::npos;
    if (!device.empty() && !is_in_address) text = with_name({text}, device, "the port").front();
    const std::string name = short_name(item.setting.address);
    const bool of_port = !device.empty();
    auto found = std::ranges::find_if(rests, [&](const Rest& rest) {
      return rest.undo == item.effects.undo && rest.text == text &&
             rest.ports.empty() == !of_port &&
             (!of_port || std::ranges::find(rest.names, name) != rest.names.end());
    });
    if (found == rests.end())
      found = rests.insert(rests.end(), Rest{item.effects.undo, text, {}, {}});
    add_once(found->names, name);
    if (of_port) add_once(found->ports, ports.of_device(device));
  }
  if (rests.empty())
    return plan.count(Verdict::unknown) > 0
               ? Line{"UNDO", unknown_text(plan), Tone::notable}
               : Line{"UNDO", "exact: rollback reverts every change", Tone::good};
  std::vector<std::string> parts;
  bool none = false;
  for (const Rest& rest : rests) {
    none = none || rest.undo == Undo::none;
    const std::string of = rest.ports.empty()      ? std::string()
                           : rest.ports.size() < 2 ? cat(" of ", rest.ports.front())
                                                   : cat(" of ", rest.ports.size(), " ports");
    parts.push_back(cat(rest.undo == Undo::none ? "NOT UNDONE: " : "", listed(rest.names), of,
                        rest.text.empty() ? "" : cat(" (", rest.text, ")")));
  }
  if (plan.count(Verdict::unknown) > 0) parts.push_back(unknown_text(plan));
  return {"UNDO", cat("exact, except: ", join(parts, "; ")), none ? Tone::bad : Tone::notable};
}

bool is_variable(const PlanItem& item) { return item.setting.address.kind() == "nccl.conf"; }

bool is_file(const PlanItem& item) {
  return item.setting.address.kind() == "file" || item.setting.address.kind() == "dir";
}

/// The variable is in no nccl.conf, but in a file that is written.
bool is_in_written_file(const Plan& plan, const ContentOf& content_of, const std::string& name) {
  return std::ranges::any_of(plan.items, [&](const PlanItem& item) {
    const std::string digest = item.to_write() ? content_digest(item.after) : std::string();
    const auto content = digest.empty() ? std::nullopt : content_of(digest);
    return content && content->find(name) != std::string::npos;
  });
}

/// Of a list of devices what they have in common: "=mlx5_{0,3,10}".
std::string brief_variable(const std::string& value) {
  constexpr std::size_t kLongest = 60;
  const std::size_t begin = std::min(value.find_first_not_of("=^"), value.size());
  std::vector<std::string> parts;
  for (const std::string_view part : split(std::string_view(value).substr(begin), ','))
    parts.emplace_back(part);
  const auto list = parts.size() > 2 ? braces(parts) : std::nullopt;
  return shorten_middle(list ? cat(value.substr(0, begin), *list) : value, kLongest);
}

std::string new_jobs(const node::Planned& planned, const ContentOf& content_of) {
  const auto value = [](const Value& text) { return brief_variable(node::value_text(text)); };
  std::vector<std::string> parts;
  bool same = false;
  std::vector<std::string> told;
  for (const PlanItem& item : planned.plan.items) {
    if (!is_variable(item)) continue;
    const std::string name = short_name(item.setting.address);
    if (name == "(end)") continue;  // how nccl.conf ends
    told.push_back(name);
    if (!item.to_write()) continue;
    same = same || item.setting.same_on_all_nodes;
    const std::string mark = item.setting.same_on_all_nodes ? "*" : "";
    if (!item.after)
      parts.push_back(cat("no ", name));
    else
      parts.push_back(item.now.value()
                          ? cat(name, " ", value(item.now.value()), " -> ", value(item.after), mark)
                          : cat(name, " ", value(item.after), mark));
  }
  for (const JobVariable& variable : planned.resolved.desired.variables)
    if (std::ranges::find(told, variable.name) == told.end() &&
        is_in_written_file(planned.plan, content_of, variable.name)) {
      same = same || variable.same_on_all_nodes;
      parts.push_back(cat(node::safe(variable.name), " ", value(variable.value),
                          variable.same_on_all_nodes ? "*" : ""));
    }
  return parts.empty() ? std::string()
                       : cat(join(parts, ", "), same ? " (*: equal on every node of a job)" : "");
}

std::string on_boot(const Plan& plan, const PlanView& view) {
  constexpr std::size_t kNamed = 2;
  std::vector<std::string> parts;
  for (const auto& [sign, what] :
       {std::pair('+', "placed"), std::pair('~', "changed"), std::pair('-', "removed")}) {
    std::vector<std::string> files;
    for (const PlanItem& item : plan.items)
      if (item.setting.address.kind() == "file" && sign_of(item) == sign)
        files.push_back(short_name(item.setting.address));
    if (files.empty()) continue;
    const bool in_etc = std::ranges::all_of(
        files, [](const std::string& file) { return file.starts_with("/etc/"); });
    parts.push_back(files.size() <= kNamed
                        ? cat(join(files, ", "), files.size() == 1 ? " is " : " are ", what)
                        : cat(files.size(), " files", in_etc ? " in /etc" : "", " are ", what));
  }
  if (parts.empty()) return {};
  return cat(join(parts, ", "), view.all ? "" : " (-v shows them)");
}

/// What takes effect later: "at the next boot: modprobe mlx5_core:prof_sel".
std::string later(const Plan& plan) {
  std::map<std::string, std::vector<std::string>> by_time;
  for (const PlanItem& item : plan.items)
    if (item.to_write() && !item.takes_effect.empty())
      by_time[item.takes_effect].push_back(short_name(item.setting.address));
  std::vector<std::string> parts;
  for (const auto& [when, names] : by_time)
    parts.push_back(cat(node::safe(when), ": ", listed(names)));
  return join(parts, "; ");
}

}  // namespace

PortSets disturbed_ports(const Plan& plan, const Ports& ports) {
  PortSets sets;
  for (const Disturbance& step : steps_of(plan, ports))
    sets.emplace(step.ports.begin(), step.ports.end());
  return sets;
}

bool is_in_impact(const PlanItem& item, const ClaimsOf& claims) {
  return (is_variable(item) || is_file(item)) && item.to_write() && item.refused.empty() &&
         item.now.why.empty() && item.no_effect.empty() && item.effects.undo == Undo::exact &&
         item.effects.impact == Impact::none && item.effects.disturbs.empty() &&
         !claims.contains(item.setting.address.text);
}

std::string impact_lines(const node::Planned& planned, const ContentOf& content_of,
                         const PlanView& view, const Style& style) {
  const Ports ports(view.facts);
  std::vector<Line> lines = {disturbs(planned.plan, ports), access(planned.plan, view)};
  if (!view.undoes) lines.push_back(undo(planned.plan, ports));
  lines.push_back({"NEW JOBS", new_jobs(planned, content_of)});
  lines.push_back({"LATER", later(planned.plan), Tone::notable});
  lines.push_back({"ON BOOT", on_boot(planned.plan, view)});
  std::string out;
  for (const Line& line : lines)
    if (!line.text.empty()) out += line_text(line, style);
  return out;
}

}  // namespace nettune::cli::text
