// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "measure/ceiling.hpp"

namespace nettune::measure {

/// Unknown is null.
nlohmann::ordered_json to_json(const End& end);
/// Of what a peer says: whatever has another type is unknown.
End end_from(const nlohmann::ordered_json& json);

}  // namespace nettune::measure
