// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/invocation.hpp"
#include "nccl/lint/catalog.hpp"
#include "nccl/lint/places.hpp"

/// What every command needs that judges variables: the catalogue, the release of NCCL, and what
/// this process was started with.
namespace nettune::cli {

Result<nccl::Catalog> read_catalog(Invocation& context);

struct ChosenVersion {
  nccl::Version version;
  std::string from;  ///< "--nccl", the path of a library, or why it is none of them
  std::vector<std::string> notes;
};
/// Of --nccl, else of the libnccl.so.2 that is found, else the newest.
Result<ChosenVersion> choose_version(const Arguments& arguments, const nccl::Catalog& catalog);

/// Of this process and its user.
nccl::Surroundings surroundings(const nccl::Version& version);

}  // namespace nettune::cli
