// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/provider.hpp"
#include "kernel/one_link.hpp"
#include "kernel/rtnl.hpp"
#include "kinds/link/far_links.hpp"
#include "kinds/link/picture.hpp"
#include "kinds/link/target.hpp"

namespace nettune::kinds::link {

Links shared(std::vector<kernel::Link> links);
/// kernel::dump_links(), shared.
Result<Links> dump_shared();

/// Access to the kernel; tests substitute their own.
struct LinkCalls {
  std::function<Result<Links>()> dump = dump_shared;
  /// The link with this name alone; nothing if there is none.
  std::function<Result<std::optional<kernel::Link>>(const std::string&)> one = kernel::read_link;
  std::function<Result<>(int, std::uint32_t)> set_mtu = kernel::set_mtu;
  std::function<Result<>(int, std::uint32_t)> set_txqueuelen = kernel::set_txqueuelen;
  /// The name of an IPoIB interface, and "datagram" or "connected".
  std::function<Result<>(const std::string&, const std::string&)> set_ipoib_mode;
  /// What stands on these links in other network namespaces. It costs a walk through all processes:
  /// a check leaves it out.
  std::function<FarLinks()> find_far = [] { return FarLinks(); };
  LinkCalls();
  /// Reads what `links` has, and not the kernel.
  static LinkCalls of(const Links& links);
};

/// Properties of network interfaces: link:eth0:mtu (bytes), link:eth0:txqueuelen (packets) and
/// link:ib0:ipoib-mode ("datagram" or "connected"). One dump of all links answers a whole read().
/// Of a few among many each is asked for alone: an apply reads every link twice, and a dump each
/// time would cost the square of their number.
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
  Result<> take_dump() const;
  bool is_few(std::size_t asked) const;
  std::vector<Reading> read_each(std::span<const Address> addresses);
  /// All links, at least as new as the last read(): what stands on what.
  const LinkPicture& picture() const;
  Result<> write_one(const Write& write) const;
  const FarLinks& far();

  std::string proc_sys_;
  LinkCalls calls_;
  mutable LinkPicture picture_{shared({})};
  mutable bool is_old_ = false;  ///< the picture: links were read alone since
  std::optional<FarLinks> far_;  ///< looked for once, for the first plan that needs it
};

}  // namespace nettune::kinds::link
