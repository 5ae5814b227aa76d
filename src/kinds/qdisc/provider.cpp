// SPDX-License-Identifier: Apache-2.0
#include "kinds/qdisc/provider.hpp"

#include <algorithm>
#include <array>
#include <linux/pkt_sched.h>
#include <net/if.h>
#include <set>
#include <unistd.h>

#include "base/interface_name.hpp"
#include "base/text.hpp"
#include "kinds/common/privilege.hpp"

namespace nettune::kinds::qdisc {
namespace {

using kernel::Qdisc;

constexpr std::string_view kMany = "mq/";
/// TCA_KIND holds IFNAMSIZ bytes (rtm_tca_policy, net/sched/sch_api.c), the final NUL among them.
constexpr std::size_t kMaxKindBytes = 15;
/// The kinds that the kernel can make without parameters; others (htb, tbf, netem, ...) need some.
constexpr std::array<std::string_view, 11> kPlain = {"bfifo",      "cake",   "codel",   "fq",
                                                     "fq_codel",   "fq_pie", "noqueue", "pfifo",
                                                     "pfifo_fast", "pie",    "sfq"};

/// "eth0" of qdisc:eth0:root; "" for anything else.
std::string interface_of(const Address& address) {
  if (address.key() != "root" || !address.element().empty()) return {};
  const std::string_view name = address.object();
  return check_interface_name(name) ? std::string(name) : std::string();
}

bool is_kind(std::string_view text) {
  return !text.empty() && text.size() <= kMaxKindBytes &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == text.npos;
}

/// The one kind of all queues in a value: "fq" of "fq" and "mq/fq", "" of "mq/fq+fq_codel".
std::string leaf_of(std::string_view value) {
  const std::string_view leaf = value.starts_with(kMany) ? value.substr(kMany.size()) : value;
  return is_kind(leaf) ? std::string(leaf) : std::string();
}

/// The value of a root: the kinds below it, sorted.
void fill_many(const std::vector<Qdisc>& dump, int ifindex, QdiscProvider::Root& root) {
  std::set<std::string> kinds;
  for (const Qdisc& qdisc : dump) {
    const bool below = TC_H_MAJ(qdisc.parent) == TC_H_MAJ(root.handle);
    if (qdisc.ifindex != ifindex || !below || TC_H_MIN(qdisc.parent) == 0 ||
        qdisc.parent == TC_H_ROOT || qdisc.parent == TC_H_INGRESS)
      continue;
    kinds.insert(qdisc.kind);
    root.slots.push_back(qdisc.parent);
  }
  root.text =
      cat(kMany,
          kinds.empty() ? "noop" : join(std::vector<std::string>(kinds.begin(), kinds.end()), "+"));
}

}  // namespace

QdiscCalls::QdiscCalls()
    : index_of([](const std::string& name) {
        return static_cast<int>(::if_nametoindex(name.c_str()));
      }) {}

Result<Value> QdiscProvider::canonical(const Address& address, const Value& want) const {
  if (interface_of(address).empty())
    return fail(Errc::invalid, cat(printable(address.text.substr(0, 120)),
                                   " is not a queueing discipline; write qdisc:IF:root"));
  if (!want) return fail(Errc::invalid, cat(address.text, " cannot be removed, only set"));
  const std::string_view text = trim(*want);
  if (text == "mq")
    return fail(Errc::invalid, cat(address.text,
                                   ": mq has a queueing discipline for each queue of "
                                   "the card; add its kind, like \"mq/fq\""));
  const bool many = text.starts_with(kMany);
  const auto kinds = split(many ? text.substr(kMany.size()) : text, '+');
  const bool good = !kinds.empty() && (many || kinds.size() == 1) &&
                    std::ranges::all_of(kinds, is_kind) && text != "ingress" && text != "clsact";
  if (!good)
    return fail(Errc::invalid,
                cat(address.text, ": \"", printable(text.substr(0, 80)),
                    "\" is not a valid root queueing discipline; write it like \"fq\" or "
                    "\"mq/fq\""));
  return Value(std::string(text));
}

Result<QdiscProvider::Roots> QdiscProvider::look() const {
  TRY_ASSIGN(const std::vector<Qdisc> dump, calls_.dump());
  Roots roots;
  for (const Qdisc& qdisc : dump)
    if (qdisc.parent == TC_H_ROOT)
      roots[qdisc.ifindex] = Root{qdisc.handle, qdisc.kind, {}, qdisc.kind};
  for (auto& [ifindex, root] : roots)
    if (root.kind == "mq") fill_many(dump, ifindex, root);
  return roots;
}

std::vector<Reading> QdiscProvider::read(std::span<const Address> addresses) {
  std::vector<Reading> readings(addresses.size());
  auto roots = look();
  if (!roots) {
    for (Reading& reading : readings)
      reading = {Presence::not_permitted, "", roots.error().text, {}};
    return readings;
  }
  roots_ = std::move(*roots);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::string name = interface_of(addresses[i]);
    const int ifindex = name.empty() ? 0 : calls_.index_of(name);
    const auto root = roots_.find(ifindex);
    if (name.empty()) {
      readings[i] = {Presence::not_applicable, "", "there is no such queueing discipline", {}};
    } else if (ifindex == 0) {
      readings[i] = {Presence::missing, "", cat("there is no interface ", name), {}};
    } else if (root == roots_.end()) {
      // noop is not dumped: tc_qdisc_dump_ignore(), net/sched/sch_api.c.
      readings[i] = {Presence::not_applicable,
                     "",
                     cat(name, " has never been up; it gets its queueing discipline then"),
                     {}};
    } else if (root->second.kind == "noqueue" && root->second.handle == 0) {
      readings[i] = {Presence::not_applicable,
                     "",
                     cat(name, " has no queue: it forwards packets at once"),
                     {}};
    } else {
      readings[i] = {Presence::present, root->second.text, "", {}};
    }
  }
  return readings;
}

