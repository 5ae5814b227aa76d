// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/command_table.hpp"

#include <algorithm>
#include <array>

#include "cli/programs.hpp"

namespace nettune::cli::commands {

// Each is in cmd_NAME.cpp.
Command list_command(), show_command(), recommend_command(), schema_command(), plan_command(),
    diff_command(), apply_command(), confirm_command(), check_command(), watch_command(),
    reapply_command(), rollback_command(), recover_command(), history_command(), status_command(),
    hold_command(), release_command(), facts_command(), qualify_command(), env_command(),
    run_command(), complete_command(), undo_list_command();

namespace {

// docs/man/command-pages.awk reads these lines.
constexpr std::array kCommands = {
    CommandSpec{"list", "list the profiles", kSettings, list_command},
    CommandSpec{"show", "show a resolved profile, and where values come from", kSettings,
                show_command},
    CommandSpec{"recommend", "say which profile matches this node, and why", kSettings,
                recommend_command},
    CommandSpec{"schema", "print the JSON Schema of profiles or site.toml", kSettings,
                schema_command},
    CommandSpec{"plan", "show what apply would change, its impact and undo", kSettings,
                plan_command},
    CommandSpec{"diff", "show only the differences, as a diff", kSettings, diff_command},
    CommandSpec{"apply", "apply a profile or a saved plan", kSettings, apply_command},
    CommandSpec{"confirm", "keep the change that apply --confirm would revert", kSettings,
                confirm_command},
    CommandSpec{"check", "report drift", kSettings, check_command},
    CommandSpec{"watch", "report drift as it happens", kSettings, watch_command},
    CommandSpec{"reapply", "apply the active generation again (boot, hotplug)", kSettings,
                reapply_command},
    CommandSpec{"rollback", "restore an earlier state", kSettings, rollback_command},
    CommandSpec{"recover", "finish or undo an interrupted run", kSettings, recover_command},
    CommandSpec{"history", "list every transaction on this node", kSettings, history_command},
    CommandSpec{"status", "show what is active, on hold or unfinished", kSettings, status_command},
    CommandSpec{"hold", "pause automation while somebody debugs", kSettings, hold_command},
    CommandSpec{"release", "end a hold", kSettings, release_command},
    CommandSpec{"facts", "show devices, links, GPUs, and what is protected", kNode, facts_command},
    CommandSpec{"qualify", "try a profile's settings on one device, and undo them", kNode,
                qualify_command},
    CommandSpec{"env", "print the variables for jobs on this node", kJobs, env_command},
    CommandSpec{"run", "run a command with them, near a GPU on request", kJobs, run_command},
    // Used by shell completion, and by the package before its removal.
    CommandSpec{"complete", "", "", complete_command},
    CommandSpec{"undo-list", "", "", undo_list_command},
};

}  // namespace

std::span<const CommandSpec> commands() { return kCommands; }

const CommandSpec* find_command(std::string_view name) {
  const auto* const found = std::ranges::find(kCommands, name, &CommandSpec::name);
  return found == kCommands.end() ? nullptr : found;
}

Command command_of(const CommandSpec& spec) {
  Command command = spec.make();
  command.name = spec.name;
  command.summary = spec.summary;
  return command;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandSpec& spec : commands())
    if (!spec.group.empty()) names.emplace_back(spec.name);
  for (const ProgramSpec& program : programs()) names.emplace_back(program.name);
  return names;
}

}  // namespace nettune::cli::commands
