// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "core/plan.hpp"
#include "intake/capture.hpp"
#include "intake/import.hpp"

/// What the commands that write a profile have in common: capture, import and new.
namespace nettune::cli::commands {

struct ProfileOutput {
  std::string file;  ///< -o; "": standard output
  bool force = false;
};

Options profile_output_options(ProfileOutput& into);

/// The name of the new profile: `typed`, else that of the file, else `otherwise`. Errc::invalid for
/// a name that no profile can have, or another one than the file's, and for an existing file
/// without --force.
Result<std::string> name_of_output(node::Context& context, const ProfileOutput& to,
                                   const std::string& typed, std::string_view otherwise);

/// A profile to give to the person.
struct WrittenProfile {
  std::string name;
  std::string text;
  std::string report;    ///< for standard error; "" for none
  std::string document;  ///< instead of the profile on standard output, with --json
  /// "FILE:LINE" of what it was made of, each at the begin of a comment above its key.
  std::set<std::string, std::less<>> sources = {};
};

/// A profile cannot extend itself: with -o it would replace its own parent.
Result<> check_not_itself(const std::string& name, const std::string& extends);

/// Writes it to its file or prints it, then the report, and the next step. A profile that does not
/// plan is written, too, and then named: Exit::failed.
Result<node::Exit> hand_over(node::Context& context, Output& output, const ProfileOutput& to,
                             bool as_json, const WrittenProfile& profile);

std::string capture_json(const intake::Capture& capture, const std::string& text);
std::string import_json(const intake::Import& import, const std::string& text);
std::string new_json(const std::string& name, const std::string& text);

}  // namespace nettune::cli::commands
