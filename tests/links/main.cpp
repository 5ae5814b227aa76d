// SPDX-License-Identifier: Apache-2.0
#include "profile/section.hpp"

/// The one symbol that a room takes from above it (docs/design.md, section 6), for rooms that are
/// linked without the table of kinds.
[[gnu::weak]] std::span<const nettune::profile::Section* const> nettune::profile::sections() {
  return {};
}

int main() {}
