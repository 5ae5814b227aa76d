// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::measure {

/// What both ends of a measurement know and nobody else: the one who connects shows `caller`, the
/// one who listens answers with `listener`. It keeps strangers away; it hides nothing on the wire.
struct Tokens {
  std::string caller;    ///< 32 hex digits
  std::string listener;  ///< 32 hex digits
};
constexpr std::size_t kTokenSize = 32;

Result<Tokens> new_tokens();
/// Both, from one secret that was handed out otherwise.
Tokens tokens_from(std::string_view secret);
/// Takes the same time whatever differs.
bool same_token(std::string_view left, std::string_view right);

}  // namespace nettune::measure
