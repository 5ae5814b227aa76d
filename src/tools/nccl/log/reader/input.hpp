// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.hpp"
#include "tools/nccl/log/reader/reader.hpp"

namespace nettune::tools::nccl::log::reader {

/// Reads a file into `reader`, unpacking it where it starts as gzip does; "-" is standard input.
/// A gzip file that is cut is read as far as it goes: `cut` then says so. Privileges: those of the
/// caller. Errors: not_found, denied, io, and invalid for a gzip file that does not check out.
Result<> read_log(const std::string& path, Reader& reader, bool& cut);

}  // namespace nettune::tools::nccl::log::reader
