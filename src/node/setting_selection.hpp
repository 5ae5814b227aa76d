// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/provider.hpp"
#include "core/setting.hpp"
#include "core/state.hpp"
#include "node/devices.hpp"

namespace nettune::node {

/// What the words of --only mean: settings by their addresses, and all settings of a device by its
/// name, also those whose key has that name literally. A word with ':' is an address.
struct Selection {
  std::vector<std::string> addresses;  ///< "link:{nt0,nt1}:mtu" is one for each name
  std::vector<std::string> devices;    ///< names
};
Selection parse_selection(const std::vector<std::string>& words);

/// The settings of `reapply --only`, for PlanInput.
struct GenerationSelection {
  std::set<std::string> devices;  ///< identities
  std::vector<std::string> addresses;
};
/// Errc::invalid for an address that the generation neither sets nor manages. Nothing for a device
/// that it does not concern.
Result<GenerationSelection> select_of_generation(const Selection& only,
                                                 const std::optional<Transaction>& active,
                                                 const Debts& debts, const DeviceNames& names,
                                                 const Providers& providers);

/// Reduces a profile's settings to those of `apply --only`: what `words` name with what must be
/// written first, plus everything already applied, unchanged. Returns the addresses that
/// may be written. Errc::invalid for a word that names nothing of the profile; Errc::conflict if
/// another profile is applied, since a mixture of two is not a state that anybody named.
Result<std::vector<std::string>> keep_selected(State& state, Desired& desired,
                                               const std::vector<std::string>& words,
                                               const std::optional<Transaction>& active,
                                               const DeviceNames& names,
                                               const Providers& providers);

}  // namespace nettune::node
