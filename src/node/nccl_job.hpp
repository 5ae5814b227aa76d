// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "nccl/lint/catalog.hpp"
#include "nccl/lint/places.hpp"
#include "node/context.hpp"

/// What every command needs that judges variables: the catalogue, the release of NCCL, and what
/// this process was started with.
namespace nettune::cli {

/// Of `file`, else of the one that is installed.
Result<nccl::Catalog> read_catalog(Disk& disk, const std::string& file = "");

struct ChosenVersion {
  nccl::Version version;
  std::string from;  ///< "--nccl", the path of a library, or why it is none of them
  std::vector<std::string> notes;
};
/// What `given` (of --nccl) says, a release or the path of a library; else the libnccl.so.2 that is
/// found below `rootfs`, "" for this machine; else, and where a recorded node is judged, the
/// newest.
Result<ChosenVersion> choose_version(const Context& context, const std::string& given,
                                     const std::string& rootfs, const nccl::Catalog& catalog);

/// Of this process and its user.
nccl::Surroundings surroundings(const nccl::Version& version);

}  // namespace nettune::cli
