// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "kernel/kmod.hpp"

namespace nettune::kinds::common {

/// The queueing disciplines of every kernel, without a module: net/sched/sch_api.c
/// (pktsched_init()), sch_generic.c (noqueue is the lack of one) and sch_mq.c.
inline constexpr std::string_view kBuiltInQdiscs =
    "pfifo bfifo pfifo_head_drop pfifo_fast mq noqueue";

/// Where the kernel finds the modules that it loads when somebody names what they bring.
struct Loadable {
  std::string proc_sys;  ///< the path of /proc/sys
  std::string modules;   ///< /lib/modules/RELEASE; "" if unknown
  std::function<Result<kernel::ModuleInfo>(const std::string&, const std::string&)> look_up =
      kernel::look_up_module;

  /// Why the kernel cannot load such a module; "" if it may, has it built in, or if that is
  /// unknown. All functions of the module begin with `functions`; "" where a list shows that it is
  /// not built in.
  std::string cannot_load(const std::string& module, std::string_view functions) const;
};

}  // namespace nettune::kinds::common
