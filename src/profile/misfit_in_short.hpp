// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "toml/value.hpp"

namespace nettune::profile {

/// Why a device set does not match this node, in a few words: "no InfiniBand port". `any` says
/// whether a device passes a part of the set's match; `found` is the number of members.
std::string misfit_in_short(const toml::Node& definition,
                            const std::function<bool(const toml::Node& match)>& any,
                            std::size_t found);

}  // namespace nettune::profile
