// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/commands/written_profile.hpp"
#include "intake/import.hpp"

namespace nettune::cli::commands {

namespace {

std::vector<std::string> format_first(node::Context&, std::span<const std::string> words) {
  return words.size() == 1 ? intake::kFormats.words() : std::vector<std::string>();
}

struct ImportCommand : GlobalOptions {
  std::string format;
  std::vector<std::string> files;
  std::string name;
  std::string extends = "base";
  std::string tree;
  ProfileOutput to;

  Options options() {
    return joined({{{"format", "", "tuned, sysctl or saptune", &format, true},
                    {"file", "", "The files to import", &files, true},
                    {"--name", "NAME", "Name of the profile", &name},
                    {"--extends", "PROFILE", "Its parent (base), or none", &extends},
                    {"--tree", "DIR", "Look for included files below DIR", &tree}},
                   profile_output_options(to)});
  }

  Result<> take() const {
    if (!intake::kFormats.value(format))
      return fail(Errc::invalid, cat("nettune cannot import ", printable(format), "; it imports ",
                                     join(intake::kFormats.words(), ", ")));
    return {};
  }

  static constexpr auto candidates = format_first;

  Result<node::Exit> run(node::Context& context, Output& output) const {
    TRY_ASSIGN(const std::string of_output, name_of_output(context, to, name, ""));
    TRY(check_not_itself(of_output, extends));
    intake::ImportRequest request{*intake::kFormats.value(format), files, of_output,
                                  extends == "none" ? "" : extends,
                                  tree.empty() ? "" : node::absolute_path(tree)};
    TRY_ASSIGN(const intake::Import imported, intake::import(context, request));
    WrittenProfile profile{imported.profile.name, intake::profile_toml(imported.profile), {}, {}};
    profile.report = cat(intake::summary_of(imported, request.extends), "\n");
    if (!imported.complete)
      profile.report += "something that belongs to it could not be read; the account names it\n";
    for (const intake::ImportedLine& line : imported.lines) profile.sources.insert(line.where());
    if (json) profile.document = import_json(imported, profile.text);
    TRY_ASSIGN(const node::Exit exit, hand_over(context, output, to, json, profile));
    return imported.complete ? exit : node::worse(exit, node::Exit::unknown);
  }
};

}  // namespace

Command import_command() { return make_command<ImportCommand>(); }

}  // namespace nettune::cli::commands
