// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/command.hpp"

namespace nettune::cli::commands {

namespace {

void print_line(Output& output, char sign, std::string_view name, const Value& value) {
  if (value) output.print(cat(std::string(1, sign), name, "=", *value, "\n"));
}

/// For the package, whose purge runs without the program: each managed line of /etc/nccl.conf after
/// a '-', and the line that it replaced after a '+'. The name "(end)" says how the file ends.
struct UndoListCommand : GlobalOptions {
  Result<node::Exit> run(node::Context& context, Output& output) const {
    TRY_ASSIGN(const node::StateView state, context.look_at_state());
    if (!state.unreadable.empty()) return fail(Errc::denied, state.unreadable);
    if (!state.active) return node::Exit::done;
    for (const auto& [address, owned] : state.active->owned) {
      if (address.kind() != "nccl.conf") continue;
      print_line(output, '-', address.rest(), owned.committed);
      print_line(output, '+', address.rest(), owned.baseline);
    }
    return node::Exit::done;
  }
};

}  // namespace

Command undo_list_command() { return make_command<UndoListCommand>(); }

}  // namespace nettune::cli::commands
