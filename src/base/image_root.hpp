// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace nettune::inline base {

/// Records that this process works in an image: `directory`, an absolute path, has become its root
/// (chroot(2)).
void set_image_root(std::string directory);

/// `path` as the person outside the image must write it: every message that names a path, and every
/// command that it proposes, means the image and not this machine. Without an image the same path.
std::string outside_path(const std::string& path);

}  // namespace nettune::inline base
