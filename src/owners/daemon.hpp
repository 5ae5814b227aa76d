// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conf/files.hpp"

namespace nettune::owners {

/// True when systemd starts the unit at boot, judged by files: another unit wants it (a link in a
/// *.wants or *.requires directory), and it is not masked.
bool starts_at_boot(const conf::Files& files, std::string_view unit);

/// The services that systemd starts at boot by themselves or by a timer, as above, sorted.
std::vector<std::string> services_at_boot(const conf::Files& files);

/// The daemon as the subject of a sentence, with its state: `at_boot` as above, `seen` when its
/// files in /run show that it handled the interface since boot.
std::string daemon_words(std::string_view name, bool at_boot, bool seen);

}  // namespace nettune::owners
