// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nccl/catalog.hpp"
#include "nccl/finding.hpp"

namespace nettune::nccl {

/// The result of strtoll(text, NULL, 0), as ncclLoadParam() calls it: 0 without digits, and text
/// after the digits is ignored (src/misc/param.cc, the same in every release).
struct Number {
  std::int64_t value = 0;
  std::size_t used = 0;  ///< bytes, leading blanks included; 0 for no digits
  bool overflow = false;
};
Number read_number(std::string_view text);

/// Judges how a version of NCCL, or another reader, understands the text of a variable that it
/// reads.
Judgement judge_value(const Variable& variable, std::string_view text, const Version& version);

}  // namespace nettune::nccl
