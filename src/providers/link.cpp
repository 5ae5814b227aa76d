// SPDX-License-Identifier: Apache-2.0
#include "providers/link.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory_resource>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/text.hpp"
#include "kernel/attribute_file.hpp"
#include "providers/interface_name.hpp"
#include "providers/mtu_effects.hpp"
#include "providers/privilege.hpp"

namespace nettune::providers {
namespace {

using kernel::Link;

/// Below this inetdev_valid_mtu() in net/ipv4/devinet.c takes IPv4 away (RFC 791).
constexpr std::int64_t kMinMtu = 68;
/// The kernel holds an MTU in an int; what a driver takes is in Link::max_mtu.
constexpr std::int64_t kMaxMtu = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMaxQueue = std::numeric_limits<std::uint32_t>::max();

enum class Property { mtu, txqueuelen, ipoib_mode };

struct Target {
  std::string_view interface;
  Property property = Property::mtu;
};

/// In datagram mode an interface has the smaller of what was asked for and the MTU of the broadcast
/// group less 4, and no attribute, file or netlink message tells that of the group
/// (ipoib_change_mtu(), ipoib_mcast_carrier_on_task(), drivers/infiniband/ulp/ipoib, 6.1). So the
/// write is taken, and the read-back tells.
constexpr std::string_view kGroupNote =
    "as much as the subnet's broadcast group carries, its MTU less 4, which the kernel does not "
    "tell before; the subnet manager raises it (opensm: mtu=5 in partitions.conf)";

/// link:IF:PROPERTY; names of interfaces hold no ':' (dev_valid_name, net/core/dev.c).
std::optional<Target> target_of(std::string_view address) {
  const std::string_view rest = rest_of(address);
  const std::size_t colon = rest.rfind(':');
  if (colon == rest.npos) return std::nullopt;
  const std::string_view property = rest.substr(colon + 1);
  if (property == "mtu") return Target{rest.substr(0, colon), Property::mtu};
  if (property == "txqueuelen") return Target{rest.substr(0, colon), Property::txqueuelen};
  if (property == "ipoib-mode") return Target{rest.substr(0, colon), Property::ipoib_mode};
  return std::nullopt;
}

const Link* find(const std::vector<Link>& links, std::string_view name) {
  const auto found = std::ranges::find(links, name, &Link::name);
  return found == links.end() ? nullptr : &*found;
}

/// Of a property that is a number.
std::int64_t number_of(const Link& link, Property property) {
  return property == Property::mtu ? link.mtu : link.txqueuelen;
}

/// A number as canonical() writes it and a link may have it; -1 for another text.
std::int64_t canonical_number(std::string_view text) {
  const bool plain = !text.empty() && text[0] != '-' && (text[0] != '0' || text.size() == 1);
  return plain ? parse_int(text).value_or(-1) : -1;
}

/// Into a reading that is empty yet: thousands are made where they stay.
void read_into(Reading& reading, const Link& link, Property property) {
  reading.presence = Presence::present;
  if (property != Property::ipoib_mode) {
    reading.text = std::to_string(number_of(link, property));
  } else if (link.ipoib_connected) {
    reading.text = *link.ipoib_connected ? "connected" : "datagram";
  } else {
    reading.presence = Presence::not_applicable;
    reading.why = cat(link.name, " is no IPoIB interface");
  }
}

Reading reading_of(const Link& link, Property property) {
  Reading reading;
  read_into(reading, link, property);
  return reading;
}

/// An interface's name as two words: it has at most 15 bytes (IFNAMSIZ), the last one holds how
/// many. Of thousands each is looked up where it lies, without a look at the text that it came
/// from.
struct NameWords {
  std::array<std::uint64_t, 2> words{};

  static std::optional<NameWords> of(std::string_view name) {
    std::array<char, 16> bytes{};
    if (name.size() >= bytes.size()) return std::nullopt;
    std::memcpy(bytes.data(), name.data(), name.size());
    bytes.back() = static_cast<char>(name.size());
    return std::bit_cast<NameWords>(bytes);
  }
  bool operator==(const NameWords&) const = default;
};

struct NameHash {
  std::size_t operator()(const NameWords& name) const noexcept {
    const std::uint64_t mixed =
        (name.words[0] ^ (name.words[1] * 0x9E3779B97F4A7C15)) * 0xBF58476D1CE4E5B9;
    return mixed ^ (mixed >> 32);
  }
};

/// The addresses of a read by the name of their interface. Few of many links are asked for as a
/// rule: so the asked ones are looked up, not the links. The entries lie in one block, for there
/// may be thousands.
class AskedLinks {
 public:
  /// `address_of` gives the text of one of `all`.
  template <class Addressed, class AddressOf>
  AskedLinks(std::span<const Addressed> all, AddressOf address_of)
      : entries_(all.size() * 64 + 64), last_(all.size(), &entries_) {
    others_.reserve(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto target = target_of(address_of(all[i]));
      const auto name = target ? NameWords::of(target->interface) : std::nullopt;
      others_.push_back({kNone, target ? target->property : Property::mtu});
      if (!name) continue;
      std::size_t& last = last_.try_emplace(*name, kNone).first->second;
      others_[i].before = std::exchange(last, i);
    }
  }

