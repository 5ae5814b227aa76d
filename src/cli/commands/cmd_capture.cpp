// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/commands/written_profile.hpp"
#include "intake/candidates.hpp"

namespace nettune::cli::commands {

namespace {

std::vector<std::string> kind_names(node::Context&, std::span<const std::string>) {
  return intake::captured_kinds();
}

std::vector<std::string> members(const std::string& list) {
  std::vector<std::string> all;
  for (const std::string_view each : split(list, ','))
    if (!trim(each).empty()) all.emplace_back(trim(each));
  return all;
}

struct CaptureCommand : GlobalOptions {
  std::string name;
  std::string kinds_text;
  std::string devices_text;
  bool all = false;
  ProfileOutput to;

  Options options() {
    return joined(
        {{{"name", "", "Name of the profile (captured)", &name},
          {"--all", "", "Also what has its default, or no known one", &all},
          {"--kinds", "LIST", "Only these kinds: sysctl,link,...", &kinds_text, false, kind_names},
          {"--devices", "LIST", "Only these devices: names or globs", &devices_text, false,
           interface_names}},
         profile_output_options(to),
         {{"--facts", "FILE", "Of a recorded node (nettune facts --json)", &facts_file},
          {"--state", "FILE", "The current values of the recorded node", &values_file}}});
  }

  Result<> take() {
    if (!values_file.empty() && facts_file.empty())
      return fail(Errc::invalid, "--state gives the values of a recorded node and needs --facts");
    const std::vector<std::string> known = intake::captured_kinds();
    for (const std::string& kind : members(kinds_text))
      if (std::ranges::find(known, kind) == known.end())
        return fail(Errc::invalid, cat("--kinds: there is no kind ", printable(kind),
                                       "; capture reads ", join(known, ", ")));
    return {};
  }

  Result<node::Exit> run(node::Context& context, Output& output) const {
    TRY_ASSIGN(const std::string of_output, name_of_output(context, to, name, "captured"));
    intake::CaptureRequest request{of_output, all, {}, members(devices_text)};
    for (std::string& kind : members(kinds_text)) request.kinds.insert(std::move(kind));
    TRY_ASSIGN(const intake::Capture captured, intake::capture(context, request));
    WrittenProfile profile{of_output, intake::profile_toml(captured.profile), {}, {}};
    profile.report = report_of(captured);
    if (json) profile.document = capture_json(captured, profile.text);
    return hand_over(context, output, to, json, profile);
  }

 private:
  static std::string report_of(const intake::Capture& captured) {
    const auto count = [&](auto is_one) {
      return std::ranges::count_if(captured.settings, is_one, &intake::Captured::off);
    };
    const auto on = count([](intake::Off off) { return off == intake::Off::none; });
    const auto left_out = count([](intake::Off off) { return off == intake::Off::unwritable; });
    const auto off = std::ssize(captured.settings) - on - left_out;
    std::string text = cat(
        captured.read, " settings read: ", on, " in the profile, ", off, " commented out",
        left_out == 0 ? "" : cat(", ", left_out, " that it cannot have (its end says why)"), "\n");
    for (const std::string& note : captured.notes) text += cat(printable(note), "\n");
    return text;
  }
};

}  // namespace

Command capture_command() { return make_command<CaptureCommand>(); }

}  // namespace nettune::cli::commands