/// qdisc_create() in net/sched/sch_api.c loads the module of an unknown kind.
void QdiscProvider::add_module_effect(const std::string& after, Effects& effects) const {
  const std::string leaf = leaf_of(after);
  const bool in_use = std::ranges::any_of(roots_, [&](const auto& entry) {
    return entry.second.text == leaf || entry.second.text == cat(kMany, leaf);
  });
  const std::string module = cat("sch_", leaf);
  const bool is_built_in = std::ranges::count(words(common::kBuiltInQdiscs), leaf) != 0;
  if (leaf.empty() || in_use || is_built_in ||
      ::access(cat(sys_, "/module/", module).c_str(), F_OK) == 0)
    return;
  effects.touches.push_back({Address{cat("module:", module)}, "", "loaded",
                             "qdisc_create, net/sched/sch_api.c, if it is a module"});
  if (const std::string why = loadable_.cannot_load(module, cat(leaf, "_")); !why.empty())
    effects.impossible = cat("this kernel has no ", leaf, ": ", why);
  effects.undo = Undo::residue;
  effects.residue = cat("if ", module, " is a module, the kernel loads it and it stays loaded");
}

Effects QdiscProvider::effects(const Address& address, const Value& before, const Value& after) {
  Effects effects;
  if (!after) return effects;
  const std::string name = interface_of(address);
  if (!common::may_administer_network())
    effects.not_permitted = cat("changing ", name, " needs root (CAP_NET_ADMIN)");
  // qdisc_graft() stops the interface's queues for a moment and drops their packets.
  effects.impact = Impact::queue_reopen;
  add_module_effect(*after, effects);
  const auto root = roots_.find(calls_.index_of(name));
  if (root == roots_.end() || root->second.handle == 0 || !before) return effects;
  const std::string leaf = leaf_of(*before);
  const bool plain = std::ranges::find(kPlain, leaf) != kPlain.end();
  effects.undo = plain ? Undo::residue : Undo::none;
  if (!effects.residue.empty()) effects.residue += "; ";
  effects.residue += cat("nettune does not save the parameters of the existing ", *before,
                         plain ? ": undo restores it with the kernel's defaults" : "");
  return effects;
}

bool QdiscProvider::lists(const Address&, const std::string& value) {
  const std::string leaf = leaf_of(value);
  return !leaf.empty() && ::access(cat(sys_, "/module/sch_", leaf).c_str(), F_OK) == 0;
}

Result<> QdiscProvider::put(int ifindex, const std::string& after) const {
  const auto now = [&]() -> Result<Root> {
    TRY_ASSIGN(const Roots roots, look());
    const auto root = roots.find(ifindex);
    return root == roots.end() ? Root() : root->second;
  };
  TRY_ASSIGN(Root root, now());
  if (root.text == after) return {};
  if (root.handle != 0) {
    // Often this is the wanted one: the kernel's own choice comes back, not a similar one.
    TRY(calls_.remove(ifindex));
    TRY_ASSIGN(root, now());
    if (root.text == after) return {};
  }
  if (!after.starts_with(kMany)) return calls_.replace(ifindex, TC_H_ROOT, after);
  const std::string leaf = leaf_of(after);
  if (leaf.empty())
    return fail(Errc::unsupported, "queues of different kinds can be read but not written");
  // Nothing can be replaced below an mq that the kernel attached itself: it has no handle.
  if (auto made = calls_.replace(ifindex, TC_H_ROOT, "mq"); !made)
    return fail_in("mq, which needs a card with several queues", std::move(made).error());
  TRY_ASSIGN(root, now());
  if (root.text == after) return {};
  for (const std::uint32_t slot : root.slots) TRY(calls_.replace(ifindex, slot, leaf));
  return {};
}

Result<> QdiscProvider::write(std::span<const Write> unit, const Contents&, const std::string&) {
  for (const Write& write : unit) {
    const std::string name = interface_of(write.address);
    const int ifindex = name.empty() ? 0 : calls_.index_of(name);
    if (!write.after)
      return fail(Errc::invalid,
                  cat(printable(write.address.text), " cannot be removed, only set"));
    const std::string doing = cat("setting ", write.address.text, " to ", printable(*write.after));
    if (ifindex == 0) return fail(Errc::not_found, cat(doing, ": the interface no longer exists"));
    if (auto done = put(ifindex, *write.after); !done)
      return fail_in(doing, std::move(done).error());
  }
  return {};
}

}  // namespace nettune::kinds::qdisc
