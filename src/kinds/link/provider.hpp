// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/provider.hpp"
#include "kernel/rtnl.hpp"
#include "kinds/link/target.hpp"

namespace nettune::providers {

/// A dump that several look at.
using Links = std::shared_ptr<const std::vector<kernel::Link>>;
Links shared(std::vector<kernel::Link> links);
/// kernel::dump_links(), shared.
Result<Links> dump_shared();

/// How the link provider reaches the kernel; tests put a kernel of their own in place.
struct LinkCalls {
  std::function<Result<Links>()> dump = dump_shared;
  std::function<Result<>(int, std::uint32_t)> set_mtu = kernel::set_mtu;
  std::function<Result<>(int, std::uint32_t)> set_txqueuelen = kernel::set_txqueuelen;
  /// Name of an IPoIB interface, and "datagram" or "connected".
  std::function<Result<>(const std::string&, const std::string&)> set_ipoib_mode;
  LinkCalls();
};

/// Properties of network interfaces: link:eth0:mtu (bytes), link:eth0:txqueuelen (packets) and
/// link:ib0:ipoib-mode ("datagram" or "connected").
/// One dump of all links answers a whole read().
class LinkProvider final : public Provider {
 public:
  /// `proc_sys` is where /proc/sys stands: it shows which interfaces have IPv6.
  explicit LinkProvider(std::string proc_sys, LinkCalls calls = {})
      : proc_sys_(std::move(proc_sys)), calls_(std::move(calls)) {}

  std::string_view kind() const override { return "link"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  std::vector<Address> needs(const Address& address) const override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  Result<> write(std::span<const Write> unit, const Contents&, const std::string&) override;

 private:
  Result<> write_one(const Write& write);

  std::string proc_sys_;
  LinkCalls calls_;
  /// Of the last read(): effects() and write() follow one, and look names up in it.
  Links links_ = shared({});
};

}  // namespace nettune::providers
