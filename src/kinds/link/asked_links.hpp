// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/rtnl.hpp"

namespace nettune::providers {

enum class LinkProperty { mtu, txqueuelen, ipoib_mode };

struct LinkTarget {
  std::string_view interface;
  LinkProperty property = LinkProperty::mtu;
};
/// Of link:IF:PROPERTY; nothing where it is none.
std::optional<LinkTarget> link_target_of(std::string_view address);

/// An interface's name as two words: it has at most 15 bytes (IFNAMSIZ), the last one holds how
/// many. Of thousands each is looked up where it lies, without a look at the text that it came
/// from.
struct NameWords {
  std::array<std::uint64_t, 2> words{};

  static std::optional<NameWords> of(std::string_view name);
  std::string text() const;
  bool operator==(const NameWords& other) const {
    return words[0] == other.words[0] && words[1] == other.words[1];
  }
  /// Every bit of a name reaches the low ones: names of thousands differ in one or two digits.
  std::size_t hash() const {
    std::uint64_t mixed = words[0] * 0x9E3779B97F4A7C15 + words[1];
    mixed = (mixed ^ (mixed >> 32)) * 0xBF58476D1CE4E5B9;
    return mixed ^ (mixed >> 32);
  }
};

/// What of a link a setting may be about.
struct LinkValues {
  NameWords name;
  std::uint32_t mtu = 0;
  std::uint32_t txqueuelen = 0;
  std::optional<bool> ipoib_connected;

  /// Nothing of a name that no interface can have.
  static std::optional<LinkValues> of(const kernel::Link& link);
  /// Of a property that is a number.
  std::int64_t number_of(LinkProperty property) const {
    return property == LinkProperty::mtu ? mtu : txqueuelen;
  }
};

/// The addresses of a read by the name of their interface. Few of many links are asked for as a
/// rule: so the table is of the asked ones, and the links are looked up in it.
class AskedLinks {
 public:
  explicit AskedLinks(std::size_t count);
  /// The addresses one after another, `count` of them at most.
  void add(std::string_view address);

  /// `take` gets the position and the property of every address of each of these links. Look
  /// them up after the whole dump and not in between: the kernel's own walk over its devices
  /// drives the table out of the processor's cache.
  template <class Take>
  void each_of(std::span<const LinkValues> links, Take take) const {
    for (const LinkValues& link : links)
      for (std::uint32_t i = slots_[slot_of(link.name)]; i != kNone; i = asked_[i].before)
        take(i, asked_[i].property, link);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Asked {
    NameWords name;
    std::uint32_t before = kNone;  ///< position of another address of the same interface
    LinkProperty property = LinkProperty::mtu;
  };

  /// Where the last address of that interface stands, or the free slot for it: at most one of four
  /// is taken.
  std::size_t slot_of(const NameWords& name) const {
    for (std::size_t slot = name.hash();; ++slot) {
      slot &= slots_.size() - 1;
      if (slots_[slot] == kNone || asked_[slots_[slot]].name == name) return slot;
    }
  }

  std::vector<Asked> asked_;
  std::vector<std::uint32_t> slots_;  ///< positions; a power of two of them, by the hash
};

}  // namespace nettune::providers
