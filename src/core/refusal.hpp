// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/setting.hpp"

namespace nettune::inline core {

/// An optional value that the kernel did not take. It is not written again in the same boot until
/// the profile or the value changes, or the kernel lists the value.
struct Refusal {
  std::string device;  ///< as Setting::device
  Value want;
  std::string why;
  bool was_listed = false;  ///< among the values that the kernel offered then
};

/// True if a write that failed like this would fail again: the value was refused. False for what
/// may pass (a busy device, no memory, a device that left).
bool is_refusal(const Error& error);

/// `was_listed` and `why` as one text for the journal, and back.
std::string refusal_text(const Refusal& refusal);
void parse_refusal(std::string_view text, Refusal& refusal);

}  // namespace nettune::inline core
