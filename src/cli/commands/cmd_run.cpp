// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "base/text.hpp"
#include "cli/candidates.hpp"
#include "cli/command.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "conf/environment.hpp"
#include "facts/near_gpu.hpp"
#include "kernel/near_memory.hpp"
#include "node/job_environment.hpp"
#include "node/signals.hpp"
#include "profile/source.hpp"

namespace nettune::cli::commands {

namespace {

std::vector<std::string> gpu_numbers(node::Context&, std::span<const std::string>) {
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < facts::gpu_addresses("/").size(); ++i) numbers.push_back(cat(i));
  return numbers;
}

/// nettune run [OPTION...] -- COMMAND ARGUMENT...
struct RunCommand : GlobalOptions {
  std::vector<std::string> command;
  std::vector<std::string> stray;  ///< words of a command without -- before them
  std::string profile;             ///< "" for the applied variables
  bool override_environment = false;
  std::string near_gpu;  ///< an index or PCI address

  Options options() {
    return {{"--", "COMMAND ...", "The command to run, with its arguments", &command},
            {"stray", "", "", &stray},
            {"--profile", "NAME", "Use the variables of this profile (default: the applied ones)",
             &profile, false, [](node::Context& context, auto) { return profile_names(context); }},
            {"--override", "", "Also override values that the environment already has",
             &override_environment},
            {"--numa-of-gpu", "GPU",
             "Use CPUs and memory near this GPU: its number in nettune facts, or its PCI "
             "address",
             &near_gpu, false, gpu_numbers}};
  }

  Result<node::Exit> run(node::Context& context, Output& output) const;
};

constexpr const char* kEnvFile = "/etc/nettune/nccl.env";

/// Only root may read the applied state, but jobs do not run as root: they use the file that apply
/// wrote for containers.
Result<std::vector<JobVariable>> variables(node::Context& context, const std::string& profile) {
  Result<node::JobEnvironment> found = node::job_environment(context, profile);
  if (found) return std::move(found->variables);
  if (!profile.empty() || found.error().code != Errc::denied) return fail(found.error());
  TRY_ASSIGN(const auto text, profile::read_trusted(context.disk(), kEnvFile, 0));
  if (!text)
    return fail(Errc::denied, cat(found.error().text, "; there is no ", kEnvFile,
                                  " either (apply writes it for profiles that ask for it)"));
  std::vector<JobVariable> out;
  int number = 0;
  for (const std::string_view line : split(*text, '\n')) {
    ++number;
    auto set = conf::env_file_line(line);
    if (!set) continue;
    if (const auto good = conf::check_variable_name(set->name); !good)
      return fail(Errc::invalid, cat(kEnvFile, ":", number, ": ", good.error().text));
    out.push_back({std::move(set->name), std::move(set->value), false, false, {}});
  }
  return out;
}

Result<> go_near(const std::string& gpu) {
  TRY_ASSIGN(const facts::NearGpu near, facts::near_gpu("/", gpu));
  TRY_ASSIGN(const std::vector<bool> allowed, kernel::allowed_cpus());
  TRY_ASSIGN(const std::vector<bool> cpus, facts::allowed_near(near, allowed));
  TRY(kernel::take_memory_of(near.numa_node));
  return kernel::run_on(cpus);
}

Result<> prepare(node::Context& context, const RunCommand& options) {
  TRY_ASSIGN(const std::vector<JobVariable> found, variables(context, options.profile));
  if (!options.near_gpu.empty()) TRY(go_near(options.near_gpu));
  for (const JobVariable& one : found)
    if (::setenv(one.name.c_str(), one.value.c_str(), options.override_environment ? 1 : 0) != 0)
      return fail(Errc::io, cat(one.name, " cannot be set: ", std::strerror(errno)), errno);
  return {};
}

/// Returns only on failure.
node::Exit become(const RunCommand& options, Output& output) {
  std::vector<char*> words;
  for (const std::string& word : options.command)
    words.push_back(const_cast<char*>(word.c_str()));  // execvp(3) does not modify it
  words.push_back(nullptr);
  output.flush();
  node::restore_signals();
  ::execvp(words[0], words.data());
  const int error = errno;
  const bool is_there = error != ENOENT;
  const Error told{Errc::not_found,
                   cat("cannot start ", printable(options.command[0]), ": ",
                       is_there ? std::strerror(error)
                                : "command not found, or the interpreter in its first line "
                                  "does not exist"),
                   error};
  return report_error(told, is_there ? node::Exit::cannot_run : node::Exit::no_command,
                      options.json, output);
}

Result<node::Exit> RunCommand::run(node::Context& context, Output& output) const {
  if (!stray.empty() || command.empty())
    return usage("the command must follow --: nettune run -- python train.py", "run");
  const Result<> ready = prepare(context, *this);
  if (ready) return become(*this, output);
  // A profile or CPUs that do not match.
  const bool unfit = ready.error().code == Errc::conflict;
  return report_error(ready.error(),
                      unfit ? node::Exit::refused : node::exit_for(ready.error().code), json,
                      output);
}

}  // namespace

Command run_command() { return make_command<RunCommand>(); }

}  // namespace nettune::cli::commands
