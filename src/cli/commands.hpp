// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "cli/context.hpp"
#include "cli/exit_codes.hpp"
#include "cli/output.hpp"

/// One function a command, each in its own file cmd_NAME.cpp. A value is the exit code of a command
/// that has told everything itself; an error is told by run().
namespace nettune::cli {

Result<Exit> cmd_list(Context& context, Output& output);
Result<Exit> cmd_show(Context& context, Output& output);
Result<Exit> cmd_schema(Context& context, Output& output);
Result<Exit> cmd_facts(Context& context, Output& output);
Result<Exit> cmd_nccl(Context& context, Output& output);
Result<Exit> cmd_env(Context& context, Output& output);
Result<Exit> cmd_run(Context& context, Output& output);
Result<Exit> cmd_plan(Context& context, Output& output);
Result<Exit> cmd_diff(Context& context, Output& output);
Result<Exit> cmd_apply(Context& context, Output& output);
Result<Exit> cmd_reapply(Context& context, Output& output);
Result<Exit> cmd_confirm(Context& context, Output& output);
Result<Exit> cmd_check(Context& context, Output& output);
Result<Exit> cmd_watch(Context& context, Output& output);
Result<Exit> cmd_qualify(Context& context, Output& output);
Result<Exit> cmd_recover(Context& context, Output& output);
Result<Exit> cmd_rollback(Context& context, Output& output);
Result<Exit> cmd_history(Context& context, Output& output);
Result<Exit> cmd_status(Context& context, Output& output);
Result<Exit> cmd_hold(Context& context, Output& output);
Result<Exit> cmd_release(Context& context, Output& output);
Result<Exit> cmd_complete(Context& context, Output& output);
Result<Exit> cmd_undo_list(Context& context, Output& output);

}  // namespace nettune::cli
