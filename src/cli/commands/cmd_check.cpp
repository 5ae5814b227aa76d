// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ctime>
#include <iterator>

#include "base/text.hpp"
#include "cli/commands/drift_receivers.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/commands/suggested_lines.hpp"
#include "cli/print_check.hpp"
#include "cli/print_json.hpp"
#include "cli/print_status.hpp"
#include "cli/print_text.hpp"
#include "node/check/advising.hpp"
#include "node/check/checking.hpp"
#include "node/identity.hpp"
#include "node/summary.hpp"

namespace nettune::cli::commands {

namespace {

std::vector<std::string> notes_of(const node::Locations& locations,
                                  const node::check::Checked& checked) {
  std::vector<std::string> notes;
  for (const std::string& sentence : checked.sources_moved)
    notes.push_back(cat(sentence, "; see ", plan_line(locations, *checked.state.active)));
  notes.insert(notes.end(), checked.notes.begin(), checked.notes.end());
  return notes;
}

/// When a check first saw it: that is all that is known of a value outside files.
void add_since(const node::Summary::Check& check, node::check::Restoring& restoring) {
  for (const node::Summary::Apart& apart : check.apart)
    if (apart.since_s < check.time_s)
      restoring.since_s.try_emplace(Address{apart.setting}, apart.since_s);
}

text::CheckLines lines_of(const node::Context& context, const node::check::Checked& checked,
                          const node::check::Restoring& restoring, bool unseen) {
  if (!checked.held) return {"", "", unseen};
  return {reapply_line(context.locations(), *checked.state.active, restoring.options),
          same_node_line(context.locations(), "diff"), unseen};
}

struct CheckCommand : GlobalOptions, node::CheckRequest, DriftReceivers {
  std::string listen_text;
  bool cached = false;

  Options options() {
    return joined(
        {{{"--unattended", "",
           "Run by a timer: respect a hold, report drift to the journal, no advice", &unattended},
          {"--strict", "", "Exit with 9 if traffic is unknown, or nothing is applied", &strict},
          {"--effective", "", "Exit with 3 if a value is not in effect yet, 9 if nothing shows it",
           &effective},
          {"--cached", "", "Read nothing: say what the last check by root found", &cached},
          {"--listen-lldp", "TIME",
           "Compare the lossless ports with their switches; 35s is usually enough", &listen_text}},
         receiver_options(*this)});
  }

  Result<> take() {
    TRY(take_duration(listen_s, "--listen-lldp", listen_text));
    if (cached && (listen_s > 0 || unattended || !textfile.empty() || !on_drift_text.empty()))
      return fail(Errc::invalid,
                  "--cached checks nothing, so it cannot be combined with --unattended, "
                  "--listen-lldp, --textfile and --on-drift");
    return take_receivers(*this);
  }

  Result<node::Exit> print_cached(node::Context& context, Output& output) const {
    const auto summary = node::read_summary(context);
    if (!summary) {
      const Error error{Errc::not_found,
                        cat(summary.error().text, ": no check by root since the node booted; try ",
                            "sudo nettune check")};
      return report_error(error, node::Exit::unknown, json, output);
    }
    const std::int64_t now_s = std::time(nullptr);
    node::Summary judged = *summary;
    if (judged.check) judged.time_s = judged.check->time_s;
    const std::string stale =
        node::stale_reason(judged, node::boot_id(context.disk()).value_or(""), now_s);
    output.print(json ? json::cached(*summary, stale)
                      : text::cached_check(*summary, stale, now_s, output.style()));
    if (!summary->check || !stale.empty()) return node::Exit::unknown;
    const auto exit = static_cast<node::Exit>(summary->check->exit);
    const bool unknown = summary->check->standing == node::check::Standing::unmanaged ||
                         summary->check->traffic_unknown > 0;
    return strict && unknown ? node::worse(exit, node::Exit::unknown) : exit;
  }

  /// A timer neither reads facts nor needs commands to type.
  node::check::Restoring restoring_of(node::Context& context, node::check::Checked& checked) const {
    if (unattended) return {};
    auto restoring = node::check::how_to_restore(context, checked);
    if (restoring) return std::move(*restoring);
    checked.notes.push_back(
        cat("what nettune reapply would do is unknown: ", restoring.error().text));
    return {};
  }

  Result<node::Exit> run(node::Context& context, Output& output) const {
    if (cached) return print_cached(context, output);
    auto looked = node::check::check_node(context, *this);
    if (!looked && looked.error().code == Errc::denied)
      looked.error().text += "; nettune check --cached says what the last check by root found";
    TRY_ASSIGN(node::check::Checked checked, std::move(looked));
    const std::optional<node::Summary> summary = node::update_summary(context, &checked);
    // A timer must not make drivers query their firmware (design, promise 8).
    if (checked.held && !unattended) {
      node::check::Advised advised = node::check::advise(context, checked);
      checked.advice = std::move(advised.advice);
      std::ranges::move(advised.notes, std::back_inserter(checked.notes));
    }
    if (json) {
      output.print(json::check(checked));
    } else {
      node::check::Restoring restoring = restoring_of(context, checked);
      if (summary && summary->check) add_since(*summary->check, restoring);
      output.print(text::check(checked, restoring,
                               lines_of(context, checked, restoring, effective || verbose > 0),
                               output.style()));
      output.print(text::passages_in_short(checked.passages, output.style()));
      output.print(text::chains(checked.chains, output.style()));
      output.print(text::switches(checked.switches, output.style()));
      output.print(text::advice(checked.advice, output.style()));
      output.print(text::notes(notes_of(context.locations(), checked), output.style()));
      output.print(text::notes(checked.state.notes(), output.style()));
    }
    report_drift(*this, unattended, checked, true, output);
    return checked.exit;
  }
};

}  // namespace

Command check_command() { return make_command<CheckCommand>(); }

}  // namespace nettune::cli::commands
