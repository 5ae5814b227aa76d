// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "firewall/rules/opening.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::firewall::rules {

__extension__ using U128 = unsigned __int128;

/// The bytes (at most 16) as one number, most significant first: memcmp() orders bytes as this
/// orders numbers.
U128 number_of(kernel::Bytes bytes);
/// The last `size` bytes of a number.
kernel::ByteString bytes_of(U128 number, std::size_t size);
/// The highest number of so many bits.
constexpr U128 ones(unsigned bits) { return bits >= 128 ? ~U128{0} : (U128{1} << bits) - 1; }

struct Interval {
  U128 first = 0;
  U128 last = 0;

  bool operator==(const Interval&) const = default;
};

/// A set of numbers: intervals in order, none touching the next. Copies share them.
class Ranges {
 public:
  Ranges() = default;
  explicit Ranges(Interval interval)
      : intervals_(std::make_shared<const std::vector<Interval>>(1, interval)) {}
  /// From any intervals, in any order; an interval whose end is before its start is dropped.
  explicit Ranges(std::vector<Interval> intervals);

  std::span<const Interval> intervals() const {
    return intervals_ ? std::span<const Interval>(*intervals_) : std::span<const Interval>();
  }
  bool empty() const { return intervals().empty(); }
  bool single() const {
    return intervals().size() == 1 && intervals()[0].first == intervals()[0].last;
  }
  bool overlaps(const Ranges& other) const;
  bool within(const Ranges& other) const;
  Ranges both(const Ranges& other) const;     ///< intersection
  Ranges without(const Ranges& other) const;  ///< difference

 private:
  /// The intervals from the first on that does not end before `number`.
  std::span<const Interval> from(U128 number) const;

  std::shared_ptr<const std::vector<Interval>> intervals_;
};

Interval interval_of(const Network& network);
Interval interval_of(const PortRange& range);
/// The addresses of those networks that are of a family.
Ranges ranges_of(const std::vector<Network>& networks, bool ipv6);
/// The fewest networks that make up an interval of addresses.
std::vector<Network> networks_of(Interval interval, bool ipv6);

/// An element of a set as the lookup sees it: the keys from `first` to `last`, of the set's key
/// length. For a concatenation the bounds apply to each of its fields.
struct KeyRange {
  kernel::ByteString first;
  kernel::ByteString last;
  const kernel::NfElement* element = nullptr;  ///< its data, its flags
};
/// The elements of a set, those of interval sets paired, sorted by key; without the catch-all
/// element.
std::vector<KeyRange> key_ranges(const kernel::NfSet& set);

}  // namespace nettune::firewall::rules
