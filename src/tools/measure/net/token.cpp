// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/net/token.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/random.h>

#include "base/digest.hpp"
#include "base/text.hpp"

namespace nettune::tools::measure::net {

Result<Tokens> new_tokens() {
  std::array<char, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return fail(Errc::io, cat("cannot get random bytes: ", std::strerror(errno)), errno);
  return tokens_from({bytes.data(), bytes.size()});
}

Tokens tokens_from(std::string_view secret) {
  return {sha256_hex(cat("caller ", secret)).substr(0, kTokenSize),
          sha256_hex(cat("listener ", secret)).substr(0, kTokenSize)};
}

bool same_token(std::string_view left, std::string_view right) {
  if (left.size() != right.size() || left.size() != kTokenSize) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < left.size(); ++i)
    different |= static_cast<unsigned>(static_cast<unsigned char>(left[i]) ^
                                       static_cast<unsigned char>(right[i]));
  return different == 0;
}

}  // namespace nettune::tools::measure::net
