// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "tools/report/documents.hpp"
#include "tools/report/page.hpp"

namespace nettune::tools::report {

/// Makes one page of what several readers took. Of two documents of one kind about one node the
/// newer counts, and the page says so. Errors: those of compare().
Result<Page> fleet_page(compare::Fleet fleet, Documents documents);

/// Reads files and directories as compare does. Errors: not_found for a name that does not exist,
/// or a directory without documents.
Result<Page> read_page(const std::vector<std::string>& inputs, const compare::Rules& rules);

}  // namespace nettune::tools::report
