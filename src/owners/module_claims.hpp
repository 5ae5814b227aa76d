// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "conf/files.hpp"
#include "core/plan.hpp"

namespace nettune::owners {

/// Lines of modprobe.d and arguments of the running kernel that set the same options of modules.
/// Those that libkmod reads after nettune's file win: it joins all of a module's options, with
/// those of the command line last (kmod_config_new(), libkmod/libkmod-config.c of kmod 30), and the
/// kernel lets the last one count (parse_args(), kernel/params.c).
std::vector<Claim> module_claims(const conf::Files& files, std::span<const Setting> settings);

}  // namespace nettune::owners
