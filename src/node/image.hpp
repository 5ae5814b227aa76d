// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.hpp"
#include "profile/profile.hpp"

namespace nettune::cli {

/// Makes the directory of an image the root of this process (chroot(2)), so that no link in it
/// leads out of it. From then on every path is one of the image. Errc::denied without root;
/// Errc::invalid for what is no image.
Result<> enter_image(const std::string& directory);

/// Takes out of a resolved profile what an image cannot have: everything but files, and what the
/// devices decide. A note says what waits for the first boot. Returns the first of these settings
/// that cannot be undone, and why, as a sentence; "" for none.
std::string leave_for_first_boot(profile::Resolved& resolved);

}  // namespace nettune::cli
