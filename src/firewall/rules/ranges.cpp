// SPDX-License-Identifier: Apache-2.0
#include "firewall/rules/ranges.hpp"

#include <algorithm>
#include <linux/netfilter/nf_tables.h>

namespace nettune::firewall::rules {

U128 number_of(kernel::Bytes bytes) {
  U128 number = 0;
  for (const std::byte byte : bytes) number = (number << 8) | std::to_integer<unsigned>(byte);
  return number;
}

kernel::ByteString bytes_of(U128 number, std::size_t size) {
  kernel::ByteString bytes(size);
  for (std::size_t i = size; i > 0; --i) {
    bytes[i - 1] = static_cast<std::byte>(number & 0xFF);
    number >>= 8;
  }
  return bytes;
}

Ranges::Ranges(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.first < b.first; });
  std::vector<Interval> joined;
  for (const Interval& interval : intervals) {
    if (interval.last < interval.first) continue;
    if (!joined.empty() &&
        (joined.back().last == ~U128{0} || interval.first <= joined.back().last + 1)) {
      joined.back().last = std::max(joined.back().last, interval.last);
    } else {
      joined.push_back(interval);
    }
  }
  intervals_ = std::make_shared<const std::vector<Interval>>(std::move(joined));
}

std::span<const Interval> Ranges::from(U128 number) const {
  const auto all = intervals();
  const auto first =
      std::lower_bound(all.begin(), all.end(), number,
                       [](const Interval& interval, U128 value) { return interval.last < value; });
  return all.subspan(static_cast<std::size_t>(first - all.begin()));
}

bool Ranges::overlaps(const Ranges& other) const {
  if (empty() || other.empty()) return false;
  auto left = from(other.intervals().front().first);
  auto right = other.from(intervals().front().first);
  while (!left.empty() && !right.empty()) {
    if (left.front().last < right.front().first) {
      left = left.subspan(1);
    } else if (right.front().last < left.front().first) {
      right = right.subspan(1);
    } else {
      return true;
    }
  }
  return false;
}

bool Ranges::within(const Ranges& other) const {
  if (empty()) return true;
  auto right = other.from(intervals().front().first);
  for (const Interval& interval : intervals()) {
    while (!right.empty() && right.front().last < interval.first) right = right.subspan(1);
    if (right.empty() || right.front().first > interval.first ||
        right.front().last < interval.last) {
      return false;
    }
  }
  return true;
}

Ranges Ranges::both(const Ranges& other) const {
  if (empty() || other.empty()) return {};
  std::vector<Interval> out;
  auto left = from(other.intervals().front().first);
  auto right = other.from(intervals().front().first);
  while (!left.empty() && !right.empty()) {
    const U128 first = std::max(left.front().first, right.front().first);
    const U128 last = std::min(left.front().last, right.front().last);
    if (first <= last) out.push_back({first, last});
    auto& shorter = left.front().last < right.front().last ? left : right;
    shorter = shorter.subspan(1);
  }
  return Ranges(std::move(out));
}

Ranges Ranges::without(const Ranges& other) const {
  std::vector<Interval> out;
  auto right = other.intervals();
  for (Interval rest : intervals()) {
    while (!right.empty() && right.front().last < rest.first) right = right.subspan(1);
    bool left_over = true;
    for (const Interval& cut : right) {
      if (cut.first > rest.last) break;
      if (cut.first > rest.first) out.push_back({rest.first, cut.first - 1});
      left_over = cut.last < rest.last;
      if (!left_over) break;
      rest.first = cut.last + 1;
    }
    if (left_over) out.push_back(rest);
  }
  return Ranges(std::move(out));
}

Interval interval_of(const Network& network) {
  const std::size_t size = network.ipv6 ? 16 : 4;
  const U128 first = number_of(std::as_bytes(std::span(network.address).first(size)));
  const auto host_bits = static_cast<unsigned>(static_cast<int>(size) * 8 - network.prefix);
  return {first, first | ones(host_bits)};
}

Interval interval_of(const PortRange& range) { return {range.first, range.last}; }

Ranges ranges_of(const std::vector<Network>& networks, bool ipv6) {
  std::vector<Interval> intervals;
  for (const Network& network : networks)
    if (network.ipv6 == ipv6) intervals.push_back(interval_of(network));
  return Ranges(std::move(intervals));
}

std::vector<Network> networks_of(Interval interval, bool ipv6) {
  const unsigned bits = ipv6 ? 128 : 32;
  std::vector<Network> networks;
  while (true) {
    // The widest prefix that begins here and does not end after the interval.
    unsigned host = 0;
    while (host < bits && (interval.first & ones(host + 1)) == 0 &&
           (interval.first | ones(host + 1)) <= interval.last) {
      ++host;
    }
    Network network;
    network.ipv6 = ipv6;
    network.prefix = static_cast<int>(bits - host);
    const auto address = bytes_of(interval.first, bits / 8);
    std::transform(address.begin(), address.end(), network.address.begin(),
                   [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
    networks.push_back(network);
    const U128 last = interval.first | ones(host);
    if (last >= interval.last) return networks;
    interval.first = last + 1;
  }
}

std::vector<KeyRange> key_ranges(const kernel::NfSet& set) {
  const auto is_end = [](const kernel::NfElement& element) {
    return (element.flags & NFT_SET_ELEM_INTERVAL_END) != 0;
  };
  std::vector<const kernel::NfElement*> elements;
  for (const auto& element : set.elements) {
    if ((element.flags & NFT_SET_ELEM_CATCHALL) != 0 || element.key.size() != set.key_bytes) {
      continue;
    }
    elements.push_back(&element);
  }
  // An end sorts before the start of the same key.
  std::stable_sort(elements.begin(), elements.end(), [&](const auto* a, const auto* b) {
    return a->key != b->key ? a->key < b->key : is_end(*a) && !is_end(*b);
  });
  const bool paired = (set.flags & NFT_SET_INTERVAL) != 0;
  std::vector<KeyRange> ranges;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const kernel::NfElement& element = *elements[i];
    if (is_end(element)) continue;
    KeyRange range{element.key, element.key, &element};
    if (element.key_end.size() == set.key_bytes) {
      range.last = element.key_end;
    } else if (paired && set.key_bytes <= sizeof(U128)) {
      // nft_set_rbtree.c: an interval reaches to the next element, or to the highest key.
      const U128 last =
          i + 1 < elements.size() ? number_of(elements[i + 1]->key) - 1 : ones(set.key_bytes * 8);
      range.last = bytes_of(last, set.key_bytes);
    }
    ranges.push_back(std::move(range));
  }
  return ranges;
}

}  // namespace nettune::firewall::rules
