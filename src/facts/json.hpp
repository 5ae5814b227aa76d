// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "facts/facts.hpp"

namespace nettune::facts {

/// Pretty JSON with a final newline, the schema number first, always in the same order. Unknown
/// values are left out. Bytes that are not UTF-8 (an interface name may have any) become U+FFFD.
std::string to_json(const Facts& facts);

/// Parses the output of to_json(), or a hand-written document. Unknown members are skipped. The
/// error names the place in the document: "net[2].mtu: expected an integer, found a string".
Result<Facts> from_json(std::string_view text);

}  // namespace nettune::facts
