// SPDX-License-Identifier: Apache-2.0
#include "kernel/kmod.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <libkmod.h>
#include <memory>
#include <set>
#include <string_view>

#include "base/dynamic_library.hpp"
#include "base/text.hpp"

namespace nettune::kernel {
namespace {

/// The functions of libkmod that are used, looked up once.
struct Libkmod : DynamicLibrary {
  decltype(&::kmod_new) create = nullptr;
  decltype(&::kmod_unref) unref = nullptr;
  decltype(&::kmod_set_log_fn) set_log = nullptr;
  decltype(&::kmod_module_new_from_lookup) look_up = nullptr;
  decltype(&::kmod_module_get_module) module_of = nullptr;
  decltype(&::kmod_module_get_name) name = nullptr;
  decltype(&::kmod_module_get_install_commands) install_commands = nullptr;
  decltype(&::kmod_module_get_dependencies) dependencies = nullptr;
  decltype(&::kmod_list_next) next = nullptr;
  decltype(&::kmod_module_unref) unref_module = nullptr;
  decltype(&::kmod_module_unref_list) unref_list = nullptr;
  decltype(&::kmod_module_probe_insert_module) insert = nullptr;
  decltype(&::kmod_module_get_info) info = nullptr;
  decltype(&::kmod_module_info_get_key) info_key = nullptr;
  decltype(&::kmod_module_info_get_value) info_value = nullptr;
  decltype(&::kmod_module_info_free_list) free_info = nullptr;

  Libkmod() : DynamicLibrary("libkmod.so.2", "libkmod2") {
    get(create, "kmod_new");
    get(unref, "kmod_unref");
    get(set_log, "kmod_set_log_fn");
    get(look_up, "kmod_module_new_from_lookup");
    get(module_of, "kmod_module_get_module");
    get(name, "kmod_module_get_name");
    get(install_commands, "kmod_module_get_install_commands");
    get(dependencies, "kmod_module_get_dependencies");
    get(next, "kmod_list_next");
    get(unref_module, "kmod_module_unref");
    get(unref_list, "kmod_module_unref_list");
    get(insert, "kmod_module_probe_insert_module");
    get(info, "kmod_module_get_info");
    get(info_key, "kmod_module_info_get_key");
    get(info_value, "kmod_module_info_get_value");
    get(free_info, "kmod_module_info_free_list");
  }
};

/// Stays loaded until the process ends.
const Libkmod& library() {
  static const Libkmod loaded;
  return loaded;
}

void no_log(void*, int, const char*, int, const char*, const char*, va_list) {}

struct ContextDeleter {
  void operator()(kmod_ctx* context) const { library().unref(context); }
};
struct ModuleDeleter {
  void operator()(kmod_module* module) const { library().unref_module(module); }
};
struct ListDeleter {
  void operator()(kmod_list* list) const { library().unref_list(list); }
};
struct InfoDeleter {
  void operator()(kmod_list* list) const { library().free_info(list); }
};
using Context = std::unique_ptr<kmod_ctx, ContextDeleter>;
using Module = std::unique_ptr<kmod_module, ModuleDeleter>;
using List = std::unique_ptr<kmod_list, ListDeleter>;
using Info = std::unique_ptr<kmod_list, InfoDeleter>;

/// A module with the objects that own it; null module for an unknown name.
struct Found {
  Context context;
  Module module;
};

Result<Found> find(const std::string& directory, const std::string& name) {
  const Libkmod& kmod = library();
  if (!kmod.missing.empty()) return fail(Errc::unsupported, kmod.missing);
  Found found;
  found.context.reset(kmod.create(directory.c_str(), nullptr));
  if (!found.context) {
    return fail(Errc::io, cat("libkmod cannot use ", directory), errno);
  }
  kmod.set_log(found.context.get(), no_log, nullptr);
  kmod_list* entries = nullptr;
  const int error = kmod.look_up(found.context.get(), name.c_str(), &entries);
  const List list(entries);
  if (error < 0 && error != -ENOENT) {
    return fail(Errc::io, cat("looking up module ", name, ": ", std::strerror(-error)), -error);
  }
  if (list) found.module.reset(kmod.module_of(list.get()));
  return found;
}

/// Records an "install" line and does not run it.
int refuse_command(kmod_module* module, const char*, void* data) {
  *static_cast<std::string*>(data) = library().name(module);
  return -EPERM;
}

std::string why(int error) {
  switch (error) {
    case ENOENT:
      return "unknown symbol in the module, or no such module; see dmesg";
    case EPERM:
      return "not permitted (CAP_SYS_MODULE, kernel.modules_disabled)";
    case EKEYREJECTED:
    case ENOKEY:
      return "its signature is not accepted by this kernel (Secure Boot)";
    default:
      return std::strerror(error);
  }
}

}  // namespace

Result<ModuleInfo> look_up_module(const std::string& directory, const std::string& name) {
  TRY_ASSIGN(const Found found, find(directory, name));
  ModuleInfo info;
  if (!found.module) return info;
  const Libkmod& kmod = library();
  info.known = true;
  info.name = kmod.name(found.module.get());
  if (const char* const command = kmod.install_commands(found.module.get())) {
    info.install_command = command;
  }
  const List needed(kmod.dependencies(found.module.get()));
  for (kmod_list* entry = needed.get(); entry; entry = kmod.next(needed.get(), entry)) {
    const Module module(kmod.module_of(entry));
    if (module) info.dependencies.emplace_back(kmod.name(module.get()));
  }
  return info;
}

Result<std::optional<std::vector<std::string>>> module_parameters(const std::string& directory,
                                                                  const std::string& name) {
  TRY_ASSIGN(const Found found, find(directory, name));
  if (!found.module) return std::nullopt;
  const Libkmod& kmod = library();
  kmod_list* entries = nullptr;
  if (const int error = kmod.info(found.module.get(), &entries); error < 0)
    return fail(Errc::io, cat("the parameters of module ", name, ": ", std::strerror(-error)),
                -error);
  const Info info(entries);
  std::set<std::string> names;
  for (kmod_list* entry = info.get(); entry; entry = kmod.next(info.get(), entry)) {
    const std::string_view key = kmod.info_key(entry);
    const std::string_view value = kmod.info_value(entry);
    if (key == "parm" || key == "parmtype") names.emplace(value.substr(0, value.find(':')));
  }
  return std::vector<std::string>(names.begin(), names.end());
}

Result<> insert_module(const std::string& directory, const std::string& name) {
  TRY_ASSIGN(const Found found, find(directory, name));
  if (!found.module) {
    return fail(Errc::not_found, cat("no module ", name, " in ", directory));
  }
  std::string blocked;
  const int error =
      library().insert(found.module.get(), 0, nullptr, refuse_command, &blocked, nullptr);
  if (error == 0) return {};
  if (!blocked.empty()) {
    return fail(Errc::denied, cat("loading module ", name, ": modprobe.d has an install line for ",
                                  blocked, ", which nettune does not run"));
  }
  const int number = error < 0 ? -error : EBUSY;
  return fail(number == EPERM ? Errc::denied : Errc::io,
              cat("loading module ", name, ": ", why(number)), number);
}

}  // namespace nettune::kernel
