// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

namespace nettune::tools::compare {

/// Calls visit(piece, whether it is a name) for a text such as "gdr.gpu GPU 0000:53:00.0", in
/// order: names of devices and addresses, and what is between them.
template <class Visit>
void for_names(std::string_view text, Visit&& visit) {
  constexpr std::string_view kOfNames =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-.:";
  while (!text.empty()) {
    const std::size_t size = std::min(text.find_first_not_of(kOfNames), text.size());
    if (size > 0) visit(text.substr(0, size), true);
    text.remove_prefix(size);
    const std::size_t gap = std::min(text.find_first_of(kOfNames), text.size());
    if (gap > 0) visit(text.substr(0, gap), false);
    text.remove_prefix(gap);
  }
}

}  // namespace nettune::tools::compare
