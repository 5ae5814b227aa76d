// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/command_table.hpp"

#include <algorithm>
#include <array>

#include "cli/programs.hpp"

namespace nettune::cli::commands {

// Each is in cmd_NAME.cpp; in a unity build some come before this file.
// NOLINTBEGIN(readability-redundant-declaration)
Command list_command(), show_command(), recommend_command(), schema_command(), plan_command(),
    diff_command(), apply_command(), confirm_command(), check_command(), watch_command(),
    reapply_command(), rollback_command(), recover_command(), history_command(), status_command(),
    hold_command(), release_command(), facts_command(), qualify_command(), env_command(),
    run_command(), capture_command(), import_command(), new_command(), complete_command(),
    undo_list_command(), explain_command();
// NOLINTEND(readability-redundant-declaration)

namespace {

// docs/man/command-pages.awk reads these lines.
constexpr std::array kCommands = {
    CommandSpec{"list", "list the profiles", kSettings, list_command, "nettune list"},
    CommandSpec{"show", "show a resolved profile, and where values come from", kSettings,
                show_command, "nettune show rocev2-400g --why"},
    CommandSpec{"recommend", "say which profile matches this node, and why", kSettings,
                recommend_command, "nettune recommend"},
    CommandSpec{"schema", "print the JSON Schema of profiles or site.toml", kSettings,
                schema_command, "nettune schema profile > profile.schema.json"},
    CommandSpec{"new", "write a small profile to begin with", kSettings, new_command,
                "nettune new ours --extends rocev2-400g -o ours.toml"},
    CommandSpec{"capture", "write this node as it is as a profile", kSettings, capture_command,
                "nettune capture gpu17 -o gpu17.toml"},
    CommandSpec{"import", "write TuneD, sysctl.d or saptune files as a profile", kSettings,
                import_command, "nettune import tuned /usr/lib/tuned/network-latency"},
    CommandSpec{"plan", "show what apply would change, its impact and undo", kSettings,
                plan_command, "nettune plan rocev2-400g"},
    CommandSpec{"diff", "show only the differences, as a diff", kSettings, diff_command,
                "nettune diff"},
    CommandSpec{"apply", "apply a profile or a saved plan", kSettings, apply_command,
                "sudo nettune apply rocev2-400g --confirm 2m"},
    CommandSpec{"confirm", "keep the change that apply --confirm would revert", kSettings,
                confirm_command, "sudo nettune confirm"},
    CommandSpec{"check", "report drift", kSettings, check_command, "nettune check --json"},
    CommandSpec{"watch", "report drift as it happens", kSettings, watch_command,
                "nettune watch --every 5m"},
    CommandSpec{"reapply", "apply the active generation again (boot, hotplug)", kSettings,
                reapply_command, "sudo nettune reapply"},
    CommandSpec{"rollback", "restore an earlier state", kSettings, rollback_command,
                "sudo nettune rollback --to baseline"},
    CommandSpec{"recover", "finish or undo an interrupted run", kSettings, recover_command,
                "sudo nettune recover"},
    CommandSpec{"history", "list every transaction on this node", kSettings, history_command,
                "nettune history"},
    CommandSpec{"status", "show what is active, on hold or unfinished", kSettings, status_command,
                "nettune status"},
    CommandSpec{"hold", "pause automation while somebody debugs", kSettings, hold_command,
                "sudo nettune hold --why 'cable swap, until 15:00'"},
    CommandSpec{"release", "end a hold", kSettings, release_command, "sudo nettune release"},
    CommandSpec{"explain", "say what an exit code, flag, word or rule means", kSettings,
                explain_command, "nettune explain allow-busy"},
    CommandSpec{"facts", "show devices, links, GPUs, and what is protected", kNode, facts_command,
                "nettune facts --json > n17.json"},
    CommandSpec{"qualify", "try a profile's settings on one device, and undo them", kNode,
                qualify_command, "sudo nettune qualify enp26s0np0 rocev2-400g"},
    CommandSpec{"env", "print the variables for jobs on this node", kJobs, env_command,
                "nettune env --format docker"},
    CommandSpec{"run", "run a command with them, near a GPU on request", kJobs, run_command,
                "nettune run --numa-of-gpu 0 -- python train.py"},
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
  command.example = spec.example;
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
