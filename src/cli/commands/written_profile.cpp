// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/written_profile.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "cli/json_values.hpp"
#include "node/display_text.hpp"
#include "node/output_file.hpp"
#include "node/planning.hpp"
#include "profile/profile.hpp"

namespace nettune::cli::commands {
namespace {

using json::envelope;
using json::Json;

constexpr const char* kDirectory = "/new profile";

/// Kinds of what is made of a profile for the next boot.
bool is_boot_file(const Address& address) {
  return address.kind() == "file" || address.kind() == "dir";
}

/// What a plan of the profile would do here.
std::string plan_in_words(const node::Planned& planned) {
  if (!planned.resolved.misfits.empty())
    return cat("it does not match this node: ", planned.resolved.misfits.front());
  std::size_t files = 0;
  std::size_t settings = 0;
  for (const PlanItem& item : planned.plan.items)
    if (item.to_write()) ++(is_boot_file(item.setting.address) ? files : settings);
  if (settings > 0) return cat(node::counted(settings, "setting"), " to change on this node");
  if (files > 0)
    return cat("no setting to change; ", node::counted(files, "file"),
               " for the next boot to write");
  return "nothing to change on this node";
}

/// A line of the profile as the person knows it: the line of a file that it was made of, else of
/// the profile where it is written to.
std::string known_place(const WrittenProfile& profile, const std::string& file, int line) {
  const std::vector<std::string_view> lines = split(profile.text, '\n');
  for (auto at = static_cast<std::size_t>(line) - 1; at-- > 0 && at < lines.size();) {
    if (!lines[at].starts_with("# ")) break;
    const std::string_view comment = lines[at].substr(2);
    if (const auto found = profile.sources.find(comment.substr(0, comment.find("  ")));
        found != profile.sources.end())
      return *found;
  }
  return cat(file, ':', line);
}

/// `text` with the places that the person knows instead of those of the profile in memory.
std::string with_known_places(std::string_view text, const WrittenProfile& profile,
                              const std::string& to_file) {
  const std::string in_memory = cat(kDirectory, '/', profile.name, ".toml");
  const std::string file = to_file.empty() ? cat(profile.name, ".toml") : to_file;
  std::string out;
  for (std::size_t at = 0; (at = text.find(in_memory)) != text.npos;) {
    out += text.substr(0, at);
    text.remove_prefix(at + in_memory.size());
    const auto digits = std::min(text.find_first_not_of("0123456789", 1), text.size());
    const auto line = text.starts_with(':') ? parse_int(text.substr(1, digits - 1)) : std::nullopt;
    out += line && *line > 0 ? known_place(profile, file, static_cast<int>(*line)) : file;
    if (line) text.remove_prefix(digits);
  }
  return cat(out, text);
}

std::string next_step(const ProfileOutput& to, const std::string& name) {
  const std::string directory = parent_path(node::absolute_path(to.file));
  const bool usual = directory == "/etc/nettune/profiles";
  return cat("next: nettune plan ", shell_word(name),
             usual ? "" : cat(" --profiles ", shell_word(directory)), "\n");
}

Json lines_of(const intake::Import& import) {
  Json lines = Json::array();
  for (const intake::ImportedLine& line : import.lines)
    lines.push_back({{"file", line.file},
                     {"line", line.line},
                     {"text", line.text},
                     {"fate", intake::kFates.word(line.fate)},
                     {"note", line.note}});
  return lines;
}

Json profile_json(std::string_view kind, const std::string& name, const std::string& text) {
  Json document = envelope(kind);
  document["name"] = name;
  document["profile"] = text;
  return document;
}

}  // namespace

Options profile_output_options(ProfileOutput& into) {
  return {{"-o,--output", "FILE", "Write the profile to FILE", &into.file},
          {"--force", "", "Replace FILE if it exists", &into.force}};
}

Result<std::string> name_of_output(node::Context& context, const ProfileOutput& to,
                                   const std::string& typed, std::string_view otherwise) {
  std::string name = typed.empty() ? std::string(otherwise) : typed;
  if (!to.file.empty()) {
    const auto info = context.disk().info(node::absolute_path(to.file));
    const bool is_file = info && *info && (*info)->kind == FileInfo::Kind::regular;
    if (is_file && !to.force)
      return fail(Errc::invalid,
                  cat(printable(to.file), " exists; --force replaces it, or name another file"));
    // A pipe or device has any name.
    if (!info || !*info || is_file) {
      auto of_file = profile::name_of_file(to.file);
      if (!of_file) return fail(Errc::invalid, cat("-o: ", of_file.error().text));
      if (!typed.empty() && *of_file != typed)
        return fail(Errc::invalid, cat("a profile has the name of its file: ", printable(typed),
                                       ".toml, not ", printable(to.file)));
      name = *of_file;
    }
    TRY(node::check_output_file(to.file));
  }
  if (!name.empty()) TRY(profile::check_name(name));
  return name;
}

Result<> check_not_itself(const std::string& name, const std::string& extends) {
  if (name.empty() || name != extends) return {};
  return fail(Errc::invalid, cat("the profile ", printable(name),
                                 " cannot extend itself; give it another name, or --extends "
                                 "another parent"));
}

Result<node::Exit> hand_over(node::Context& context, Output& output, const ProfileOutput& to,
                             bool as_json, const WrittenProfile& profile) {
  const auto state = context.look_at_state();
  const auto planned = node::plan_text(context, {kDirectory, profile.name, profile.text},
                                       state ? *state : node::StateView());
  const auto there = to.file.empty() ? Result<std::optional<FileInfo>>(std::optional<FileInfo>())
                                     : context.disk().info(node::absolute_path(to.file));
  // A profile that plans is not replaced by one that does not.
  const bool keeps = !planned && there && *there && (*there)->kind == FileInfo::Kind::regular;
  if (!to.file.empty() && !keeps) TRY(node::write_output_file(to.file, profile.text, 0644));
  if (as_json)
    output.print(profile.document);
  else if (to.file.empty())
    output.print(profile.text);
  std::string report = profile.report;
  if (keeps) report += cat(printable(to.file), " is as it was\n");
  if (!planned) {
    const Error& error = planned.error();
    const std::string where = error.line > 0 ? cat(error.file, ':', error.line, ": ") : "";
    report += cat("the profile does not plan: ", where, error.text, "\n");
  } else {
    report += cat("plan: ", plan_in_words(*planned), "\n");
    if (to.file.ends_with(".toml")) report += next_step(to, profile.name);
  }
  output.complain(
      with_known_places(report, profile, keeps ? "the new profile" : printable(to.file)));
  return planned ? node::Exit::done : node::Exit::failed;
}

std::string capture_json(const intake::Capture& capture, const std::string& text) {
  Json document = profile_json("capture", capture.profile.name, text);
  document["read"] = capture.read;
  document["settings"] = Json::array();
  for (const intake::Captured& each : capture.settings)
    document["settings"].push_back({{"address", each.address.text},
                                    {"value", each.value},
                                    {"set_by", json::text_or_null(each.set_by)},
                                    {"default", json::text_or_null(each.usual)},
                                    {"is_default", each.is_usual},
                                    {"off", json::text_or_null(each.why_off)}});
  document["notes"] = capture.notes;
  return json::text(document);
}

std::string import_json(const intake::Import& import, const std::string& text) {
  Json document = profile_json("import", import.profile.name, text);
  document["complete"] = import.complete;
  for (const intake::Fate fate : {intake::Fate::translated, intake::Fate::in_part,
                                  intake::Fate::already, intake::Fate::untranslated})
    document["counts"][std::string(intake::kFates.word(fate))] = import.count(fate);
  document["lines"] = lines_of(import);
  return json::text(document);
}

std::string new_json(const std::string& name, const std::string& text) {
  return json::text(profile_json("new", name, text));
}

}  // namespace nettune::cli::commands
