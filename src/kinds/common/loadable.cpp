// SPDX-License-Identifier: Apache-2.0
#include "kinds/common/loadable.hpp"

#include <algorithm>
#include <fstream>
#include <unistd.h>

#include "base/text.hpp"
#include "kernel/sysfs.hpp"

namespace nettune::kinds::common {
namespace {

constexpr std::size_t kMaxBuiltInBytes = std::size_t{1} << 20;

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

bool is_built_in(const kernel::Directory& modules, std::string_view name) {
  const auto list = modules.read("modules.builtin", kMaxBuiltInBytes);
  return !list || std::ranges::any_of(split(*list, '\n'), [&](std::string_view path) {
    std::string file(path.substr(path.rfind('/') + 1));
    std::ranges::replace(file, '-', '_');
    return file == cat(name, ".ko");
  });
}

/// Also true if the symbols are unreadable, or belong to another part of the kernel.
bool may_have_functions(const std::string& symbols, std::string_view beginning) {
  std::ifstream all(symbols);
  bool has_any = false;
  for (std::string line; std::getline(all, line); has_any = true) {
    const auto columns = words(line);
    if (columns.size() > 2 && columns[2].starts_with(beginning)) return true;
  }
  return !has_any;
}

}  // namespace

std::string Loadable::cannot_load(const std::string& module, std::string_view functions) const {
  if (!exists(proc_sys)) return {};
  if (!exists(cat(proc_sys, "/../modules"))) {
    const bool may_have =
        !functions.empty() && may_have_functions(cat(proc_sys, "/../kallsyms"), functions);
    return may_have ? "" : "it cannot load modules";
  }
  const auto directory = kernel::Directory::open(modules);
  if (!directory || is_built_in(*directory, module)) return {};
  const auto info = look_up(modules, module);
  if (!info) return {};
  if (!info->known) return cat("there is no module ", module, " in ", modules);
  if (const auto sys = kernel::Directory::open(proc_sys))
    if (const auto off = sys->line("kernel/modules_disabled"); off && *off == "1")
      return cat("kernel.modules_disabled is 1, so it cannot load ", module);
  return {};
}

}  // namespace nettune::kinds::common
