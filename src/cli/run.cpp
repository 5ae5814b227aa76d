// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "base/trace.hpp"
#include "cli/commands.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
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
    case Command::nccl:
      return cmd_nccl(context, output);
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

Exit tell(const Error& error, bool as_json, Output& output) {
  const Exit exit = exit_for(error.code);
  if (as_json) output.print(json::error(error, exit));
  // Colour is decided for standard output; standard error may be a file.
  output.complain(text::error(error, Style{}));
  return exit;
}

/// What was typed is meant to be there; the usual places may be empty.
Result<> check_typed_paths(Invocation& context) {
  const Arguments& arguments = context.arguments();
  for (const std::string& directory : arguments.profile_directories) {
    TRY_ASSIGN(const auto info, context.disk().info(directory));
    if (info && info->kind == FileInfo::Kind::directory) continue;
    const bool is_link = info && info->kind == FileInfo::Kind::symlink;
    return fail(Errc::invalid, cat("--profiles ", printable(directory),
                                   is_link ? " is a symbolic link; name the directory itself"
                                           : " is not a directory"));
  }
  if (!arguments.site_given) return {};
  TRY_ASSIGN(const auto info, context.disk().info(arguments.site_file));
  if (info) return {};
  return fail(Errc::not_found, cat("there is no site file ", printable(arguments.site_file)));
}

bool changes_nothing(Command command) {
  switch (command) {
    case Command::apply:
    case Command::reapply:
    case Command::confirm:
    case Command::rollback:
    case Command::qualify:
    case Command::recover:
    case Command::hold:
    case Command::release:
      return false;
    default:
      return true;
  }
}

}  // namespace

int run(int argc, const char* const* argv) {
  auto parsed = parse_arguments(argc, argv);
  if (!parsed) {
    Output output(true);
    // Behind -- stands another program's line.
    const auto* const end = std::find(argv, argv + argc, std::string_view("--"));
    const bool as_json = std::find(argv, end, std::string_view("--json")) != end;
    const Exit exit = tell(parsed.error(), as_json, output);
    output.flush();
    return static_cast<int>(exit);
  }
  if (const auto* const information = std::get_if<Information>(&*parsed)) {
    Output output(true);
    output.print(information->text);
    output.flush();
    return static_cast<int>(output.ok() ? Exit::done : Exit::failed);
  }
  trace::set_level(std::get<Arguments>(*parsed).verbose);
  const std::string root = std::get<Arguments>(*parsed).root;
  // Before the first path is looked at.
  const Result<> entered = root.empty() ? Result<>() : enter_image(root);
  Invocation context(std::move(std::get<Arguments>(*parsed)));
  const Arguments& arguments = context.arguments();
  Output output(arguments.no_color || arguments.json);
  Result<Exit> result = Exit::done;
  if (!entered)
    result = fail(entered.error());
  else if (auto typed = check_typed_paths(context); !typed)
    result = fail(std::move(typed).error());
  else
    result = dispatch(context, output);
  const Exit exit = result ? *result : tell(result.error(), arguments.json, output);
  output.flush();
  // What could not be told was still done: only a command that is all telling has failed then.
  if (output.ok()) return static_cast<int>(exit);
  output.complain("error: the output could not be written\n");
  return static_cast<int>(changes_nothing(arguments.command) ? Exit::failed : exit);
}

}  // namespace nettune::cli
