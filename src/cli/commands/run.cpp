// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/run.hpp"

#include <algorithm>
#include <csignal>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "base/trace.hpp"
#include "base/unique_fd.hpp"
#include "cli/commands/command_table.hpp"
#include "node/image.hpp"

namespace nettune::cli::commands {

namespace {

int become_program_of(const ProgramCall& call, int argc, const char* const* argv) {
  return report_mistake(become_program(*call.program, call.words).value(), argc, argv);
}

/// A scheduler drains a node where its prolog does not exit with 0. Only what doctor found may do
/// that: not a program that is missing, cannot be loaded, crashes, or does not end.
int run_prolog(const ProgramCall& call, int argc, const char* const* argv) {
  constexpr int kLongest_ms = 30'000;
  const pid_t pid = ::fork();
  if (pid < 0) return 0;
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    become_program_of(call, argc, argv);
    ::_exit(0);
  }
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  pollfd ended{process.get(), POLLIN, 0};
  if (process.get() >= 0 && ::poll(&ended, 1, kLongest_ms) == 0) {
    ::kill(pid, SIGKILL);
    return 0;
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 1 ? 1 : 0;
}

bool is_prolog(const ProgramCall& call) {
  return call.program->name == "doctor" &&
         std::ranges::find(call.words, "--prolog") != call.words.end();
}

}  // namespace

int run(int argc, const char* const* argv) {
  auto parsed = parse_arguments(argc, argv);
  if (!parsed) return report_mistake(parsed.error(), argc, argv);
  if (const auto* const information = std::get_if<Information>(&*parsed))
    return print_information(*information);
  if (const auto* const call = std::get_if<ProgramCall>(&*parsed))
    return is_prolog(*call) ? run_prolog(*call, argc, argv) : become_program_of(*call, argc, argv);
  trace::set_level(std::get<Arguments>(*parsed).verbose);
  const std::string root = std::get<Arguments>(*parsed).root;
  // Must come before the first path is read.
  const Result<> entered = root.empty() ? Result<>() : node::enter_image(root);
  Invocation context(std::move(std::get<Arguments>(*parsed)));
  const Arguments& arguments = context.arguments();
  const CommandSpec& spec = spec_of(arguments.command);
  return run_command(context, arguments, spec.work, [&](Output& output) -> Result<node::Exit> {
    TRY(entered);
    return spec.run(context, output);
  });
}

}  // namespace nettune::cli::commands
