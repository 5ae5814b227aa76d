// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/provider.hpp"
#include "kernel/qdisc.hpp"
#include "kinds/common/loadable.hpp"

namespace nettune::kinds::qdisc {

/// Access to the kernel; tests substitute their own.
struct QdiscCalls {
  std::function<Result<std::vector<kernel::Qdisc>>()> dump = kernel::dump_qdiscs;
  std::function<int(const std::string&)> index_of;  ///< 0 for no such interface
  std::function<Result<>(int, std::uint32_t, const std::string&)> replace = kernel::replace_qdisc;
  std::function<Result<>(int)> remove = kernel::delete_root_qdisc;
  QdiscCalls();
};

/// The root queueing discipline of an interface, qdisc:IF:root: its kind ("fq"). For mq, which has
/// one for each queue of the card, the value has theirs, too: "mq/fq", or "mq/fq+fq_codel" if they
/// differ, which can be read but not set. So it shows that a changed net.core.default_qdisc does
/// nothing to a live interface. Parameters are not saved: one that the kernel attached itself has
/// the defaults and is restored exactly; of one that somebody set up only the kind is restored.
/// Writing needs CAP_NET_ADMIN.
class QdiscProvider final : public Provider {
 public:
  /// `sys` is the path of /sys: it shows which modules are loaded. `loadable` shows which can be.
  explicit QdiscProvider(std::string sys, QdiscCalls calls = {}, common::Loadable loadable = {})
      : sys_(std::move(sys)), calls_(std::move(calls)), loadable_(std::move(loadable)) {}

  std::string_view kind() const override { return "qdisc"; }
  Result<Value> canonical(const Address& address, const Value& want) const override;
  std::vector<Reading> read(std::span<const Address> addresses) override;
  Effects effects(const Address& address, const Value& before, const Value& after) override;
  /// The kernel has no list of them; one that is a module is there while it is loaded.
  bool lists(const Address& address, const std::string& value) override;
  Result<> write(std::span<const Write> unit, const Contents&, const std::string&) override;

  /// The root of one interface.
  struct Root {
    std::uint32_t handle = 0;
    std::string kind;
    std::vector<std::uint32_t> slots;  ///< for mq: the class of each queue
    std::string text;                  ///< the value
  };

 private:
  /// The roots by interface index.
  using Roots = std::map<int, Root>;
  Result<Roots> look() const;
  Result<> put(int ifindex, const std::string& after) const;
  void add_module_effect(const std::string& after, Effects& effects) const;

  std::string sys_;
  QdiscCalls calls_;
  common::Loadable loadable_;
  Roots roots_;  ///< from the last read(), for effects()
};

}  // namespace nettune::kinds::qdisc
