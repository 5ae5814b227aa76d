// SPDX-License-Identifier: Apache-2.0
#include "base/origin.hpp"

#include "base/text.hpp"

namespace nettune::inline base {

std::string Origin::text() const { return line > 0 ? cat(file, ":", line) : file; }

}  // namespace nettune::inline base
