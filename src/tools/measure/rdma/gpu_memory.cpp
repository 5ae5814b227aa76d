// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/rdma/gpu_memory.hpp"

#include <cerrno>
#include <chrono>
#include <future>
#include <thread>

#include "base/text.hpp"
#include "tools/measure/rdma/shared_library.hpp"

namespace nettune::tools::measure::rdma {
namespace {

constexpr const char* kCudaLibrary = "libcuda.so.1";
// CUDA driver API, cuda.h of 11.7 and later.
constexpr int kNoSuchDevice = 101;     // CUDA_ERROR_INVALID_DEVICE
constexpr int kDmaBufSupported = 124;  // CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED
constexpr int kDmaBufHandle = 1;       // CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD
// CUDA starts every GPU of the node, which takes seconds for each if no other process uses it.
constexpr std::chrono::seconds kLongestStart{60};
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
  SharedLibrary library(kCudaLibrary);
  if (!library)
    return fail(Errc::unsupported, cat("GPU memory needs libcuda of NVIDIA's driver, which cannot "
                                       "be loaded (",
                                       ::dlerror(), ")"));
  Cuda out;
  library.need(out.init, "cuInit");
  library.need(out.device_by_pci, "cuDeviceGetByPCIBusId");
  library.need(out.attribute, "cuDeviceGetAttribute");
  library.need(out.retain, "cuDevicePrimaryCtxRetain");
  library.need(out.release, "cuDevicePrimaryCtxRelease_v2");
  library.need(out.set_current, "cuCtxSetCurrent");
  library.need(out.allocate, "cuMemAlloc_v2");
  library.need(out.free, "cuMemFree_v2");
  library.need(out.handle, "cuMemGetHandleForAddressRange");
  library.need(out.error_text, "cuGetErrorString");
  if (library.missing() != nullptr)
    return fail(Errc::unsupported,
                cat(kCudaLibrary, " has no ", library.missing(),
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
                                                       std::size_t bytes,
                                                       const net::Cancelled& cancelled) {
  std::promise<Result<std::unique_ptr<GpuMemory>>> promise;
  auto made = promise.get_future();
  // A thread of its own: a driver that hangs cannot be interrupted, only left behind.
  std::thread([promise = std::move(promise), pci_address, bytes]() mutable {
    promise.set_value(make(pci_address, bytes));
  }).detach();
  const auto begin = std::chrono::steady_clock::now();
  while (made.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    if (cancelled()) return fail(Errc::io, "it was stopped", ECANCELED);
    if (std::chrono::steady_clock::now() - begin > kLongestStart)
      return fail(Errc::io,
                  cat("GPU ", printable(pci_address), ": NVIDIA's driver did not answer within ",
                      kLongestStart.count(), " s; see nvidia-smi, and dmesg for Xid"));
  }
  TRY_ASSIGN(auto out, made.get());
  TRY_ASSIGN(const Cuda* const cuda, load_cuda());
  TRY(succeeded(*cuda, "cannot use the CUDA context", cuda->set_current(out->context_)));
  return out;
}

Result<std::unique_ptr<GpuMemory>> GpuMemory::make(const std::string& pci_address,
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
  TRY(succeeded(*cuda, cat(gpu, ": cannot make a context"),
                cuda->retain(&out->context_, out->device_)));
  TRY(succeeded(*cuda, cat(gpu, ": cannot use its context"), cuda->set_current(out->context_)));
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
  if (!cuda || context_ == nullptr) return;
  dmabuf_ = UniqueFd();
  if (allocated_ != 0) (void)(*cuda)->free(allocated_);
  (void)(*cuda)->set_current(nullptr);
  (void)(*cuda)->release(device_);
}

}  // namespace nettune::tools::measure::rdma
