// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/frames.hpp"

#include "base/text.hpp"

namespace nettune::tools::nccl::log::job {

std::string frame_text(std::string_view function, std::string_view place) {
  return cat(function, function.starts_with('<') ? " at " : "() at ", place);
}

bool is_of_library(std::string_view place) {
  for (const std::string_view part :
       {"site-packages/", "dist-packages/", "/lib/python3.", "<frozen"})
    if (place.find(part) != place.npos) return true;
  return false;
}

}  // namespace nettune::tools::nccl::log::job
