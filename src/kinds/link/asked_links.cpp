// SPDX-License-Identifier: Apache-2.0
#include "kinds/link/asked_links.hpp"

#include <bit>
#include <cstring>
#include <utility>

#include "core/setting.hpp"

namespace nettune::providers {

/// Names of interfaces hold no ':' (dev_valid_name, net/core/dev.c).
std::optional<LinkTarget> link_target_of(std::string_view address) {
  const std::string_view rest = rest_of(address);
  const std::size_t colon = rest.rfind(':');
  if (colon == rest.npos) return std::nullopt;
  const std::string_view property = rest.substr(colon + 1);
  const std::string_view interface = rest.substr(0, colon);
  if (property == "mtu") return LinkTarget{interface, LinkProperty::mtu};
  if (property == "txqueuelen") return LinkTarget{interface, LinkProperty::txqueuelen};
  if (property == "ipoib-mode") return LinkTarget{interface, LinkProperty::ipoib_mode};
  return std::nullopt;
}

std::optional<NameWords> NameWords::of(std::string_view name) {
  std::array<char, 16> bytes{};
  if (name.size() >= bytes.size()) return std::nullopt;
  std::memcpy(bytes.data(), name.data(), name.size());
  bytes.back() = static_cast<char>(name.size());
  return std::bit_cast<NameWords>(bytes);
}

std::string NameWords::text() const {
  const auto bytes = std::bit_cast<std::array<char, 16>>(words);
  return {bytes.data(), static_cast<std::size_t>(bytes.back())};
}

std::optional<LinkValues> LinkValues::of(const kernel::Link& link) {
  const auto name = NameWords::of(link.name);
  if (!name) return std::nullopt;
  return LinkValues{*name, link.mtu, link.txqueuelen, link.ipoib_connected};
}

AskedLinks::AskedLinks(std::size_t count) : slots_(std::bit_ceil(4 * count + 1), kNone) {
  asked_.reserve(count);
}

void AskedLinks::add(std::string_view address) {
  const auto target = link_target_of(address);
  const auto name = target ? NameWords::of(target->interface) : std::nullopt;
  const auto position = static_cast<std::uint32_t>(asked_.size());
  asked_.emplace_back();
  if (!name) return;
  asked_.back().name = *name;
  asked_.back().property = target->property;
  asked_.back().before = std::exchange(slots_[slot_of(*name)], position);
}

}  // namespace nettune::providers
