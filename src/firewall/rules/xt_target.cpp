// SPDX-License-Identifier: Apache-2.0
#include "firewall/rules/xt_target.hpp"

#include <algorithm>
#include <linux/netfilter/xt_CT.h>
#include <linux/netfilter/xt_connmark.h>
#include <linux/netfilter/xt_set.h>
#include <string_view>

namespace nettune::firewall::rules {

namespace {

// These targets let a packet continue.
constexpr std::string_view kPassing[] = {
    "LOG",     "NFLOG",       "ULOG", "MARK", "CONNMARK", "CLASSIFY", "TCPMSS",    "DSCP",
    "TOS",     "ECN",         "TTL",  "HL",   "SET",      "CHECKSUM", "TRACE",     "AUDIT",
    "SECMARK", "CONNSECMARK", "TEE",  "LED",  "RATEEST",  "HMARK",    "IDLETIMER", "TCPOPTSTRIP"};

}  // namespace

std::optional<std::vector<std::uint16_t>> changed_ip_sets(const XtTarget& target) {
  if (target.name != "SET") return std::vector<std::uint16_t>{};
  // Later revisions begin like the first.
  const auto info = kernel::value_of<xt_set_info_target_v1>(target.info);
  if (!info || target.revision == 0) return std::nullopt;
  return std::vector<std::uint16_t>{info->add_set.index, info->del_set.index};
}

bool marks_by_ip_set(const XtTarget& target) {
  if (target.name != "SET") return false;
  if (target.revision < 3) return false;
  const auto info = kernel::value_of<xt_set_info_target_v3>(target.info);
  return target.revision > 3 || !info || (info->flags & IPSET_FLAG_MAP_SKBMARK) != 0;
}

bool marks(const XtTarget& target) {
  return target.name == "MARK" || target.name == "CONNMARK" || marks_by_ip_set(target);
}

bool marks_connections(const XtTarget& target) {
  if (target.name != "CONNMARK") return false;
  const auto info = kernel::value_of<xt_connmark_tginfo1>(target.info);
  return !info || info->mode != XT_CONNMARK_RESTORE;
}

TargetEffect effect_of(const XtTarget& target) {
  if (std::find(std::begin(kPassing), std::end(kPassing), target.name) != std::end(kPassing)) {
    return TargetEffect::none;
  }
  if (target.name == "REJECT") return TargetEffect::reject;
  if (target.name == "NOTRACK") return TargetEffect::notrack;
  if (target.name == "CT") {
    const auto info = kernel::value_of<xt_ct_target_info>(target.info);
    if (!info) return TargetEffect::diversion;
    if ((info->flags & XT_CT_NOTRACK) != 0) return TargetEffect::notrack;
    return info->zone != 0 || (info->flags & XT_CT_ZONE_MARK) != 0 ? TargetEffect::zone
                                                                   : TargetEffect::none;
  }
  return TargetEffect::diversion;
}

}  // namespace nettune::firewall::rules
