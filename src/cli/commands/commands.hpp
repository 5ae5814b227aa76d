// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "cli/commands/invocation.hpp"
#include "cli/output.hpp"
#include "node/exit_codes.hpp"

/// One function per command, each in its own file cmd_NAME.cpp. A value is the exit code of a
/// command that has printed everything; run() reports an error.
namespace nettune::cli::commands {

Result<node::Exit> cmd_list(Invocation& context, Output& output);
Result<node::Exit> cmd_show(Invocation& context, Output& output);
Result<node::Exit> cmd_recommend(Invocation& context, Output& output);
Result<node::Exit> cmd_schema(Invocation& context, Output& output);
Result<node::Exit> cmd_facts(Invocation& context, Output& output);
Result<node::Exit> cmd_env(Invocation& context, Output& output);
Result<node::Exit> cmd_run(Invocation& context, Output& output);
Result<node::Exit> cmd_plan(Invocation& context, Output& output);
Result<node::Exit> cmd_diff(Invocation& context, Output& output);
Result<node::Exit> cmd_apply(Invocation& context, Output& output);
Result<node::Exit> cmd_reapply(Invocation& context, Output& output);
Result<node::Exit> cmd_confirm(Invocation& context, Output& output);
Result<node::Exit> cmd_check(Invocation& context, Output& output);
Result<node::Exit> cmd_watch(Invocation& context, Output& output);
Result<node::Exit> cmd_qualify(Invocation& context, Output& output);
Result<node::Exit> cmd_recover(Invocation& context, Output& output);
Result<node::Exit> cmd_rollback(Invocation& context, Output& output);
Result<node::Exit> cmd_history(Invocation& context, Output& output);
Result<node::Exit> cmd_status(Invocation& context, Output& output);
Result<node::Exit> cmd_hold(Invocation& context, Output& output);
Result<node::Exit> cmd_release(Invocation& context, Output& output);
Result<node::Exit> cmd_complete(Invocation& context, Output& output);
Result<node::Exit> cmd_undo_list(Invocation& context, Output& output);

}  // namespace nettune::cli::commands
