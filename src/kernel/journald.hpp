// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace nettune::kernel {

/// Writes one entry to systemd's journal; each field is "NAME=value", and a value may be any text
/// (sd_journal_sendv(3)). Without a running journal nothing is written, which is not an error.
Result<> write_to_journald(const std::vector<std::string>& fields);

}  // namespace nettune::kernel
