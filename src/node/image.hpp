// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.hpp"
#include "profile/profile.hpp"

namespace nettune::node {

/// Makes the directory of an image the root of this process (chroot(2)), so that no link leads out
/// of it. From then on every path is a path of the image. Errc::denied without root; Errc::invalid
/// for a directory that is not an image.
Result<> enter_image(const std::string& directory);

/// Removes from a resolved profile what an image cannot have: everything except files, and
/// everything that depends on devices. A note says what waits for the first boot. Returns a
/// sentence on the first of these settings that cannot be undone; "" for none.
std::string leave_for_first_boot(profile::Resolved& resolved);

}  // namespace nettune::node
