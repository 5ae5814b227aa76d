// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

/// Lists of nodes as people and Slurm write them: "gpu[01-08,12],login".
namespace nettune {

/// Splits at commas outside of brackets.
std::vector<std::string_view> split_node_list(std::string_view text);

/// "gpu01" ... "gpu08" of "gpu[01-08]"; the numbers keep their width. Errc::invalid where brackets
/// are no range, or give more than `most` names; its text follows the word in a sentence.
Result<std::vector<std::string>> names_of_word(std::string_view word, std::size_t most);

}  // namespace nettune
