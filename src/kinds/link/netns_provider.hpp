// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/foreign.hpp"
#include "core/provider.hpp"
#include "kinds/link/far_links.hpp"

namespace nettune::kinds::link {

/// Links in other network namespaces: netns:4026532841/5/0242ac110002:mtu (bytes), and :ipv6-mtu
/// for the key net.ipv6.conf.IF.mtu there. They are only read and restored, after the kernel has
/// changed them along with a link of this namespace.
class NetnsProvider final : public Provider {
 public:
  /// `proc_sys` is the path of /proc/sys.
  explicit NetnsProvider(std::string proc_sys) : proc_sys_(std::move(proc_sys)) {}

  std::string_view kind() const override { return kForeignKind; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  std::vector<Address> given_back_after(const Address& address) const override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  Result<> write(std::span<const Write> unit, const Contents&, const std::string&) override;

 private:
  /// Runs `work` in that namespace. Errc::not_found if it has ended, Errc::denied if it cannot be
  /// seen or entered.
  Result<> visit(std::uint64_t netns, const std::function<Result<>()>& work);
  const FarLinks& far() const;
  const FarLink* find(const FarTarget& target) const;

  std::string proc_sys_;
  kernel::NetNamespaces known_;  ///< where namespaces were found last
  mutable std::optional<FarLinks> far_;
};

}  // namespace nettune::kinds::link
