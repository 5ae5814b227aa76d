// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace nettune::conf {

/// The heading of the files that nettune derives from a profile. As comment lines at their head it
/// is nettune's mark. It proves nothing: an image or a backup carries it too.
std::string mark_of(std::string_view profile);

/// The profile in the mark of such a file; nothing if the file bears none. Its JSON has no
/// comments; there `kind` and `profile` are the mark.
std::optional<std::string> marked_profile(std::string_view content);

/// Where such files are, with '*' for the name of a service.
std::span<const std::string_view> marked_paths();

}  // namespace nettune::conf
