// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/process_table.hpp"

#include <cstring>
#include <utility>

namespace nettune::tools::nccl::log {

namespace {

constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;
constexpr std::uint64_t kStep = 0xC2B2AE3D27D4EB4EULL;  // even: what it is added to stays odd

std::uint64_t eight_bytes(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

/// Each word by an odd number of its own, so that no multiplication waits for the one before.
std::uint64_t fingerprint_of(std::string_view key) {
  std::uint64_t odd = kOdd;
  std::uint64_t hash = key.size();
  const char* at = key.data();
  std::size_t left = key.size();
  for (; left > sizeof(hash); left -= sizeof(hash), at += sizeof(hash), odd += kStep)
    hash += eight_bytes(at) * odd;
  // The last eight bytes, some of them once more, or the few that there are.
  std::uint64_t rest = 0;
  if (key.size() >= sizeof(rest))
    rest = eight_bytes(key.data() + key.size() - sizeof(rest));
  else
    for (std::size_t i = 0; i < left; ++i) rest = rest << 8U | static_cast<unsigned char>(at[i]);
  hash += rest * odd;
  hash = (hash ^ (hash >> 32U)) * kOdd;
  return (hash ^ (hash >> 29U)) | 1U;
}

}  // namespace

std::uint32_t ProcessTable::find(std::string_view key) const {
  if (slots_.empty()) return UINT32_MAX;
  const std::uint64_t fingerprint = fingerprint_of(key);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = (fingerprint >> 1U) & mask; slots_[at].fingerprint != 0;
       at = (at + 1) & mask)
    if (slots_[at].fingerprint == fingerprint) return slots_[at].index;
  return UINT32_MAX;
}

void ProcessTable::add(std::string_view key, std::uint32_t index) {
  if (slots_.size() < 2 * (used_ + 1)) {
    const std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.empty() ? 64 : old.size() * 2, {});
    for (const Slot& slot : old)
      if (slot.fingerprint != 0) put(slot);
  }
  put({fingerprint_of(key), index});
  ++used_;
}

void ProcessTable::put(const Slot& slot) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (slot.fingerprint >> 1U) & mask;
  while (slots_[at].fingerprint != 0) at = (at + 1) & mask;
  slots_[at] = slot;
}

}  // namespace nettune::tools::nccl::log
