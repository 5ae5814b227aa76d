// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "node/request.hpp"

/// Rows of the tables of options that several commands have, and what they take. Mistakes are
/// Errc::invalid.
namespace nettune::cli::commands {

/// The options of a command that plans or makes a change.
struct ChangeOptions : GlobalOptions, node::ChangeRequest {
  /// The input of take_window().
  std::string confirm_text;
  std::string for_text;
  std::vector<std::string> probe_texts;
};

Options joined(std::initializer_list<Options> groups);

Option root_option(GlobalOptions& into);
Option allow_busy_option(ChangeOptions& into);
Option accept_owners_option(ChangeOptions& into);
Option force_option(ChangeOptions& into);
Option unrecorded_option(ChangeOptions& into, std::string_view help);
/// `values`: the candidates of its completion.
Option only_option(std::vector<std::string>& into, decltype(Option::values) values);
/// --confirm, --probe and --allow-management.
Options window_options(ChangeOptions& into);
/// What apply accepts, and what plan reports accordingly.
Options permission_options(ChangeOptions& into);

/// The longest confirm window.
inline constexpr std::int64_t kLongestWindow_s = std::int64_t{24} * 3600;

/// "90", "90s", "2m", "1h", "2d", from 1s to `longest_s`, a number of whole hours, above a day of
/// days. An empty `text` leaves `into_s` as it is.
Result<> take_duration(std::int64_t& into_s, std::string_view option, const std::string& text,
                       std::int64_t longest_s = kLongestWindow_s);
/// How long a change lasts, and what makes it permanent.
Result<> take_window(ChangeOptions& into);
/// What a change cannot combine.
Result<> check_change(const ChangeOptions& options);
Result<> take_change(ChangeOptions& into);  ///< both
/// What --root cannot be combined with. `waits`: the command would wait for something.
Result<> check_root(const GlobalOptions& options, bool waits);

/// Candidates of completion.
std::vector<std::string> interface_names(node::Context& context,
                                         std::span<const std::string> before = {});
std::vector<std::string> generation_names(node::Context& context,
                                          std::span<const std::string> before = {});
/// The names of profiles, for the first word after a command.
std::vector<std::string> profile_first(node::Context& context, std::span<const std::string> words);

}  // namespace nettune::cli::commands
