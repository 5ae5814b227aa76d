// SPDX-License-Identifier: Apache-2.0
#include "measure/rdma/gpu_memory.hpp"

#include <dlfcn.h>
#include <type_traits>

#include "base/text.hpp"

namespace nettune::measure {
namespace {

constexpr const char* kCudaLibrary = "libcuda.so.1";
// CUDA driver API, cuda.h of 11.7 and later.
constexpr int kNoSuchDevice = 101;     // CUDA_ERROR_INVALID_DEVICE
constexpr int kDmaBufSupported = 124;  // CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED
constexpr int kDmaBufHandle = 1;       // CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD
// An exported range begins and ends on a page of the host; 64 KiB is the largest of Debian's arm64.
constexpr std::size_t kPage = std::size_t{64} * 1024;

struct Cuda {
  int (*init)(unsigned flags) = nullptr;
  int (*device_by_pci)(int* device, const char* pci_address) = nullptr;
  int (*attribute)(int* value, int attribute, int device) = nullptr;
  int (*retain)(void** context, int device) = nullptr;
  int (*release)(int device) = nullptr;
  int (*set_current)(void* context) = nullptr;
  int (*allocate)(unsigned long long* address, std::size_t bytes) = nullptr;
  int (*free)(unsigned long long address) = nullptr;
  int (*handle)(void* out, unsigned long long address, std::size_t bytes, int type,
                unsigned long long flags) = nullptr;
  int (*error_text)(int error, const char** text) = nullptr;
};

Result<Cuda> find_cuda() {
  void* const library = ::dlopen(kCudaLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return fail(Errc::unsupported, cat("GPU memory needs libcuda of NVIDIA's driver, which cannot "
                                       "be loaded (",
                                       ::dlerror(), ")"));
  Cuda out;
  const char* missing = nullptr;
  const auto find = [&](auto& function, const char* name) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    if (function == nullptr) missing = name;
  };
  find(out.init, "cuInit");
  find(out.device_by_pci, "cuDeviceGetByPCIBusId");
  find(out.attribute, "cuDeviceGetAttribute");
  find(out.retain, "cuDevicePrimaryCtxRetain");
  find(out.release, "cuDevicePrimaryCtxRelease_v2");
  find(out.set_current, "cuCtxSetCurrent");
  find(out.allocate, "cuMemAlloc_v2");
  find(out.free, "cuMemFree_v2");
  find(out.handle, "cuMemGetHandleForAddressRange");
  find(out.error_text, "cuGetErrorString");
  if (missing != nullptr)
    return fail(Errc::unsupported,
                cat(kCudaLibrary, " has no ", missing,
                    ": GPU memory over RDMA needs a driver of CUDA 11.7 (515) or newer"));
  return out;
}

Result<const Cuda*> load_cuda() {
  static const Result<Cuda> loaded = find_cuda();
  if (!loaded) return fail(loaded.error());
  return &*loaded;
}

Result<> succeeded(const Cuda& cuda, const std::string& what, int error) {
  if (error == 0) return {};
  const char* text = nullptr;
  if (cuda.error_text(error, &text) != 0 || text == nullptr) text = "unknown error";
  return fail(Errc::io, cat(what, ": ", printable(text), " (CUDA error ", error, ")"));
}

}  // namespace

Result<std::unique_ptr<GpuMemory>> GpuMemory::allocate(const std::string& pci_address,
                                                       std::size_t bytes) {
  TRY_ASSIGN(const Cuda* const cuda, load_cuda());
  const std::string gpu = cat("GPU ", printable(pci_address));
  TRY(succeeded(*cuda, "CUDA does not start", cuda->init(0)));
  std::unique_ptr<GpuMemory> out(new GpuMemory);
  const int found = cuda->device_by_pci(&out->device_, pci_address.c_str());
  if (found == kNoSuchDevice)
    return fail(Errc::not_found,
                cat(gpu,
                    " is not one of this process's: see CUDA_VISIBLE_DEVICES, and the "
                    "container's devices"));
  TRY(succeeded(*cuda, cat(gpu, " cannot be opened"), found));
  int supported = 0;
  TRY(succeeded(*cuda, cat(gpu, ": cannot ask for DMA-BUF"),
                cuda->attribute(&supported, kDmaBufSupported, out->device_)));
  if (supported == 0)
    return fail(Errc::unsupported, cat(gpu,
                                       ": NVIDIA's driver exports no DMA-BUF; apt install "
                                       "nvidia-open-kernel-dkms, and reboot"));
  void* context = nullptr;
  TRY(succeeded(*cuda, cat(gpu, ": cannot make a context"), cuda->retain(&context, out->device_)));
  out->has_context_ = true;
  TRY(succeeded(*cuda, cat(gpu, ": cannot use its context"), cuda->set_current(context)));
  const std::size_t pages = (bytes + kPage - 1) / kPage * kPage;
  unsigned long long allocated = 0;
  TRY(succeeded(*cuda, cat(gpu, ": cannot allocate ", pages + kPage, " bytes"),
                cuda->allocate(&allocated, pages + kPage)));
  out->allocated_ = allocated;
  out->address_ = (allocated + kPage - 1) / kPage * kPage;
  out->bytes_ = pages;
  int descriptor = -1;
  TRY(succeeded(*cuda, cat(gpu, ": cannot export its memory as a DMA-BUF"),
                cuda->handle(&descriptor, out->address_, pages, kDmaBufHandle, 0)));
  out->dmabuf_ = UniqueFd(descriptor);
  return out;
}

GpuMemory::~GpuMemory() {
  const auto cuda = load_cuda();
  if (!cuda || !has_context_) return;
  dmabuf_ = UniqueFd();
  if (allocated_ != 0) (void)(*cuda)->free(allocated_);
  (void)(*cuda)->set_current(nullptr);
  (void)(*cuda)->release(device_);
}

}  // namespace nettune::measure
