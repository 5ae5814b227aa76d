// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/edges.hpp"

#include <utility>

namespace nettune::tools::nccl::log {

namespace {

std::uint64_t pair(std::uint32_t high, std::uint32_t low) {
  return (static_cast<std::uint64_t>(high) << 32U) | low;
}

/// Each word by an odd number of its own, so that no multiplication waits for another one.
std::uint64_t hash_of(const Edge& edge) {
  const std::uint64_t kind = static_cast<std::uint64_t>(edge.side) * 4 + (edge.gdr ? 2U : 0U) +
                             (static_cast<std::uint64_t>(edge.index) << 8U);
  std::uint64_t hash = pair(edge.process, edge.own) * 0x9E3779B97F4A7C15ULL;
  hash ^= pair(edge.peer, edge.channel) * 0xC2B2AE3D27D4EB4FULL;
  hash ^= pair(edge.detail, static_cast<std::uint32_t>(edge.device)) * 0x165667B19E3779F9ULL;
  hash ^= pair(edge.communicator, static_cast<std::uint32_t>(edge.proxy)) * 0xD6E8FEB86659FD93ULL;
  hash ^= kind * 0xA0761D6478BD642FULL;
  hash = (hash ^ (hash >> 32U)) * 0x9E3779B97F4A7C15ULL;
  return (hash ^ (hash >> 29U)) | 1U;  // never that of a free slot
}

}  // namespace

void Edges::add(const Edge& edge) {
  if (slots_.size() < 2 * (edges_.size() + 1)) grow();
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t fingerprint = hash_of(edge);
  std::size_t at = (fingerprint >> 1U) & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask)
    if (slots_[at] == fingerprint) return;
  edges_.push_back(edge);
  slots_[at] = fingerprint;
}

void Edges::grow() {
  const std::vector<std::uint64_t> old = std::move(slots_);
  slots_.assign(old.empty() ? 256 : old.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (const std::uint64_t fingerprint : old) {
    if (fingerprint == 0) continue;
    std::size_t at = (fingerprint >> 1U) & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = fingerprint;
  }
}

}  // namespace nettune::tools::nccl::log
