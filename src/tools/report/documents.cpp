// SPDX-License-Identifier: Apache-2.0
#include "tools/report/documents.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sys/stat.h>
#include <unordered_map>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "base/utc.hpp"

namespace nettune::tools::report {

namespace {

using compare::Document;
using Index = std::uint32_t;

std::string text_of(const Document& document, Index object, std::string_view name) {
  return std::string(document.text_of(object, name));
}

std::optional<double> number_of(const Document& document, Index object, std::string_view name) {
  const Index at = document.find(object, name);
  if (at == 0 || !document.is(at, Document::Kind::number)) return {};
  const auto value = read_number(document.at(at).text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// Calls visit(index) for each element of the list that is a member.
template <class Visit>
void each_of(const Document& document, Index object, std::string_view name, Visit&& visit) {
  const Index list = document.find(object, name);
  if (list != 0 && document.is(list, Document::Kind::array)) document.elements(list, visit);
}

std::vector<std::string> texts_of(const Document& document, Index object, std::string_view name) {
  std::vector<std::string> out;
  each_of(document, object, name, [&](Index at) {
    if (document.is_scalar(at)) out.emplace_back(document.at(at).text);
  });
  return out;
}

DoctorSeen doctor_of(const Document& document, Index root) {
  DoctorSeen out;
  out.verdict = text_of(document, root, "verdict");
  each_of(document, root, "findings", [&](Index at) {
    if (!document.is(at, Document::Kind::object)) return;
    const std::string_view verdict = document.text_of(at, "verdict");
    const bool is_bad = verdict == "fault" || verdict == "advice";
    const bool is_open = verdict == "unknown" || verdict == "not_permitted";
    if ((!is_bad && !is_open) || !document.text_of(at, "ignored").empty()) return;
    DoctorFinding one;
    one.rule = text_of(document, at, "rule");
    one.verdict = verdict;
    one.device = text_of(document, at, "device");
    one.seen = text_of(document, at, "seen");
    if (is_open) return out.open.push_back(std::move(one));
    one.costs = text_of(document, at, "costs");
    one.why = text_of(document, at, "why");
    one.remedy = text_of(document, at, "remedy");
    one.source = text_of(document, at, "source");
    if (const Index by = document.find(at, "explained_by"); by != 0)
      one.because = text_of(document, by, "rule");
    out.bad.push_back(std::move(one));
  });
  return out;
}

FactsSeen facts_of(const Document& document, Index root) {
  FactsSeen out;
  const auto add = [&](std::string what, std::string value) {
    std::pair<std::string, std::string> version(std::move(what), std::move(value));
    if (!version.second.empty() && std::ranges::find(out.versions, version) == out.versions.end())
      out.versions.push_back(std::move(version));
  };
  const Index node = document.find(root, "node");
  if (node != 0) {
    out.machine = text_of(document, node, "machine_id");
    out.boot = text_of(document, node, "boot_id");
    const std::string system = text_of(document, node, "os_id");
    if (!system.empty()) add("system", cat(system, " ", document.text_of(node, "os_version")));
    add("kernel", text_of(document, node, "kernel"));
    if (const Index platform = document.find(node, "platform"); platform != 0)
      add("BIOS", text_of(document, platform, "bios_version"));
  }
  each_of(document, root, "rdma", [&](Index at) {
    const std::string model = text_of(document, at, "pci_id");
    add(cat("firmware of ", model.empty() ? "RDMA device" : model),
        text_of(document, at, "firmware"));
  });
  if (const Index full = document.find(root, "full"); full != 0) {
    if (const Index driver = document.find(full, "driver"); driver != 0)
      add("GPU driver", text_of(document, driver, "module"));
    each_of(document, full, "software", [&](Index at) {
      add(text_of(document, at, "kind"), text_of(document, at, "version"));
    });
  }
  return out;
}

StateSeen state_of(const Document& document, Index root) {
  StateSeen out;
  const Index state = document.find(root, "state");
  if (state == 0) return out;
  out.generation = text_of(document, state, "active_generation");
  out.profile = text_of(document, state, "active_profile");
  out.journal = text_of(document, state, "journal");
  out.unreadable = text_of(document, state, "unreadable");
  each_of(document, state, "debts", [&](Index) { ++out.debts; });
  const Index hold = document.find(state, "hold");
  if (hold != 0 && document.is(hold, Document::Kind::object)) {
    out.hold_who = text_of(document, hold, "who");
    if (out.hold_who.empty()) out.hold_who = "somebody";
    out.hold_since = text_of(document, hold, "since");
    out.hold_why = text_of(document, hold, "why");
  }
  return out;
}

CheckSeen check_of(const Document& document, Index root) {
  CheckSeen out;
  out.verdict = text_of(document, root, "verdict");
  out.settings = text_of(document, root, "settings");
  out.skipped = text_of(document, root, "skipped");
  out.state = state_of(document, root);
  each_of(document, root, "not_in_sync", [&](Index at) {
    Drifted one;
    one.address = text_of(document, at, "address");
    one.want = text_of(document, at, "want");
    one.verdict = text_of(document, at, "verdict");
    if (const Index now = document.find(at, "now"); now != 0) {
      one.now = text_of(document, now, "text");
      one.why = text_of(document, now, "why");
    }
    if (const Index origin = document.find(at, "origin"); origin != 0)
      one.origin = cat(document.text_of(origin, "file"), ":", document.text_of(origin, "line"));
    if (one.verdict == "unknown" || one.verdict == "not_permitted")
      out.unknown.emplace_back(one.address, one.why);
    else
      out.apart.push_back(std::move(one));
  });
  each_of(document, root, "not_in_effect", [&](Index at) {
    if (document.text_of(at, "state") == "unseen")
      out.unknown.emplace_back(text_of(document, at, "setting"),
                               cat("whether it is in effect: ", document.text_of(at, "shown_by")));
  });
  each_of(document, root, "passages", [&](Index at) {
    const std::string_view verdict = document.text_of(at, "verdict");
    const std::string what = cat("required traffic ", document.text_of(at, "name"), " (",
                                 document.text_of(at, "traffic"), ")");
    if (verdict == "dropped")
      out.dropped.emplace_back(cat(what, " is dropped by ", document.text_of(at, "where")),
                               text_of(document, at, "remedy"));
    if (verdict == "unknown") out.unknown.emplace_back(what, text_of(document, at, "why"));
  });
  each_of(document, root, "switches", [&](Index at) {
    if (document.text_of(at, "known") == "false")
      out.unknown.emplace_back(cat("switch of ", document.text_of(at, "interface")),
                               text_of(document, at, "text"));
  });
  return out;
}

HistorySeen history_of(const Document& document, Index root) {
  HistorySeen out;
  out.state = state_of(document, root);
  each_of(document, root, "transactions", [&](Index at) {
    Change one;
    one.number = text_of(document, at, "number");
    one.action = text_of(document, at, "action");
    one.profile = text_of(document, at, "profile");
    one.time = text_of(document, at, "time");
    one.who = text_of(document, at, "who");
    one.boot = text_of(document, at, "boot_id");
    one.result = text_of(document, at, "result");
    one.reason = text_of(document, at, "reason");
    each_of(document, at, "changes", [&](Index) { ++one.changes; });
    out.changes.push_back(std::move(one));
  });
  std::ranges::stable_sort(out.changes, {},
                           [](const Change& one) { return parse_int(one.number).value_or(0); });
  return out;
}

StatusSeen status_of(const Document& document, Index root) {
  return {texts_of(document, root, "reboot_owed"), state_of(document, root)};
}

Mesh mesh_of(const Document& document, Index root) {
  Mesh out;
  std::unordered_map<std::string, std::uint32_t> places;
  const auto number = [&](std::string name) {
    const auto [found, is_new] =
        places.try_emplace(std::move(name), static_cast<std::uint32_t>(out.names.size()));
    if (is_new) out.names.push_back(found->first);
    return found->second;
  };
  out.median = number_of(document, root, "median_gbps").value_or(0);
  out.undecided = text_of(document, root, "undecided");
  out.missing = texts_of(document, root, "missing");
  each_of(document, root, "pairs", [&](Index at) {
    MeshPair pair;
    pair.a = number(text_of(document, at, "a"));
    pair.b = number(text_of(document, at, "b"));
    pair.rail = text_of(document, at, "rail");
    pair.gbps = number_of(document, at, "gbps");
    pair.expected = number_of(document, at, "expected_gbps");
    pair.state = text_of(document, at, "state");
    out.pairs.push_back(std::move(pair));
  });
  for (const std::string& name : out.missing) number(name);
  each_of(document, root, "leaves", [&](Index at) {
    out.leaves.emplace_back(text_of(document, at, "leaf"), texts_of(document, at, "nodes"));
  });
  each_of(document, root, "findings", [&](Index at) {
    out.findings.push_back({text_of(document, at, "where"), texts_of(document, at, "nodes"),
                            text_of(document, at, "rail"), text_of(document, at, "leaf")});
  });
  return out;
}

Judged judged_of(const Document& document, Index at, std::string name) {
  Judged out;
  out.name = std::move(name);
  out.verdict = text_of(document, at, "verdict");
  out.blocks = text_of(document, at, "blocks");
  out.estimate = number_of(document, at, "estimate_percent");
  std::vector<double> ends;
  each_of(document, at, "interval_percent", [&](Index end) {
    const auto value = read_number(document.at(end).text);
    if (value && std::isfinite(*value)) ends.push_back(*value);
  });
  if (ends.size() == 2) {
    out.low = ends[0];
    out.high = ends[1];
  }
  return out;
}

std::string arm_of(const Document& document, Index root, std::string_view name) {
  const Index arm = document.find(root, name);
  return arm == 0 ? std::string(name) : text_of(document, arm, "name");
}

Experiment experiment_of(const Document& document, Index root) {
  Experiment out;
  out.host = text_of(document, root, "host");
  out.a = arm_of(document, root, "a");
  out.b = arm_of(document, root, "b");
  out.metric = text_of(document, root, "metric");
  if (out.metric.empty()) out.metric = "time of the command";
  out.delta = 100 * number_of(document, root, "delta").value_or(0);
  out.notes = texts_of(document, root, "notes");
  if (const std::string ended = text_of(document, root, "ended"); !ended.empty())
    out.notes.push_back(cat("ended early: ", ended));
  const Index verdict = document.find(root, "verdict");
  if (verdict == 0 || !document.is(verdict, Document::Kind::object)) return out;
  out.confidence = significant(100 * number_of(document, verdict, "confidence").value_or(0.95), 3);
  out.judged.push_back(judged_of(document, verdict, ""));
  if (const auto missing = number_of(document, verdict, "blocks_missing");
      missing && *missing > 0 && out.judged.front().verdict == "not decided")
    out.notes.push_back(cat("about ", whole(*missing), " more blocks would decide"));
  if (const Index strata = document.find(verdict, "strata");
      strata != 0 && document.is(strata, Document::Kind::object))
    document.members(strata, [&](std::string_view name, Index at) {
      if (document.is(at, Document::Kind::object))
        out.judged.push_back(judged_of(document, at, std::string(name)));
    });
  return out;
}

/// What compare reads: its rules know these.
constexpr std::array<std::string_view, 4> kCompared = {"facts", "doctor", "status", "test"};

}  // namespace

void Reader::begin_file(std::string file) {
  struct stat info {};
  const bool has_time = file != "-" && ::stat(file.c_str(), &info) == 0;
  file_time_ = has_time ? utc_text(info.st_mtime) : "";
  Gatherer::begin_file(std::move(file));
}

void Reader::take(const compare::Document& document) {
  const Index root = document.empty() ? 0 : compare::unwrapped(document);
  if (document.empty() || !document.is(root, Document::Kind::object) ||
      document.text_of(root, "kind") == "error")
    return Gatherer::take(document);  // which says why it is not read
  Seen seen;
  seen.kind = text_of(document, root, "kind");
  seen.file = file();
  seen.node = compare::node_name(document, root, file());
  seen.time = text_of(document, root, "time");
  seen.is_file_time = seen.time.empty();
  if (seen.is_file_time) seen.time = file_time_;
  if (std::ranges::find(kCompared, seen.kind) != kCompared.end()) {
    const std::size_t before = fleet().nodes().size();
    Gatherer::take(document);
    if (fleet().nodes().size() == before) return;
    seen.in_fleet = static_cast<int>(before);
    seen.node = fleet().nodes().back().name;
  } else {
    count_document();
  }
  if (seen.kind == "facts") {
    seen.what = facts_of(document, root);
  } else if (seen.kind == "doctor") {
    seen.what = doctor_of(document, root);
  } else if (seen.kind == "check") {
    seen.what = check_of(document, root);
  } else if (seen.kind == "history") {
    seen.what = history_of(document, root);
  } else if (seen.kind == "status") {
    seen.what = status_of(document, root);
  } else if (seen.kind == "test-mesh") {
    documents_.meshes.push_back(mesh_of(document, root));
    documents_.meshes.back().file = seen.file;
    documents_.meshes.back().time = seen.time;
    return;
  } else if (seen.kind == "ab") {
    documents_.experiments.push_back(experiment_of(document, root));
    documents_.experiments.back().file = seen.file;
    documents_.experiments.back().time = seen.time;
    return;
  } else if (seen.kind != compare::kTestKind) {
    fleet().add_unread(seen.file,
                       seen.kind.empty()
                           ? "names no kind: it is no document that nettune printed with --json"
                           : cat("is a document of kind ", printable(seen.kind),
                                 ", which has no place in this page"));
    return;
  }
  documents_.seen.push_back(std::move(seen));
}

}  // namespace nettune::tools::report
