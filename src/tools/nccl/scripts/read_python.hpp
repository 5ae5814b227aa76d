// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/nccl/scripts/assignments.hpp"

namespace nettune::tools::nccl::scripts {

/// Whether a whole file is Python: by its name, or its first line.
bool is_python(std::string_view file, std::string_view text);

/// What sets a variable of a program in Python, in statements at the begin of a line and behind the
/// semicolons there: os.environ["NAME"] = "VALUE", os.environ.setdefault("NAME", "VALUE"),
/// os.putenv("NAME", "VALUE"). A value that is not written out, or that has a $ which the shell
/// around it may expand, is Assignment::computed, and what is indented Assignment::conditional.
/// Texts in triple quotes are left out. `whole`: lines that have nothing else.
std::vector<Assignment> read_python_lines(std::string_view text, const std::string& file,
                                          std::set<int>& whole);

/// The numbers of the lines outside of texts in triple quotes and comments that have the name of a
/// variable of NCCL as a string, or at the begin of one ("NCCL_DEBUG", "NCCL_DEBUG=INFO"), but for
/// those that only ask for its value.
std::set<int> python_lines_with_names(std::string_view text);

}  // namespace nettune::tools::nccl::scripts
