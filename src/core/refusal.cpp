// SPDX-License-Identifier: Apache-2.0
#include "core/refusal.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/text.hpp"

namespace nettune::inline core {

bool is_refusal(const Error& error) {
  constexpr std::array kMayPass = {EAGAIN,   EBUSY,  EDQUOT,  EINTR,    EIO,    EMFILE,
                                   ENETDOWN, ENFILE, ENOBUFS, ENODEV,   ENOMEM, ENOSPC,
                                   ENXIO,    ETIME,  ETXTBSY, ETIMEDOUT};
  return error.code != Errc::busy && error.code != Errc::no_space &&
         std::ranges::find(kMayPass, error.sys) == kMayPass.end();
}

std::string refusal_text(const Refusal& refusal) {
  return cat(refusal.was_listed ? '1' : '0', ' ', refusal.why);
}

void parse_refusal(std::string_view text, Refusal& refusal) {
  refusal.was_listed = text.starts_with('1');
  refusal.why = text.substr(std::min<std::size_t>(text.size(), 2));
}

}  // namespace nettune::inline core
