// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/option_texts.hpp"
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

constexpr const char* kEnvFile = "/etc/nettune/nccl.env";

/// Only root may read the applied state, but jobs do not run as root: they use the file that apply
/// wrote for containers.
Result<std::vector<JobVariable>> variables(Invocation& context) {
  const std::string& profile = context.arguments().profile;
  Result<node::JobEnvironment> found = node::job_environment(context, profile);
  if (found) return std::move(found->variables);
  if (!profile.empty() || found.error().code != Errc::denied) return fail(found.error());
  TRY_ASSIGN(const auto text, profile::read_trusted(context.disk(), kEnvFile, 0));
  if (!text)
    return fail(Errc::denied, cat(found.error().text, "; there is no ", kEnvFile,
                                  " either (apply writes it for profiles that ask for it)"));
  std::vector<JobVariable> out;
  for (conf::EnvFileLine& one : conf::read_env_file(*text)) {
    if (const auto good = conf::check_variable_name(one.set.name); !good)
      return fail(Errc::invalid, cat(kEnvFile, ":", one.line, ": ", good.error().text));
    out.push_back({std::move(one.set.name), std::move(one.set.value), false, false, {}});
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

Result<> prepare(Invocation& context) {
  const Arguments& arguments = context.arguments();
  TRY_ASSIGN(const std::vector<JobVariable> found, variables(context));
  if (!arguments.near_gpu.empty()) TRY(go_near(arguments.near_gpu));
  for (const JobVariable& one : found)
    if (::setenv(one.name.c_str(), one.value.c_str(), arguments.override_environment ? 1 : 0) != 0)
      return fail(Errc::io, cat(one.name, " cannot be set: ", std::strerror(errno)), errno);
  return {};
}

node::Exit tell(const Error& error, node::Exit exit, Invocation& context, Output& output) {
  if (context.arguments().json) output.print(json::error(error, exit));
  output.complain(text::error(error, Style{}));
  return exit;
}

/// Returns only on failure.
node::Exit become(Invocation& context, Output& output) {
  std::vector<char*> words;
  for (const std::string& word : context.arguments().words)
    words.push_back(const_cast<char*>(word.c_str()));  // execvp(3) does not modify it
  words.push_back(nullptr);
  output.flush();
  node::restore_signals();
  ::execvp(words[0], words.data());
  const int error = errno;
  const bool is_there = error != ENOENT;
  const Error told{Errc::not_found,
                   cat("cannot start ", printable(context.arguments().words[0]), ": ",
                       is_there ? std::strerror(error)
                                : "command not found, or the interpreter in its first line "
                                  "does not exist"),
                   error};
  return tell(told, is_there ? node::Exit::cannot_run : node::Exit::no_command, context, output);
}

}  // namespace

Result<node::Exit> cmd_run(Invocation& context, Output& output) {
  const Arguments& arguments = context.arguments();
  if (!arguments.stray.empty() || arguments.words.empty())
    return usage("the command must follow --: nettune run -- python train.py", "run");
  const Result<> ready = prepare(context);
  if (ready) return become(context, output);
  // A profile or CPUs that do not match.
  const bool unfit = ready.error().code == Errc::conflict;
  return tell(ready.error(), unfit ? node::Exit::refused : node::exit_for(ready.error().code),
              context, output);
}

}  // namespace nettune::cli::commands
