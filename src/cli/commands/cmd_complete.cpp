// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.hpp"
#include "cli/candidates.hpp"
#include "cli/commands/commands.hpp"
#include "facts/near_gpu.hpp"
#include "intents/job_files.hpp"
#include "node/nccl_job.hpp"
#include "node/planning.hpp"
#include "node/unrecorded.hpp"

namespace nettune::cli::commands {

namespace {

constexpr std::array<std::string_view, 4> kOfProfiles = {"show", "env", "plan", "apply"};

std::vector<std::string> interfaces(Disk& disk) {
  return disk.list("/sys/class/net").value_or(std::vector<std::string>());
}

/// Values for qualify.
std::vector<std::string> devices(Disk& disk) {
  std::vector<std::string> names = interfaces(disk);
  for (const std::string& name :
       disk.list("/sys/class/infiniband").value_or(std::vector<std::string>()))
    names.push_back(name);
  return names;
}

/// Values for run --numa-of-gpu.
std::vector<std::string> gpus() {
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < facts::gpu_addresses("/").size(); ++i) numbers.push_back(cat(i));
  return numbers;
}

/// Values for env --explain.
std::vector<std::string> variables(Invocation& context) {
  std::vector<std::string> names;
  if (const auto catalog = node::read_catalog(context.disk()))
    for (const nccl::Variable& one : catalog->variables) names.push_back(one.name);
  return names;
}

using Words = std::vector<std::string>;

/// Values for apply --only: the addresses of the profile among these words.
Words addresses(Invocation& context, const Words& words) {
  const Words profiles = profile_names(context);
  const auto profile = std::ranges::find_first_of(words, profiles);
  if (profile == words.end()) return {};
  Words names;
  if (const auto resolved = node::resolve_profile(context, *profile))
    for (const Setting& setting : resolved->desired.settings) names.push_back(setting.address.text);
  return names;
}

/// Values for reapply --only.
Words applied_addresses(Invocation& context) {
  Words names;
  if (const auto state = context.look_at_state(); state && state->active)
    for (const Setting& setting : state->active->settings) names.push_back(setting.address.text);
  return names;
}

/// Values for --unrecorded.
Words unrecorded(Invocation& context) {
  Words names;
  auto state = context.look_at_state();
  if (!state) return names;
  node::find_unrecorded(context, *state);
  for (const node::Marked& marked : state->unrecorded) names.push_back(marked.address.text);
  return names;
}

/// Values for reapply --kind.
std::vector<std::string> kinds(Invocation& context) {
  std::vector<std::string> names;
  if (const auto providers = context.providers())
    for (const auto& provider : (*providers)->all()) names.emplace_back(provider->kind());
  return names;
}

/// Values for rollback --to.
std::vector<std::string> generations(Invocation& context) {
  std::vector<std::string> names = {"baseline"};
  if (const auto numbers = context.state().numbers(); numbers)
    for (const std::uint64_t number : *numbers) names.push_back(cat(number));
  return names;
}

/// The command among the words before the last one, which is unfinished.
Words::const_iterator find_command(const Words& words) {
  const Words commands = command_names();
  return std::find_if(words.begin(), words.end() - (words.empty() ? 0 : 1),
                      [&](const std::string& word) {
                        return std::find(commands.begin(), commands.end(), word) != commands.end();
                      });
}

/// Candidates for the last word. Empty if the shell knows better (files).
Words candidates(Invocation& context, const Words& words) {
  const auto before_last = words.end() - (words.empty() ? 0 : 1);
  const auto command = find_command(words);
  const std::string last = words.empty() ? std::string() : words.back();
  if (command == before_last) return command_names();
  // Another program's line follows.
  if (*command == "run" && std::find(command, before_last, "--") != before_last) return {};
  if (last.starts_with('-')) return options_of(*command);
  const std::string& previous = *(before_last - 1);
  if (previous == "--to") return generations(context);
  if (previous == "--only") {
    Words names = *command == "reapply" ? applied_addresses(context)
                                        : addresses(context, {command, before_last});
    std::ranges::move(interfaces(context.disk()), std::back_inserter(names));
    return names;
  }
  if (previous == "--without") return interfaces(context.disk());
  if (previous == "--unrecorded") return unrecorded(context);
  if (previous == "--profile") return profile_names(context);
  if (previous == "--numa-of-gpu") return gpus();
  if (previous == "--explain") return variables(context);
  if (previous == "--kind") return kinds(context);
  if (previous == "--probe") return {"path:", "gateway", "tcp:", "command:/"};
  if (previous == "--format") return intents::job_formats();
  const bool follows_command = previous == *command;
  if (*command == "schema") return {"profile", "site"};
  if (*command == "diff") {
    Words names = generations(context);
    if (follows_command) std::ranges::move(profile_names(context), std::back_inserter(names));
    return names;
  }
  if (*command == "qualify") {
    if (follows_command) return devices(context.disk());
    return *(before_last - 2) == *command ? profile_names(context) : std::vector<std::string>();
  }
  if (follows_command &&
      std::find(kOfProfiles.begin(), kOfProfiles.end(), *command) != kOfProfiles.end())
    return profile_names(context);
  return {};
}

}  // namespace

Result<node::Exit> cmd_complete(Invocation& context, Output& output) {
  const Words& words = context.arguments().words;
  const auto command = find_command(words);
  const ProgramSpec* const program = command == words.end() ? nullptr : find_program(*command);
  if (!program || command + 1 == words.end()) {
    output.print(completions(candidates(context, words), words.empty() ? "" : words.back()));
    return node::Exit::done;
  }
  Words asked = {std::string(kCompleteWord)};
  asked.insert(asked.end(), command + 1, words.end());
  return become_program(*program, asked);
}

}  // namespace nettune::cli::commands
