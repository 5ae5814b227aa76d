// SPDX-License-Identifier: Apache-2.0
#include "kinds/ethtool/features.hpp"

#include <array>
#include <charconv>

namespace nettune::kinds::ethtool {
namespace {

constexpr std::string_view kChecksums = "tx-checksum-ip-generic tx-checksum-ipv4+tx-checksum-ipv6";

constexpr auto kRules = std::to_array<FeatureRule>({
    {"tx-checksum-ipv4", "", "tx-checksum-ip-generic"},
    {"tx-checksum-ipv6", "", "tx-checksum-ip-generic"},
    {"tx-tcp-segmentation", "tx-scatter-gather", ""},
    {"tx-tcp6-segmentation", "tx-scatter-gather", ""},
    {"tx-tcp-ecn-segmentation", "tx-scatter-gather", ""},
    {"tx-tcp-mangleid-segmentation", "tx-scatter-gather", ""},
    {"tx-tcp-segmentation", "tx-checksum-ip-generic tx-checksum-ipv4", ""},
    {"tx-tcp-ecn-segmentation", "tx-checksum-ip-generic tx-checksum-ipv4", ""},
    {"tx-tcp6-segmentation", "tx-checksum-ip-generic tx-checksum-ipv6", ""},
    {"tx-tcp-mangleid-segmentation", "tx-tcp-segmentation", ""},
    {"tx-tcp-ecn-segmentation",
     "tx-tcp-segmentation tx-tcp6-segmentation tx-tcp-mangleid-segmentation", ""},
    {"tx-generic-segmentation", "tx-scatter-gather", ""},
    // The driver decides which ones are partial (gso_partial_features); that is not shown.
    {"tx-gre-segmentation", "tx-gso-partial", "", false},
    {"tx-gre-csum-segmentation", "tx-gso-partial", "", false},
    {"tx-ipxip4-segmentation", "tx-gso-partial", "", false},
    {"tx-ipxip6-segmentation", "tx-gso-partial", "", false},
    {"tx-udp_tnl-segmentation", "tx-gso-partial", "", false},
    {"tx-udp_tnl-csum-segmentation", "tx-gso-partial", "", false},
    {"tx-udp-segmentation", "tx-gso-partial", "", false},
    {"tx-tcp-mangleid-segmentation", "tx-gso-partial", "", false},
    {"rx-gro-hw", "rx-checksum", ""},
    {"rx-lro", "", "rx-fcs"},
    {"rx-gro-hw", "", "rx-fcs"},
    {"rx-lro", "", "rx-gro-hw"},
    {"tls-hw-tx-offload", kChecksums, ""},
    {"tls-hw-rx-offload", "rx-checksum", ""},
    {"tx-udp-segmentation", kChecksums, "", false, {6, 11}},
});

}  // namespace

KernelVersion kernel_version(std::string_view release) {
  KernelVersion version;
  const char* const end = release.data() + release.size();
  const auto major = std::from_chars(release.data(), end, version.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return {};
  const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
  return minor.ec == std::errc() ? version : KernelVersion();
}

bool is_certain(const FeatureRule& rule, KernelVersion kernel) {
  return rule.certain || (rule.since != KernelVersion() && kernel >= rule.since);
}

std::span<const FeatureRule> feature_rules() { return kRules; }

}  // namespace nettune::kinds::ethtool
