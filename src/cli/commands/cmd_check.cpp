// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "cli/commands/again.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/tell_others.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/check/advising.hpp"
#include "node/check/checking.hpp"

namespace nettune::cli::commands {

namespace {

std::vector<std::string> notes_of(const Arguments& arguments, const node::check::Checked& checked) {
  std::vector<std::string> notes;
  for (const std::string& sentence : checked.sources_moved)
    notes.push_back(cat(sentence, "; see ", plan_again(arguments, *checked.state.active)));
  notes.insert(notes.end(), checked.notes.begin(), checked.notes.end());
  return notes;
}

}  // namespace

Result<node::Exit> cmd_check(Invocation& context, Output& output) {
  const Arguments& arguments = context.arguments();
  TRY_ASSIGN(node::check::Checked checked,
             node::check::check_node(context,
                                     {arguments.unattended, arguments.strict, arguments.listen_s}));
  // A timer must not make drivers query their firmware (design, promise 8).
  if (checked.held && !arguments.unattended) {
    node::check::Advised advised = node::check::advise(context, checked);
    checked.advice = std::move(advised.advice);
    std::ranges::move(advised.notes, std::back_inserter(checked.notes));
  }
  if (arguments.json) {
    output.print(json::check(checked));
  } else {
    output.print(checked.held
                     ? text::check(*checked.held, *checked.state.active, checked.passages,
                                   reapply_again(arguments, *checked.state.active), output.style())
                     : checked.skipped + "\n");
    output.print(text::passages_in_short(checked.passages, output.style()));
    output.print(text::chains(checked.chains, output.style()));
    output.print(text::switches(checked.switches, output.style()));
    output.print(text::advice(checked.advice, output.style()));
    output.print(text::notes(notes_of(arguments, checked), output.style()));
    output.print(text::notes(checked.state.notes(), output.style()));
  }
  for (const std::string& untold : tell_others(arguments, checked, true))
    output.complain(cat("warning: ", untold, "\n"));
  return checked.exit;
}

}  // namespace nettune::cli::commands
