// SPDX-License-Identifier: Apache-2.0
#include "base/version.hpp"

#include "base/build_info.hpp"

namespace nettune::inline base {

const std::map<std::string, std::string>& build_info() {
  static const std::map<std::string, std::string> kInfo = {{"version", NETTUNE_VERSION},
                                                           {"commit", NETTUNE_COMMIT},
                                                           {"catalog", NETTUNE_CATALOG_DIGEST},
                                                           {"rules", NETTUNE_RULES_DIGEST}};
  return kInfo;
}

}  // namespace nettune::inline base
