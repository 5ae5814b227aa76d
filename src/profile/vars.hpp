// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "profile/merge.hpp"
#include "profile/source.hpp"
#include "toml/value.hpp"

namespace nettune::profile {

/// Variables by name, with the effective value: --set, then the site file, then the default. A
/// variable without any of them has no value; that is an error only if it is used.
using Variables = std::map<std::string, std::optional<toml::Node>>;

/// Checks definitions and values: type, range, choices. A --set for an unknown variable is an
/// error; a site value for one is not, since the site file serves all profiles.
Result<Variables> resolve_variables(const Merged& merged, const Site& site,
                                    const std::map<std::string, std::string>& set);

}  // namespace nettune::profile