  /// `take` gets the position and the property of every address of that link.
  template <class Take>
  void each_of(const Link& link, Take take) const {
    const auto name = NameWords::of(link.name);
    const auto found = name ? last_.find(*name) : last_.end();
    if (found == last_.end()) return;
    for (std::size_t i = found->second; i != kNone; i = others_[i].before)
      take(i, others_[i].property);
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct Other {
    std::size_t before = kNone;  ///< position of another address of the same interface
    Property property = Property::mtu;
  };

  std::pmr::monotonic_buffer_resource entries_;
  std::pmr::unordered_map<NameWords, std::size_t, NameHash> last_;  ///< the last of its addresses
  std::vector<Other> others_;
};

/// Of an address that no link answered.
Reading absent_link(const Address& address) {
  const auto target = target_of(address.text);
  if (!target) return {Presence::not_applicable, "", "there is no such link setting", {}};
  return {Presence::missing, "", cat("there is no interface ", target->interface), {}};
}

}  // namespace

Links shared(std::vector<Link> links) {
  return std::make_shared<const std::vector<Link>>(std::move(links));
}

// By sysfs: where it has to let go of its lock, ipoib_changelink() behind RTM_NEWLINK answers EBUSY
// and leaves the caller without it, and set_mode() in ipoib_cm.c (6.1) minds that.
LinkCalls::LinkCalls()
    : set_ipoib_mode([](const std::string& interface, const std::string& mode) {
        return kernel::write_attribute(cat("/sys/class/net/", interface, "/mode"), mode);
      }) {}

Result<Links> dump_shared() {
  TRY_ASSIGN(std::vector<Link> links, kernel::dump_links());
  return shared(std::move(links));
}

Result<Value> LinkProvider::canonical(const Address& address, const Value& want) const {
  const auto target = target_of(address.text);
  if (!target) {
    return fail(Errc::invalid, cat(printable(address.text),
                                   " is no link setting; they are link:IF:mtu, "
                                   "link:IF:txqueuelen and link:IF:ipoib-mode"));
  }
  TRY(check_interface_name(target->interface));
  if (!want) return fail(Errc::invalid, cat(address.text, " cannot be removed, only set"));
  if (target->property == Property::ipoib_mode) {
    if (*want == "datagram" || *want == "connected") return want;
    return fail(Errc::invalid, cat(address.text, ": \"", printable(want->substr(0, 80)),
                                   "\" is neither \"datagram\" nor \"connected\""));
  }
  const bool is_mtu = target->property == Property::mtu;
  const std::int64_t min = is_mtu ? kMinMtu : 0;
  const std::int64_t max = is_mtu ? kMaxMtu : kMaxQueue;
  const auto number = parse_int(trim(*want));
  if (!number || *number < min || *number > max) {
    return fail(Errc::invalid, cat(address.text, ": \"", printable(want->substr(0, 80)),
                                   "\" is no number from ", min, " to ", max));
  }
  return Value(std::to_string(*number));
}

Result<> LinkProvider::links(const std::function<void()>& restart, const kernel::TakeLink& take) {
  if (calls_.each) return calls_.each(restart, take);
  TRY_ASSIGN(links_, calls_.dump());
  for (const Link& link : *links_) take(link);
  return {};
}

std::vector<Reading> LinkProvider::read(std::span<const Address> addresses) {
  const AskedLinks asked(addresses, [](const Address& one) { return std::string_view(one.text); });
  std::vector<Reading> readings(addresses.size());
  const auto read = links([&] { readings.assign(addresses.size(), Reading()); },
                          [&](const Link& link) {
                            asked.each_of(link, [&](std::size_t i, Property property) {
                              read_into(readings[i], link, property);
                            });
                          });
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (!read)
      readings[i] = {Presence::not_permitted, "", read.error().text, {}};
    else if (readings[i].presence == Presence::unknown)
      readings[i] = absent_link(addresses[i]);
  }
  return readings;
}

std::vector<std::size_t> LinkProvider::not_holding(std::span<const Look::Wanted> wanted) {
  const AskedLinks asked(wanted, [](const Look::Wanted& one) { return one.address; });
  // As numbers, where they are some: most are compared without a text of what the link has.
  std::vector<std::int64_t> numbers;
  numbers.reserve(wanted.size());
  for (const Look::Wanted& one : wanted)
    numbers.push_back(one.value ? canonical_number(*one.value) : -1);
  std::vector<char> held(wanted.size(), 0);
  const auto holds_of = [&](std::size_t i, const Link& link, Property property) {
    if (property != Property::ipoib_mode && number_of(link, property) == numbers[i]) return true;
    return holds(wanted[i], reading_of(link, property));
  };
  const auto read = links([&] { held.assign(wanted.size(), 0); },
                          [&](const Link& link) {
                            asked.each_of(link, [&](std::size_t i, Property property) {
                              held[i] = holds_of(i, link, property) ? 1 : 0;
                            });
                          });
  if (!read) held.assign(wanted.size(), 0);
  std::vector<std::size_t> apart;
  for (std::size_t i = 0; i < held.size(); ++i)
    if (held[i] == 0) apart.push_back(i);
  return apart;
}

/// Upper interfaces after the lower ones: a VLAN cannot have a larger MTU than what it stands on
/// (vlan_dev_change_mtu, net/8021q/vlan_dev.c). A bond comes before its members: it sets theirs.
/// The mode of IPoIB comes first: changing it sets the MTU.
std::vector<Address> LinkProvider::needs(const Address& address) const {
  const auto target = target_of(address.text);
  if (!target || target->property != Property::mtu) return {};
  const Link* const link = find(*links_, target->interface);
  if (!link) return {};
  std::vector<Address> first;
  if (link->ipoib_connected) first.push_back(Address{cat("link:", link->name, ":ipoib-mode")});
  for (const Link& other : *links_) {
    const bool stands_on = link->link == other.ifindex && !link->link_netns;
    const bool is_bond = other.kind == "bond" || other.kind == "team";
    if (other.ifindex != link->ifindex &&
        (stands_on || (link->master == other.ifindex && is_bond))) {
      first.push_back(Address{cat("link:", other.name, ":mtu")});
    }
  }
  return first;
}

Effects LinkProvider::effects(const Address& address, const Value&, const Value& after) {
  Effects effects;
  const auto target = target_of(address.text);
  const Link* const link = target ? find(*links_, target->interface) : nullptr;
  if (!link || !after) return effects;
  if (target->property == Property::mtu) {
    const auto mtu = parse_int(*after);
    effects = mtu_effects(*links_, *link, static_cast<std::uint32_t>(mtu.value_or(0)), proc_sys_);
    effects.cuts = link->name;
    if (link->ipoib_connected == false && mtu && *mtu > link->mtu) {
      effects.note = kGroupNote;
      // ipoib_change_mtu() keeps the wish (admin_mtu) where the group carries less.
      effects.undo = Undo::residue;
      effects.residue = cat("where the group carries less today, ", link->name,
                            " follows it up to ", *mtu, " when it grows");
    }
  }
  if (target->property == Property::ipoib_mode) {
    effects = ipoib_mode_effects(*links_, *link, *after == "connected", proc_sys_);
    effects.cuts = link->name;
  }
  if (!may_administer_network()) {
    effects.not_permitted = cat("changing ", link->name, " needs root (CAP_NET_ADMIN)");
  }
  return effects;
}

Result<> LinkProvider::write_one(const Write& write) {
  const auto target = target_of(write.address.text);
  const auto number = write.after ? parse_int(*write.after) : std::nullopt;
  const bool is_mode = target && target->property == Property::ipoib_mode;
  if (!target || !write.after || (!number && !is_mode)) {
    return fail(Errc::invalid, cat("nothing to write to ", printable(write.address.text)));
  }
  const Link* const link = find(*links_, target->interface);
  if (!link) {
    return fail(Errc::not_found, cat("setting ", write.address.text, " to ", *write.after,
                                     ": there is no such interface any more"));
  }
  if (is_mode) {
    auto done = calls_.set_ipoib_mode(link->name, *write.after);
    if (done) return {};
    const bool refused = done.error().sys == EINVAL && *write.after == "connected";
    return fail_in(
        cat("setting ", write.address.text, " to ", *write.after,
            refused ? " (the enhanced IPoIB of mlx5 and hfi1 has datagram mode only)" : ""),
        std::move(done).error());
  }
  const auto value = static_cast<std::uint32_t>(*number);
  auto done = target->property == Property::mtu ? calls_.set_mtu(link->ifindex, value)
                                                : calls_.set_txqueuelen(link->ifindex, value);
  if (done) return {};
  std::string hint;
  if (target->property == Property::mtu && link->max_mtu != 0 &&
      (value > link->max_mtu || value < link->min_mtu)) {
    hint = cat(" (", link->name, " takes ", link->min_mtu, " to ", link->max_mtu, ")");
  }
  return fail_in(cat("setting ", write.address.text, " to ", *write.after, hint), done.error());
}

Result<> LinkProvider::write(std::span<const Write> unit, const Contents&, const std::string&) {
  // Names may have moved since the last read(): a write must not meet another card.
  TRY_ASSIGN(links_, calls_.dump());
  for (const Write& write : unit) TRY(write_one(write));
  return {};
}

}  // namespace nettune::providers
