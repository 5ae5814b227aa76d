// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "cli/commands/drift_receivers.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/commands/suggested_lines.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/check/advising.hpp"
#include "node/check/checking.hpp"

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

struct CheckCommand : GlobalOptions, node::CheckRequest, DriftReceivers {
  std::string listen_text;

  Options options() {
    return joined(
        {{{"--unattended", "",
           "Run by a timer: respect a hold, report drift to the journal, no advice", &unattended},
          {"--strict", "", "Exit with 9 if it is unknown whether traffic is allowed", &strict},
          {"--listen-lldp", "TIME",
           "Compare the lossless ports with their switches; 35s is usually enough", &listen_text}},
         receiver_options(*this)});
  }

  Result<> take() {
    TRY(take_duration(listen_s, "--listen-lldp", listen_text));
    return take_receivers(*this);
  }

  Result<node::Exit> run(node::Context& context, Output& output) const {
    TRY_ASSIGN(node::check::Checked checked, node::check::check_node(context, *this));
    // A timer must not make drivers query their firmware (design, promise 8).
    if (checked.held && !unattended) {
      node::check::Advised advised = node::check::advise(context, checked);
      checked.advice = std::move(advised.advice);
      std::ranges::move(advised.notes, std::back_inserter(checked.notes));
    }
    if (json) {
      output.print(json::check(checked));
    } else {
      output.print(checked.held
                       ? text::check(*checked.held, *checked.state.active, checked.passages,
                                     reapply_line(context.locations(), *checked.state.active),
                                     output.style())
                       : checked.skipped + "\n");
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
