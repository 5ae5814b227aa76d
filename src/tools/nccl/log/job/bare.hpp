// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace nettune::tools::nccl::log::job {

/// A warning of NCCL of which the prefix is missing: people copy it out of a line, programs print
/// what ncclGetLastError() returns.
struct BareWarning {
  std::string_view message;  ///< "" for a line that is not certainly one
  std::string_view place;    ///< "misc/ibvwrap.cc:252" where it is there
};

/// By the file of NCCL in front of it ("include/socket.h:344 WARN Socket creation failed"), or by
/// words that only NCCL has ("NET/IB : Got completion from peer 10.0.0.2<3> with status=12 ...").
BareWarning bare_warning(std::string_view line);

}  // namespace nettune::tools::nccl::log::job
