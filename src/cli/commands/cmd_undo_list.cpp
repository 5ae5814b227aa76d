// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/commands/commands.hpp"

namespace nettune::cli::commands {

namespace {

constexpr std::string_view kKind = "nccl.conf";

void print_line(Output& output, char sign, std::string_view name, const Value& value) {
  if (value) output.print(cat(std::string(1, sign), name, "=", *value, "\n"));
}

}  // namespace

/// For the package, whose purge runs without the program: each managed line of /etc/nccl.conf after
/// a '-', and the line that it replaced after a '+'. The name "(end)" says how the file ends.
Result<node::Exit> cmd_undo_list(Invocation& context, Output& output) {
  TRY_ASSIGN(const node::StateView state, context.look_at_state());
  if (!state.unreadable.empty()) return fail(Errc::denied, state.unreadable);
  if (!state.active) return node::Exit::done;
  for (const auto& [address, owned] : state.active->owned) {
    if (address.kind() != kKind) continue;
    print_line(output, '-', address.rest(), owned.committed);
    print_line(output, '+', address.rest(), owned.baseline);
  }
  return node::Exit::done;
}

}  // namespace nettune::cli::commands
