// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/command_table.hpp"

#include <algorithm>
#include <array>

#include "cli/commands/commands.hpp"

namespace nettune::cli::commands {

namespace {

// docs/man/command-pages.awk reads these lines.
constexpr std::array kCommands = {
    CommandSpec{Command::list, "list", "list the profiles", kSettings, cmd_list},
    CommandSpec{Command::show, "show", "show a resolved profile, and where values come from",
                kSettings, cmd_show},
    CommandSpec{Command::recommend, "recommend", "say which profile matches this node, and why",
                kSettings, cmd_recommend},
    CommandSpec{Command::schema, "schema", "print the JSON Schema of profiles or site.toml",
                kSettings, cmd_schema},
    CommandSpec{Command::plan, "plan", "show what apply would change, its impact and undo",
                kSettings, cmd_plan},
    CommandSpec{Command::diff, "diff", "show only the differences, as a diff", kSettings, cmd_diff},
    CommandSpec{Command::apply, "apply", "apply a profile or a saved plan", kSettings, cmd_apply,
                Work::changes},
    CommandSpec{Command::confirm, "confirm", "keep the change that apply --confirm would revert",
                kSettings, cmd_confirm, Work::changes},
    CommandSpec{Command::check, "check", "report drift", kSettings, cmd_check},
    CommandSpec{Command::watch, "watch", "report drift as it happens", kSettings, cmd_watch},
    CommandSpec{Command::reapply, "reapply", "apply the active generation again (boot, hotplug)",
                kSettings, cmd_reapply, Work::changes},
    CommandSpec{Command::rollback, "rollback", "restore an earlier state", kSettings, cmd_rollback,
                Work::changes},
    CommandSpec{Command::recover, "recover", "finish or undo an interrupted run", kSettings,
                cmd_recover, Work::changes},
    CommandSpec{Command::history, "history", "list every transaction on this node", kSettings,
                cmd_history},
    CommandSpec{Command::status, "status", "show what is active, on hold or unfinished", kSettings,
                cmd_status},
    CommandSpec{Command::hold, "hold", "pause automation while somebody debugs", kSettings,
                cmd_hold, Work::changes},
    CommandSpec{Command::release, "release", "end a hold", kSettings, cmd_release, Work::changes},
    CommandSpec{Command::facts, "facts", "show devices, links, GPUs, and what is protected", kNode,
                cmd_facts},
    CommandSpec{Command::qualify, "qualify",
                "try a profile's settings on one device, and undo them", kNode, cmd_qualify,
                Work::changes},
    CommandSpec{Command::env, "env", "print the variables for jobs on this node", kJobs, cmd_env},
    CommandSpec{Command::run, "run", "run a command with them, near a GPU on request", kJobs,
                cmd_run},
    // Used by shell completion, and by the package before its removal.
    CommandSpec{Command::complete, "complete", "", "", cmd_complete},
    CommandSpec{Command::undo_list, "undo-list", "", "", cmd_undo_list},
};

}  // namespace

std::span<const CommandSpec> commands() { return kCommands; }

const CommandSpec& spec_of(Command command) {
  return *std::ranges::find(kCommands, command, &CommandSpec::command);
}

}  // namespace nettune::cli::commands
