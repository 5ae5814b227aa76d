// SPDX-License-Identifier: Apache-2.0
#include "measure/rdma/library.hpp"

#include <dlfcn.h>
#include <type_traits>

#include "base/text.hpp"

namespace nettune::measure {
namespace {

constexpr const char* kLibrary = "libibverbs.so.1";

Result<Verbs> load() {
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return fail(Errc::unsupported,
                cat("RDMA needs libibverbs, which cannot be loaded (", ::dlerror(),
                    "); apt install libibverbs1 ibverbs-providers"));
  Verbs out;
  const char* missing = nullptr;
  const auto find = [&](auto& function, const char* name) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    if (function == nullptr) missing = name;
  };
  find(out.get_device_list, "ibv_get_device_list");
  find(out.free_device_list, "ibv_free_device_list");
  find(out.get_device_name, "ibv_get_device_name");
  find(out.open_device, "ibv_open_device");
  find(out.close_device, "ibv_close_device");
  find(out.query_port, "ibv_query_port");
  find(out.query_gid, "ibv_query_gid");
  find(out.alloc_pd, "ibv_alloc_pd");
  find(out.dealloc_pd, "ibv_dealloc_pd");
  find(out.reg_mr, "ibv_reg_mr");
  find(out.reg_dmabuf_mr, "ibv_reg_dmabuf_mr");
  find(out.dereg_mr, "ibv_dereg_mr");
  find(out.create_cq, "ibv_create_cq");
  find(out.destroy_cq, "ibv_destroy_cq");
  find(out.create_qp, "ibv_create_qp");
  find(out.modify_qp, "ibv_modify_qp");
  find(out.destroy_qp, "ibv_destroy_qp");
  find(out.status_text, "ibv_wc_status_str");
  if (missing != nullptr)
    return fail(Errc::unsupported, cat(kLibrary, " has no ", missing, "; it is too old"));
  return out;
}

}  // namespace

Result<const Verbs*> load_verbs() {
  static const Result<Verbs> loaded = load();
  if (!loaded) return fail(loaded.error());
  return &*loaded;
}

}  // namespace nettune::measure
