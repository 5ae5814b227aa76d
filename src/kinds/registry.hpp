// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/disk.hpp"
#include "core/provider.hpp"
#include "kinds/common/kind.hpp"

namespace nettune::kinds {

/// Null for an unknown name.
const common::Kind* find(std::string_view name);

/// True for a kind of settings of this program.
bool knows(std::string_view kind);

/// A provider of each kind. `ruleset` is shared with all other readers; null makes a private one.
Providers providers(Disk& disk, const common::Places& places,
                    std::shared_ptr<nettune::firewall::LiveRuleset> ruleset = nullptr);
/// The providers that an image also has: the kinds of files.
Providers providers_of_files(Disk& disk, const common::Places& places);

}  // namespace nettune::kinds
