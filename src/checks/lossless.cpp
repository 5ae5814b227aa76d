// SPDX-License-Identifier: Apache-2.0
#include "checks/lossless.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.hpp"

namespace nettune::checks {
namespace {

constexpr std::int64_t kDscps = 64;
/// RDMA packets of 4096 bytes and the headers of any transport (iboe_get_mtu,
/// include/rdma/ib_addr.h).
constexpr std::int64_t kMtuFor4096 = 4192;

const Address kClass{std::string(kTrafficClass)};
const Address kGidIndex{"nccl.conf:NCCL_IB_GID_INDEX"};

using Numbers = std::vector<std::int64_t>;

/// Parses "3,4"; empty for "none" and for anything that is not a list.
Numbers numbers(std::string_view text) {
  Numbers out;
  for (const std::string_view word : split(text, ',')) {
    const auto number = parse_int(trim(word));
    if (!number) return {};
    out.push_back(*number);
  }
  return out;
}

std::string listed(const Numbers& values) {
  std::string text;
  for (const std::int64_t value : values) text += cat(text.empty() ? "" : ", ", value);
  return text.empty() ? "none" : text;
}

/// The readings of one port.
class Port {
 public:
  Port(std::string interface, const std::map<Address, Reading>& readings, const facts::Facts& facts)
      : interface_(std::move(interface)), readings_(readings), facts_(facts) {
    chain_.interface = interface_;
  }

  Chain judge(bool switch_told) {
    if (const auto dscp = dscp_of_data()) follow(*dscp);
    pause();
    mtu();
    gid();
    if (!unseen_.empty()) say(cat("not readable: ", join(unseen_, ", ")));
    if (!switch_told) say("the switch's settings are unknown");
    chain_.text = join(told_, "; ");
    return std::move(chain_);
  }

 private:
  Address dcb(std::string_view key) const { return {cat("dcb:", interface_, ':', key)}; }
  Address pause_of(std::string_view key) const {
    return {cat("ethtool:", interface_, ":pause-", key)};
  }

  const Reading* reading(const Address& address) const {
    const auto found = readings_.find(address);
    return found == readings_.end() ? nullptr : &found->second;
  }
  /// The value, if there is one.
  std::optional<std::string> text(const Address& address) const {
    const Reading* const found = reading(address);
    if (!found || found->presence != Presence::present) return std::nullopt;
    return found->text;
  }
  /// Like text(), but an unreadable value is noted.
  std::optional<std::string> seen(const Address& address) {
    const Reading* const found = reading(address);
    if (!found || !found->has_value()) unseen_.push_back(address.text);
    return text(address);
  }

  void broken(const std::string& where, std::string problem, std::string remedy) {
    chain_.findings.push_back({where, std::move(problem), std::move(remedy)});
  }
  void broken(const Address& address, std::string problem, std::string remedy) {
    broken(address.text, std::move(problem), std::move(remedy));
  }
  void say(std::string text) { told_.push_back(std::move(text)); }

  std::optional<std::int64_t> dscp_of_data() {
    const Reading* const found = reading(kClass);
    if (!found || !found->has_value()) {
      unseen_.push_back(kClass.text);
      return std::nullopt;
    }
    // Without it NCCL uses class 0 (NCCL 2.26, net_ib/connect.cc: the communicator's if not -1,
    // otherwise 0).
    const std::string value = found->value().value_or("0");
    const auto byte = parse_int(value);
    if (!byte || *byte < 0 || *byte > 255) {
      broken(kClass,
             cat("NCCL_IB_TC is ", printable(value), ", which is not a valid traffic class"),
             "set it to DSCP x 4 + 2");
      return std::nullopt;
    }
    say(cat(found->presence == Presence::present ? cat("NCCL_IB_TC ", *byte)
                                                 : std::string("NCCL_IB_TC is not set: 0"),
            " is DSCP ", *byte >> 2));
    return *byte >> 2;
  }

  /// The priority of a DSCP; nothing if it has none or the port does not map DSCPs.
  std::optional<std::int64_t> priority_of(std::int64_t dscp) {
    const Numbers mapped = numbers(text(dcb(cat("app#dscp-", dscp))).value_or(""));
    if (mapped.empty()) return std::nullopt;
    return mapped.back();  // the kernel also takes the highest of several
  }
  bool goes_by_dscp() const {
    for (std::int64_t dscp = 0; dscp < kDscps; ++dscp)
      if (text(dcb(cat("app#dscp-", dscp)))) return true;
    return false;
  }

  void follow(std::int64_t dscp) {
    const Address entry = dcb(cat("app#dscp-", dscp));
    const Reading* const found = reading(entry);
    if (!found || !found->has_value()) {
      unseen_.emplace_back("the DSCP map");
      return;
    }
    const auto priority = priority_of(dscp);
    if (!priority) {
      broken(
          entry,
          goes_by_dscp()
              ? cat("DSCP ", dscp, " has no priority on ", interface_)
              : cat(interface_, " does not use DSCPs, so data is in the class of untagged packets"),
          "map the DSCP to the lossless priority");
      return;
    }
    say(cat("priority ", *priority));
    const auto pfc = seen(dcb("pfc"));
    if (pfc) paused(*priority, numbers(*pfc));
    bandwidth(*priority);
  }

  void paused(std::int64_t priority, const Numbers& lossless) {
    if (std::ranges::find(lossless, priority) == lossless.end()) {
      broken(dcb("pfc"),
             cat("PFC on ", interface_, " pauses ", listed(lossless), ", but data has priority ",
                 priority, " and is dropped under load"),
             cat("pause priority ", priority, ", or map data to a paused priority"));
      return;
    }
    say("paused by PFC");
  }

