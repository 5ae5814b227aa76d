// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/nccl/log/log.hpp"

namespace nettune::tools::nccl::log::judge {

/// "nccl-tests: busbw up to 45.84 GB/s; 22.94 GB/s at the largest size", of the only table; ""
/// where there is none, or several.
std::string tests_verdict(const Log& log);

/// What stands out among the ranks and results of nccl-tests.
void say_tests(const Log& log, std::vector<std::string>& into);

/// "nccl-tests lists 16 ranks on 2 hosts", "at least" where the list may be cut; "" for none, or
/// where several programs list theirs.
std::string ranks_of_tests(const Log& log);
/// The list has all of them.
bool lists_all_ranks(const Log& log);

}  // namespace nettune::tools::nccl::log::judge
