// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/provider.hpp"
#include "kernel/qdisc.hpp"

namespace nettune::providers {

/// How the qdisc provider reaches the kernel; tests put a kernel of their own in place.
struct QdiscCalls {
  std::function<Result<std::vector<kernel::Qdisc>>()> dump = kernel::dump_qdiscs;
  std::function<int(const std::string&)> index_of;  ///< 0 for no such interface
  std::function<Result<>(int, std::uint32_t, const std::string&)> replace = kernel::replace_qdisc;
  std::function<Result<>(int)> remove = kernel::delete_root_qdisc;
  QdiscCalls();
};

/// The root queueing discipline of an interface, qdisc:IF:root: its kind ("fq"), and for mq, which
/// has one below it for each queue of the card, theirs as well: "mq/fq", or "mq/fq+fq_codel" where
/// they differ, which can be read and not be asked for. So it shows what a changed
/// net.core.default_qdisc did to a live interface (nothing). Parameters are not carried: one that
/// the kernel attached by itself has the defaults, and comes back exactly; of one that somebody set
/// up the kind comes back. Writing needs CAP_NET_ADMIN.
class QdiscProvider final : public Provider {
 public:
  /// `sys` is where /sys stands: it shows which modules are loaded.
  explicit QdiscProvider(std::string sys, QdiscCalls calls = {})
      : sys_(std::move(sys)), calls_(std::move(calls)) {}

  std::string_view kind() const override { return "qdisc"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  Result<> write(std::span<const Write> unit, const Contents&, const std::string&) override;

  /// Of one interface.
  struct Root {
    std::uint32_t handle = 0;
    std::string kind;
    std::vector<std::uint32_t> slots;  ///< of mq: the class of each queue
    std::string text;                  ///< the value
  };

 private:
  /// By interface index.
  using Roots = std::map<int, Root>;
  Result<Roots> look() const;
  Result<> put(int ifindex, const std::string& after) const;
  void add_module_effect(const std::string& after, Effects& effects) const;

  std::string sys_;
  QdiscCalls calls_;
  Roots roots_;  ///< of the last read(): effects() follow one
};

}  // namespace nettune::providers
