// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/result.hpp"
#include "kernel/netlink.hpp"

namespace nettune::kernel {

/// The groups of settings, each one message of ethtool netlink.
enum class EthtoolGroup { pause, rings, channels, coalesce, features, flags };

/// A feature, or a private flag of the driver.
struct EthtoolBit {
  bool on = false;      ///< now
  bool wanted = false;  ///< features: the last request; the kernel may keep it off
  bool fixed = false;   ///< features: it cannot be changed
};

struct EthtoolState {
  std::string interface;                                ///< in the kernel's spelling
  std::map<int, std::uint32_t> numbers;                 ///< by attribute; switches are 0 and 1
  std::map<std::string, EthtoolBit, std::less<>> bits;  ///< features and flags, by name
};

/// The content of a SET; other values stay.
struct EthtoolChange {
  std::map<int, std::uint32_t> numbers;
  std::map<std::string, bool> bits;

  bool empty() const { return numbers.empty() && bits.empty(); }
};

/// Parses the payload of a GET_REPLY of `group`. Pure; it never reads outside of it, whatever the
/// lengths in it say.
EthtoolState parse_ethtool(EthtoolGroup group, Bytes payload);

/// A session of ethtool netlink. Interfaces are addressed by name: the kernel itself finds the one
/// that has the name at that moment.
class EthtoolSession {
 public:
  /// unsupported: a kernel without ethtool netlink (before 5.6).
  static Result<EthtoolSession> open();

  /// Needs no privilege, changes nothing; a driver may ask its firmware. not_found: no such
  /// interface (ENODEV); unsupported: its driver has no such operation (EOPNOTSUPP).
  Result<EthtoolState> get(const std::string& interface, EthtoolGroup group);

  /// Needs CAP_NET_ADMIN. Success only means that no error came back: a feature that the driver
  /// refuses is a success (ethnl_set_features, net/ethtool/features.c, 6.1), and a driver may
  /// round. A driver's positive answer is returned (ethnl_set_pause, net/ethtool/pause.c, 6.1) and
  /// is also a success.
  Result<> set(const std::string& interface, EthtoolGroup group, const EthtoolChange& change);

 private:
  EthtoolSession(NetlinkSession session, std::uint16_t family)
      : session_(std::move(session)), family_(family) {}

  NetlinkSession session_;
  std::uint16_t family_;
};

}  // namespace nettune::kernel
