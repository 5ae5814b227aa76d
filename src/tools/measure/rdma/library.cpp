// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/rdma/library.hpp"

#include "base/text.hpp"
#include "tools/measure/rdma/shared_library.hpp"

namespace nettune::tools::measure::rdma {
namespace {

constexpr const char* kLibrary = "libibverbs.so.1";

Result<Verbs> load() {
  SharedLibrary library(kLibrary);
  if (!library)
    return fail(Errc::unsupported,
                cat("RDMA needs libibverbs, which cannot be loaded (", ::dlerror(),
                    "); apt install libibverbs1 ibverbs-providers"));
  Verbs out;
  library.need(out.get_device_list, "ibv_get_device_list");
  library.need(out.free_device_list, "ibv_free_device_list");
  library.need(out.get_device_name, "ibv_get_device_name");
  library.need(out.open_device, "ibv_open_device");
  library.need(out.close_device, "ibv_close_device");
  library.need(out.query_port, "ibv_query_port");
  library.need(out.query_gid, "ibv_query_gid");
  library.need(out.alloc_pd, "ibv_alloc_pd");
  library.need(out.dealloc_pd, "ibv_dealloc_pd");
  library.need(out.reg_mr, "ibv_reg_mr");
  library.find(out.reg_dmabuf_mr, "ibv_reg_dmabuf_mr");
  library.need(out.dereg_mr, "ibv_dereg_mr");
  library.need(out.create_cq, "ibv_create_cq");
  library.need(out.destroy_cq, "ibv_destroy_cq");
  library.need(out.create_qp, "ibv_create_qp");
  library.need(out.modify_qp, "ibv_modify_qp");
  library.need(out.destroy_qp, "ibv_destroy_qp");
  library.need(out.status_text, "ibv_wc_status_str");
  if (library.missing() != nullptr)
    return fail(Errc::unsupported, cat(kLibrary, " has no ", library.missing(), "; it is too old"));
  return out;
}

}  // namespace

Result<const Verbs*> load_verbs() {
  static const Result<Verbs> loaded = load();
  if (!loaded) return fail(loaded.error());
  return &*loaded;
}

}  // namespace nettune::tools::measure::rdma
