// SPDX-License-Identifier: Apache-2.0
#include "cli/run_command.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"

namespace nettune::cli {

namespace {

node::Exit tell(const Error& error, bool as_json, Output& output) {
  const node::Exit exit = node::exit_for(error.code);
  if (as_json) output.print(json::error(error, exit));
  // Colour is decided for standard output; standard error may be a file.
  output.complain(text::error(error, Style{}));
  return exit;
}

/// A typed path must exist; the default places may be empty.
Result<> check_typed_paths(node::Context& context) {
  const node::Locations& locations = context.locations();
  for (const std::string& directory : locations.profile_directories) {
    TRY_ASSIGN(const auto info, context.disk().info(directory));
    if (info && info->kind == FileInfo::Kind::directory) continue;
    const bool is_link = info && info->kind == FileInfo::Kind::symlink;
    return fail(Errc::invalid, cat("--profiles ", printable(directory),
                                   is_link ? " is a symbolic link; name the directory itself"
                                           : " is not a directory"));
  }
  if (!locations.site_given) return {};
  TRY_ASSIGN(const auto info, context.disk().info(locations.site_file));
  if (info) return {};
  return fail(Errc::not_found, cat("there is no site file ", printable(locations.site_file)));
}

}  // namespace

int report_mistake(const Error& error, int argc, const char* const* argv) {
  Output output(true);
  // Another program's line follows --.
  const auto* const end = std::find(argv, argv + argc, std::string_view("--"));
  const bool as_json = std::find(argv, end, std::string_view("--json")) != end;
  const node::Exit exit = tell(error, as_json, output);
  output.flush();
  return static_cast<int>(exit);
}

int print_information(const Information& information) {
  Output output(true);
  output.print(information.text);
  output.flush();
  return static_cast<int>(output.ok() ? node::Exit::done : node::Exit::failed);
}

int run_command(node::Context& context, const GlobalOptions& options, Work kind,
                const std::function<Result<node::Exit>(Output&)>& work) {
  Output output(options.no_color || options.json);
  Result<node::Exit> result = node::Exit::done;
  if (auto typed = check_typed_paths(context); !typed)
    result = fail(std::move(typed).error());
  else
    result = work(output);
  const node::Exit exit = result ? *result : tell(result.error(), options.json, output);
  output.flush();
  // The work was done even if its output failed: only a command that merely reports has failed
  // then.
  if (output.ok()) return static_cast<int>(exit);
  output.complain("error: the output could not be written\n");
  return static_cast<int>(kind == Work::only_tells ? node::Exit::failed : exit);
}

}  // namespace nettune::cli
