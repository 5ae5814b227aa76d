// SPDX-License-Identifier: Apache-2.0
// Which nettune this is. Versions that people compare are NETTUNE_VERSION; here is also what it was
// built of.
#pragma once

#include <map>
#include <string>

namespace nettune::inline base {

/// version; commit ("unknown" without git and outside a release); catalog and rules: digests of
/// catalog/*.toml and checks/*.toml. src/version.cmake finds the last three when nettune is built.
const std::map<std::string, std::string>& build_info();

}  // namespace nettune::inline base
