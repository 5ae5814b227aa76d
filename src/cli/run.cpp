// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include <utility>

#include "base/trace.hpp"
#include "cli/command_table.hpp"
#include "node/image.hpp"

namespace nettune::cli {

int run(int argc, const char* const* argv) {
  auto parsed = parse_arguments(argc, argv);
  if (!parsed) return report_mistake(parsed.error(), argc, argv);
  if (const auto* const information = std::get_if<Information>(&*parsed))
    return print_information(*information);
  if (const auto* const call = std::get_if<ProgramCall>(&*parsed))
    return report_mistake(become_program(*call->program, call->words).value(), argc, argv);
  trace::set_level(std::get<Arguments>(*parsed).verbose);
  const std::string root = std::get<Arguments>(*parsed).root;
  // Must come before the first path is read.
  const Result<> entered = root.empty() ? Result<>() : enter_image(root);
  Invocation context(std::move(std::get<Arguments>(*parsed)));
  const Arguments& arguments = context.arguments();
  const CommandSpec& spec = spec_of(arguments.command);
  return run_command(context, arguments, spec.work, [&](Output& output) -> Result<Exit> {
    TRY(entered);
    return spec.run(context, output);
  });
}

}  // namespace nettune::cli
