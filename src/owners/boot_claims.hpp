// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "conf/files.hpp"
#include "core/plan.hpp"

namespace nettune::owners {

/// Lines that set the same arguments of the kernel: /etc/default/grub, files beside nettune's in
/// /etc/default/grub.d, and TuneD's command line. grub-mkconfig reads them in this order (2.06,
/// util/grub-mkconfig.in), and only a file that sorts after nettune's can have its arguments behind
/// those of nettune.
std::vector<Claim> boot_claims(const conf::Files& files, std::span<const Setting> settings);

}  // namespace nettune::owners
