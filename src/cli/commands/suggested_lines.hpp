// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/state.hpp"
#include "node/request.hpp"

/// Command lines that nettune prints for people to type.
namespace nettune::cli::commands {

/// The line that applies `subject` with all options of a plan: "sudo nettune apply tcp-fallback
/// --set mtu=9000". Options that only concern printing are left out. `saved`: the subject is a
/// saved plan, which has its own --set values.
std::string apply_line(const node::Locations& locations, const node::ChangeRequest& request,
                       const std::string& subject, bool saved);

/// The line that runs `command` on the same node: with its site file, state directory and image,
/// where they are not the usual ones.
std::string same_node_line(const node::Locations& locations, std::string_view command);

/// The line that applies the active generation again, with these options.
std::string reapply_line(const node::Locations& locations, const Transaction& active,
                         const std::vector<std::string>& options = {});

/// The line that plans the profile of the active generation as it was applied: with its --set
/// values, and the directory that it was read from.
std::string plan_line(const node::Locations& locations, const Transaction& active);

/// The line of the words `typed` without --dry-run and without options that only concern printing.
std::string without_dry_run(std::string_view command, const std::vector<std::string>& typed);

}  // namespace nettune::cli::commands
