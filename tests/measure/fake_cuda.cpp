// SPDX-License-Identifier: Apache-2.0
// A libcuda.so.1 for tests: one GPU, 0000:1b:00.0, whose memory is the host's.
//
// FAKE_CUDA: "no-dmabuf" and "no-memory" are what it refuses; with "hang" it never starts.
// FAKE_CUDA_FILL: the letter with which its memory is filled at first. FAKE_CUDA_LOG: a file that
// gets two letters of memory when that is freed: one near its begin, one from its middle.
// FAKE_CUDA_CARD: makes libibverbs' ibv_reg_dmabuf_mr() register this memory as the host's, for a
// card whose driver takes no DMA-BUF (soft-RoCE); x86-64.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

constexpr int kInvalidValue = 1;
constexpr int kOutOfMemory = 2;
constexpr int kInvalidDevice = 101;
constexpr int kNotSupported = 801;
constexpr std::size_t kOff = 256;  // cuMemAlloc aligns to this, not to a page

int memory_file = -1;
char* mapped = nullptr;
std::size_t mapped_bytes = 0;

bool refuses(const char* what) {
  const char* const mode = std::getenv("FAKE_CUDA");
  return mode != nullptr && std::strcmp(mode, what) == 0;
}

using Register = ibv_mr* (*)(ibv_pd*, void*, std::size_t, int);
Register register_host_memory = nullptr;

ibv_mr* register_as_host(ibv_pd* domain, std::uint64_t, std::size_t bytes, std::uint64_t address,
                         int, int) {
  return register_host_memory(domain, reinterpret_cast<void*>(address), bytes,
                              IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
}

/// Lets ibv_reg_dmabuf_mr() jump to register_as_host().
void stand_in_for_a_card() {
  void* const verbs = ::dlopen("libibverbs.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (verbs == nullptr) return;
  register_host_memory = reinterpret_cast<Register>(::dlsym(verbs, "ibv_reg_mr"));
  auto* const code = static_cast<unsigned char*>(::dlsym(verbs, "ibv_reg_dmabuf_mr"));
  const auto page = reinterpret_cast<std::uintptr_t>(code) & ~std::uintptr_t{4095};
  ::mprotect(reinterpret_cast<void*>(page), 2 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
  const auto target = reinterpret_cast<std::uintptr_t>(&register_as_host);
  code[0] = 0x48;  // mov rax, target
  code[1] = 0xb8;
  std::memcpy(code + 2, &target, sizeof target);
  code[10] = 0xff;  // jmp rax
  code[11] = 0xe0;
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
  while (refuses("hang")) ::pause();
  if (std::getenv("FAKE_CUDA_CARD") != nullptr) stand_in_for_a_card();
  return 0;
}

int cuDeviceGetByPCIBusId(int* device, const char* address) {
  *device = 0;
  return std::strcmp(address, "0000:1b:00.0") == 0 ? 0 : kInvalidDevice;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
  if (attribute != 124) return kInvalidValue;
  *value = refuses("no-dmabuf") ? 0 : 1;
  return 0;
}

int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = &mapped;
  return 0;
}

int cuDevicePrimaryCtxRelease_v2(int) { return 0; }

int cuCtxSetCurrent(void*) { return 0; }

int cuMemAlloc_v2(unsigned long long* address, std::size_t bytes) {
  if (refuses("no-memory")) return kOutOfMemory;
  mapped_bytes = bytes + kOff;
  memory_file = ::memfd_create("gpu", MFD_CLOEXEC);
  if (::ftruncate(memory_file, static_cast<off_t>(mapped_bytes)) != 0) return kOutOfMemory;
  void* const at =
      ::mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_file, 0);
  if (at == MAP_FAILED) return kOutOfMemory;
  mapped = static_cast<char*>(at);
  const char* const fill = std::getenv("FAKE_CUDA_FILL");
  std::memset(mapped, fill != nullptr ? fill[0] : '.', mapped_bytes);
  *address = reinterpret_cast<std::uintptr_t>(mapped) + kOff;
  return 0;
}

int cuMemFree_v2(unsigned long long address) {
  if (address != reinterpret_cast<std::uintptr_t>(mapped) + kOff) return kInvalidValue;
  if (const char* const log = std::getenv("FAKE_CUDA_LOG")) {
    // By then the range that is exported has begun.
    if (std::FILE* const file = std::fopen(log, "a")) {
      (void)std::fprintf(file, "%c%c\n", mapped[65536 + 4096], mapped[mapped_bytes / 2]);
      (void)std::fclose(file);
    }
  }
  (void)::munmap(mapped, mapped_bytes);
  (void)::close(memory_file);
  mapped = nullptr;
  return 0;
}

int cuMemGetHandleForAddressRange(void* out, unsigned long long address, std::size_t bytes,
                                  int type, unsigned long long) {
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped);
  if (type != 1 || address % 4096 != 0 || bytes % 4096 != 0 || address < begin ||
      address + bytes > begin + mapped_bytes)
    return kInvalidValue;
  const int copy = ::dup(memory_file);
  if (copy < 0) return kNotSupported;
  std::memcpy(out, &copy, sizeof copy);
  return 0;
}

int cuGetErrorString(int error, const char** text) {
  *text = error == kOutOfMemory    ? "out of memory"
          : error == kInvalidValue ? "invalid argument"
                                   : nullptr;
  return *text == nullptr ? kInvalidValue : 0;
}
}
