// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::tools::measure::net {

/// The secrets that only both ends of a measurement know: the connecting side sends `caller`, the
/// listening side answers with `listener`. They keep strangers away, but do not encrypt anything.
struct Tokens {
  std::string caller;    ///< 32 hex digits
  std::string listener;  ///< 32 hex digits
};
constexpr std::size_t kTokenSize = 32;

Result<Tokens> new_tokens();
/// Derives both from one shared secret.
Tokens tokens_from(std::string_view secret);
/// Compares in constant time.
bool same_token(std::string_view left, std::string_view right);

}  // namespace nettune::tools::measure::net