  void bandwidth(std::int64_t priority) {
    const auto classes = seen(dcb("ets-prio-tc"));
    const auto algorithms = seen(dcb("ets-tsa"));
    const auto shares = seen(dcb("ets-bw"));
    if (!classes || !algorithms || !shares) return;
    const Numbers class_of = numbers(*classes);
    const Numbers share_of = numbers(*shares);
    const auto algorithm_of = split(*algorithms, ',');
    if (class_of.size() != 8 || share_of.size() != 8 || algorithm_of.size() != 8) return;
    const std::int64_t mine = class_of[static_cast<std::size_t>(priority)];
    if (mine < 0 || mine > 7) return;
    const auto index = static_cast<std::size_t>(mine);
    if (trim(algorithm_of[index]) == "ets") {
      if (share_of[index] == 0)
        broken(dcb("ets-bw"),
               cat("ETS on ", interface_, " gives class ", mine, " of priority ", priority,
                   " no bandwidth"),
               "give the class a share");
      else
        say(cat("class ", mine, " with ", share_of[index], " %"));
    }
    notifications(priority, class_of);
  }

  /// Cards put congestion notifications into class selector 6 by default.
  void notifications(std::int64_t priority, const Numbers& class_of) {
    constexpr std::int64_t kNotificationDscp = 48;
    const auto theirs = priority_of(kNotificationDscp);
    if (!theirs || *theirs < 0 || *theirs > 7) return;
    if (*theirs == priority)
      broken(dcb(cat("app#dscp-", kNotificationDscp)),
             cat("congestion notifications (DSCP 48) have the same priority as the data, ",
                 priority, ", and are paused with it"),
             "map DSCP 48 to another priority");
    else if (shares_class(class_of, priority, *theirs))
      broken(dcb("ets-prio-tc"),
             cat("congestion notifications (priority ", *theirs, ") share class ",
                 class_of[static_cast<std::size_t>(priority)], " with the data"),
             "give them a class of their own");
  }
  /// A single class for all traffic is the default, not a decision.
  static bool shares_class(const Numbers& class_of, std::int64_t one, std::int64_t other) {
    const std::set<std::int64_t> used(class_of.begin(), class_of.end());
    return used.size() > 1 &&
           class_of[static_cast<std::size_t>(one)] == class_of[static_cast<std::size_t>(other)];
  }

  void pause() {
    for (const std::string_view key : {"rx", "tx"}) {
      const auto value = seen(pause_of(key));
      if (value == "on")
        broken(pause_of(key),
               cat("global pause (", key, ") is on at ", interface_,
                   "; it excludes PFC and stops all classes"),
               "switch it off");
    }
  }

  void mtu() {
    const Address address{cat("link:", interface_, ":mtu")};
    const auto value = seen(address);
    const auto bytes = value ? parse_int(*value) : std::nullopt;
    if (bytes && *bytes < kMtuFor4096)
      broken(address,
             cat("an MTU of ", *bytes, " limits RDMA packets to ",
                 *bytes >= 2144 ? "2048" : "1024 or less", " bytes"),
             cat("set it to ", kMtuFor4096, " or more, up to the switch's limit"));
  }

  void gid() {
    const auto ports = facts_.rdma_ports_of(interface_);
    if (ports.empty()) {
      unseen_.emplace_back("the RDMA port");
      return;
    }
    const facts::RdmaPort* const port = ports.front().port;
    const auto is_usable = [](const facts::Gid& gid) {
      // An IPv4 address is in a GID in the form of IPv6 (RFC 4291, 2.5.5.2).
      return gid.type == "RoCE v2" && gid.gid.starts_with("0000:0000:0000:0000:0000:ffff:");
    };
    const auto index = text(kGidIndex);
    if (!index) {
      if (std::ranges::none_of(port->gids, is_usable))
        broken(interface_,
               cat(interface_, " has no RoCE v2 GID with an IPv4 address for NCCL to use"),
               "set the interface's IP address");
      return;
    }
    const auto chosen = std::ranges::find_if(
        port->gids, [&](const facts::Gid& gid) { return std::to_string(gid.index) == *index; });
    if (chosen == port->gids.end() || chosen->type != "RoCE v2")
      broken(kGidIndex,
             cat("NCCL_IB_GID_INDEX is ", printable(*index), ", which on ", interface_, " is ",
                 chosen == port->gids.end() ? "not a GID" : chosen->type.c_str()),
             "leave it unset (NCCL 2.21 and later), or set the index of a RoCE v2 GID");
  }

  std::string interface_;
  const std::map<Address, Reading>& readings_;
  const facts::Facts& facts_;
  Chain chain_;
  std::vector<std::string> told_;
  std::vector<std::string> unseen_;
};

}  // namespace

std::vector<Address> chain_addresses(const std::string& interface) {
  std::vector<Address> addresses = {kClass,
                                    kGidIndex,
                                    {cat("link:", interface, ":mtu")},
                                    {cat("ethtool:", interface, ":pause-rx")},
                                    {cat("ethtool:", interface, ":pause-tx")}};
  for (const std::string_view key : {"pfc", "ets-prio-tc", "ets-tsa", "ets-bw"})
    addresses.push_back({cat("dcb:", interface, ':', key)});
  for (std::int64_t dscp = 0; dscp < kDscps; ++dscp)
    addresses.push_back({cat("dcb:", interface, ":app#dscp-", dscp)});
  return addresses;
}

Chain judge_chain(const std::string& interface, const std::map<Address, Reading>& readings,
                  const facts::Facts& facts, bool switch_told) {
  return Port(interface, readings, facts).judge(switch_told);
}

}  // namespace nettune::checks
