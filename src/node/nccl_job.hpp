// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "nccl/catalog.hpp"
#include "node/context.hpp"

/// What is needed to judge variables: the catalogue, and the release of NCCL.
namespace nettune::node {

/// The catalogue in `file`, else the installed one.
Result<nccl::Catalog> read_catalog(Disk& disk, const std::string& file = "");

struct ChosenVersion {
  nccl::Version version;
  std::string from;  ///< "--nccl", the path of a library, or why it is unknown
  std::vector<std::string> notes;
};
/// The release in `given` (--nccl), which is a release or the path of a library; else that of
/// libnccl.so.2 below `rootfs`, "" for this machine; else, for a recorded node, the newest.
Result<ChosenVersion> choose_version(const Context& context, const std::string& given,
                                     const std::string& rootfs, const nccl::Catalog& catalog);

}  // namespace nettune::node
