// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/write_access.hpp"

namespace nettune::cli::commands {

namespace {

struct ReleaseCommand : GlobalOptions {
  Result<node::Exit> run(node::Context& context, Output& output) const {
    TRY_ASSIGN(const node::WriteAccess writing, node::lock_state(context));
    TRY(context.state().release_hold());
    if (json) {
      output.print(json::hold("release", {}));
      return node::Exit::done;
    }
    output.print(text::notes(writing.notes, output.style()));
    output.print(writing.state.hold ? "released\n" : "this node was not on hold\n");
    return node::Exit::done;
  }
};

}  // namespace

Command release_command() { return make_command<ReleaseCommand>(Work::changes); }

}  // namespace nettune::cli::commands
