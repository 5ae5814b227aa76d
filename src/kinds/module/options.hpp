// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "kinds/common/own_file.hpp"

namespace nettune::kinds::module {

/// /etc/modprobe.d/zz-nettune.conf: a line "options MODULE PARAMETER=VALUE" for each
/// modprobe:MODULE:PARAMETER. libkmod joins all lines of a module (kmod_module_get_options()).
extern const common::OwnFormat kOptionsFormat;

/// "mlx5_core:prof_sel" in the kernel's spelling ('-' is '_': parameq(), kernel/params.c), or why
/// it is no parameter of a module.
Result<std::string> option_name(std::string_view typed);
/// Fails for a value that such a line cannot keep.
Result<> check_option_value(std::string_view value);

/// Whether the text in /sys/module/M/parameters/P shows that `written` was taken: Y for 1, 16 for
/// 0x10, members of a list one by one.
bool is_shown_as(std::string_view written, std::string_view shown);

}  // namespace nettune::kinds::module
