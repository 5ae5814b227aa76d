// SPDX-License-Identifier: Apache-2.0
#include "kernel/near_memory.hpp"

#include <cerrno>
#include <climits>
#include <cstring>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.hpp"

namespace nettune::kernel {
namespace {

/// More than any kernel is built for (CONFIG_NR_CPUS).
constexpr std::size_t kMostCpus = 1 << 16;
constexpr std::size_t kWordBits = sizeof(unsigned long) * CHAR_BIT;

/// The kernel's masks: words of bits, the lowest first.
using Mask = std::vector<unsigned long>;

}  // namespace

Result<std::vector<bool>> allowed_cpus() {
  // The call needs room for all CPUs that the kernel supports and returns the used size; libc's
  // wrapper hides that.
  Mask mask(kMostCpus / kWordBits);
  const long bytes =
      ::syscall(SYS_sched_getaffinity, 0, mask.size() * sizeof(mask[0]), mask.data());
  if (bytes < 0)
    return fail(Errc::io, cat("the CPUs of this process cannot be read: ", std::strerror(errno)),
                errno);
  std::vector<bool> cpus(static_cast<std::size_t>(bytes) * CHAR_BIT);
  for (std::size_t i = 0; i < cpus.size(); ++i)
    cpus[i] = ((mask[i / kWordBits] >> (i % kWordBits)) & 1U) != 0;
  return cpus;
}

Result<> run_on(const std::vector<bool>& cpus) {
  Mask mask(cpus.size() / kWordBits + 1);
  for (std::size_t i = 0; i < cpus.size(); ++i)
    if (cpus[i]) mask[i / kWordBits] |= 1UL << (i % kWordBits);
  if (::syscall(SYS_sched_setaffinity, 0, mask.size() * sizeof(mask[0]), mask.data()) == 0)
    return {};
  return fail(errno == EPERM ? Errc::denied : Errc::io,
              cat("the CPUs of the command cannot be set: ", std::strerror(errno)), errno);
}

Result<> take_memory_of(int numa_node) {
  const auto node = static_cast<std::size_t>(numa_node);
  Mask mask(node / kWordBits + 1);
  mask[node / kWordBits] = 1UL << (node % kWordBits);
  // The kernel uses one bit less than it is given (get_nodes() in mm/mempolicy.c).
  const std::size_t bits = mask.size() * kWordBits + 1;
  if (::syscall(SYS_set_mempolicy, MPOL_PREFERRED, mask.data(), bits) == 0) return {};
  const int error = errno;
  if (error == EPERM)
    return fail(
        Errc::denied,
        "memory cannot be bound to a NUMA node: not permitted; a container needs CAP_SYS_NICE",
        error);
  if (error == EINVAL)
    return fail(Errc::unsupported,
                cat("NUMA node ", numa_node, " has no memory that this process may use"), error);
  return fail(error == ENOSYS ? Errc::unsupported : Errc::io,
              cat("memory cannot be bound to NUMA node ", numa_node, ": ", std::strerror(error)),
              error);
}

}  // namespace nettune::kernel
