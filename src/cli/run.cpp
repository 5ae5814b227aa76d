// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include <utility>

#include "base/trace.hpp"
#include "cli/commands.hpp"
#include "cli/run_command.hpp"
#include "node/image.hpp"

namespace nettune::cli {

namespace {

Result<Exit> dispatch(Invocation& context, Output& output) {
  switch (context.arguments().command) {
    case Command::list:
      return cmd_list(context, output);
    case Command::show:
      return cmd_show(context, output);
    case Command::schema:
      return cmd_schema(context, output);
    case Command::facts:
      return cmd_facts(context, output);
    case Command::env:
      return cmd_env(context, output);
    case Command::run:
      return cmd_run(context, output);
    case Command::plan:
      return cmd_plan(context, output);
    case Command::diff:
      return cmd_diff(context, output);
    case Command::apply:
      return cmd_apply(context, output);
    case Command::reapply:
      return cmd_reapply(context, output);
    case Command::confirm:
      return cmd_confirm(context, output);
    case Command::check:
      return cmd_check(context, output);
    case Command::watch:
      return cmd_watch(context, output);
    case Command::qualify:
      return cmd_qualify(context, output);
    case Command::recover:
      return cmd_recover(context, output);
    case Command::rollback:
      return cmd_rollback(context, output);
    case Command::history:
      return cmd_history(context, output);
    case Command::status:
      return cmd_status(context, output);
    case Command::hold:
      return cmd_hold(context, output);
    case Command::release:
      return cmd_release(context, output);
    case Command::complete:
      return cmd_complete(context, output);
    case Command::undo_list:
      return cmd_undo_list(context, output);
  }
  return fail(Errc::invalid, "this command is not built in");
}

Work kind_of(Command command) {
  switch (command) {
    case Command::apply:
    case Command::reapply:
    case Command::confirm:
    case Command::rollback:
    case Command::qualify:
    case Command::recover:
    case Command::hold:
    case Command::release:
      return Work::changes;
    default:
      return Work::only_tells;
  }
}

}  // namespace

int run(int argc, const char* const* argv) {
  auto parsed = parse_arguments(argc, argv);
  if (!parsed) return report_mistake(parsed.error(), argc, argv);
  if (const auto* const information = std::get_if<Information>(&*parsed))
    return print_information(*information);
  if (const auto* const call = std::get_if<ProgramCall>(&*parsed))
    return report_mistake(become_program(*call->program, call->words).value(), argc, argv);
  trace::set_level(std::get<Arguments>(*parsed).verbose);
  const std::string root = std::get<Arguments>(*parsed).root;
  // Before the first path is looked at.
  const Result<> entered = root.empty() ? Result<>() : enter_image(root);
  Invocation context(std::move(std::get<Arguments>(*parsed)));
  const Arguments& arguments = context.arguments();
  return run_command(context, arguments, kind_of(arguments.command),
                     [&](Output& output) -> Result<Exit> {
                       TRY(entered);
                       return dispatch(context, output);
                     });
}

}  // namespace nettune::cli
