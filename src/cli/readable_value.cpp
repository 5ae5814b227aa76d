// SPDX-License-Identifier: Apache-2.0
#include "cli/readable_value.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.hpp"

namespace nettune::cli {

namespace {

/// Documentation/admin-guide/sysctl/net.rst and networking/ip-sysctl.rst of the kernel. tcp_mem and
/// udp_mem count pages.
constexpr std::array<std::string_view, 13> kBytes = {
    "net.core.rmem_default",      "net.core.rmem_max",
    "net.core.wmem_default",      "net.core.wmem_max",
    "net.core.optmem_max",        "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",          "net.ipv4.udp_rmem_min",
    "net.ipv4.udp_wmem_min",      "net.ipv4.tcp_limit_output_bytes",
    "net.ipv4.tcp_notsent_lowat", "net.ipv4.ipfrag_high_thresh",
    "net.ipv4.ipfrag_low_thresh"};

std::string with_unit(std::int64_t bytes) {
  constexpr std::int64_t kKib = 1024;
  constexpr std::array<std::string_view, 4> kUnits = {"", " KiB", " MiB", " GiB"};
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes >= kKib && bytes % kKib == 0) {
    bytes /= kKib;
    ++unit;
  }
  return cat(bytes, kUnits[unit]);
}

}  // namespace

std::string readable_bytes(const Address& address, std::string_view text) {
  if (address.kind() != "sysctl" || std::ranges::find(kBytes, address.rest()) == kBytes.end())
    return {};
  std::string out;
  for (const std::string_view word : words(text)) {
    const auto number = parse_int(word);
    if (!number) return {};
    out += cat(out.empty() ? "" : " ", with_unit(*number));
  }
  return out == text ? std::string() : out;
}

}  // namespace nettune::cli
