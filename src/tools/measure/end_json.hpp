// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "tools/measure/ceiling.hpp"

namespace nettune::tools::measure {

/// Unknown values are null.
nlohmann::ordered_json to_json(const End& end);
/// From a peer's JSON: a field of another type is unknown.
End end_from(const nlohmann::ordered_json& json);

}  // namespace nettune::tools::measure
