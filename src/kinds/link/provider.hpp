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

/// A dump with several readers.
using Links = std::shared_ptr<const std::vector<kernel::Link>>;
Links shared(std::vector<kernel::Link> links);
/// kernel::dump_links(), shared.
Result<Links> dump_shared();

/// Access to the kernel; tests substitute their own.
struct LinkCalls {
  std::function<Result<Links>()> dump = dump_shared;
  std::function<Result<>(int, std::uint32_t)> set_mtu = kernel::set_mtu;
  std::function<Result<>(int, std::uint32_t)> set_txqueuelen = kernel::set_txqueuelen;
  /// The name of an IPoIB interface, and "datagram" or "connected".
  std::function<Result<>(const std::string&, const std::string&)> set_ipoib_mode;
  LinkCalls();
};

/// Properties of network interfaces: link:eth0:mtu (bytes), link:eth0:txqueuelen (packets) and
/// link:ib0:ipoib-mode ("datagram" or "connected"). One dump of all links answers a whole read().
class LinkProvider final : public Provider {
 public:
  /// `proc_sys` is the path of /proc/sys: it shows which interfaces have IPv6.
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
  /// The links of the last read(), in which effects() and write() look up names.
  Links links_ = shared({});
};

}  // namespace nettune::providers
