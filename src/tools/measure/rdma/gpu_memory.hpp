// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "tools/measure/net/streams.hpp"

namespace nettune::tools::measure::rdma {

/// Memory of a GPU, exported as a DMA-BUF. It is freed with this object, which must be destroyed by
/// the thread that made it.
class GpuMemory {
 public:
  /// `pci_address` as in sysfs: "0000:1b:00.0". Loads NVIDIA's libcuda and makes a CUDA context,
  /// which takes seconds where no other process uses a GPU. The error says what is missing: the
  /// library, the GPU among those that this process may use (CUDA_VISIBLE_DEVICES, a container), or
  /// DMA-BUF (the open kernel modules, CUDA 11.7).
  /// Ends with an error after 60 s, or when `cancelled`; then a thread that the driver holds stays.
  static Result<std::unique_ptr<GpuMemory>> allocate(const std::string& pci_address,
                                                     std::size_t bytes,
                                                     const net::Cancelled& cancelled);
  ~GpuMemory();
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;

  std::uint64_t address() const { return address_; }
  std::size_t bytes() const { return bytes_; }
  int dmabuf() const { return dmabuf_.get(); }

 private:
  GpuMemory() = default;
  static Result<std::unique_ptr<GpuMemory>> make(const std::string& pci_address, std::size_t bytes);
  int device_ = 0;
  void* context_ = nullptr;
  std::uint64_t allocated_ = 0;
  std::uint64_t address_ = 0;  ///< the first page in it
  std::size_t bytes_ = 0;
  UniqueFd dmabuf_;
};

}  // namespace nettune::tools::measure::rdma
