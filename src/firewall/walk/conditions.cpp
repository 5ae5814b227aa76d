// SPDX-License-Identifier: Apache-2.0
#include "firewall/walk/conditions.hpp"

#include <cstddef>
#include <linux/netfilter/nf_tables.h>
#include <utility>

namespace nettune::firewall::walk {
namespace {

/// One condition of a lookup, and the element that matches it.
struct Candidate {
  std::vector<Part> parts;
  const kernel::NfElement* element = nullptr;
};

std::vector<Candidate> candidates(const ReadySet& ready, const kernel::NfSet& set,
                                  const rules::Lookup& lookup, const Registers& registers) {
  std::vector<Candidate> out;
  if (!ready.groups.empty() && pieces(registers, lookup.from, set.key_bytes).size() == 1) {
    for (const auto& group : ready.groups) {
      out.push_back({{{lookup.from, set.key_bytes, group.keys}}, group.element});
    }
    return out;
  }
  // The fields of a concatenation are at multiples of four bytes.
  std::vector<std::pair<std::size_t, std::size_t>> fields;
  if (ready.field_sizes.size() > 1) {
    std::size_t at = lookup.from;
    for (const std::size_t size : ready.field_sizes) {
      fields.emplace_back(at, size);
      at += (size + 3) & ~std::size_t{3};
    }
  } else {
    fields = pieces(registers, lookup.from, set.key_bytes);
  }
  for (const rules::KeyRange& range : ready.ranges) {
    Candidate candidate{{}, range.element};
    for (const auto& [at, size] : fields) {
      const std::size_t offset = at - lookup.from;
      if (size > sizeof(rules::U128) || offset + size > set.key_bytes) return {};
      const rules::Interval wanted{
          rules::number_of(kernel::Bytes(range.first).subspan(offset, size)),
          rules::number_of(kernel::Bytes(range.last).subspan(offset, size))};
      candidate.parts.push_back({at, size, rules::Ranges(std::vector<rules::Interval>{wanted})});
    }
    out.push_back(std::move(candidate));
  }
  return out;
}

}  // namespace

Split divide_by(const rules::Cmp& cmp, const Shape& shape, const Packets& packets,
                const Registers& registers) {
  if (cmp.op == NFT_CMP_EQ || cmp.op == NFT_CMP_NEQ) {
    std::vector<Part> parts;
    for (const auto& [at, size] : pieces(registers, cmp.from, cmp.data.size())) {
      const rules::U128 value =
          rules::number_of(kernel::Bytes(cmp.data).subspan(at - cmp.from, size));
      parts.push_back({at, size, rules::Ranges(rules::Interval{value, value})});
    }
    Split split = divide(shape, packets, registers, parts);
    if (cmp.op == NFT_CMP_NEQ) split = inverted(std::move(split));
    return split;
  }
  if (cmp.data.size() > sizeof(rules::U128)) return {};
  const rules::U128 value = rules::number_of(cmp.data);
  const rules::U128 last = rules::ones(static_cast<unsigned>(cmp.data.size()) * 8);
  rules::Interval wanted{0, last};
  bool none = false;
  switch (cmp.op) {
    case NFT_CMP_LT:
      none = value == 0;
      wanted.last = value - 1;
      break;
    case NFT_CMP_LTE:
      wanted.last = value;
      break;
    case NFT_CMP_GT:
      none = value == last;
      wanted.first = value + 1;
      break;
    default:
      wanted.first = value;
      break;
  }
  const rules::Ranges values = none ? rules::Ranges() : rules::Ranges(wanted);
  return divide(shape, packets, registers, {{cmp.from, cmp.data.size(), values}});
}

Split divide_by(const rules::Range& range, const Shape& shape, const Packets& packets,
                const Registers& registers) {
  if (range.first.size() > sizeof(rules::U128)) return {};
  const rules::Ranges wanted(
      std::vector<rules::Interval>{{rules::number_of(range.first), rules::number_of(range.last)}});
  Split split = divide(shape, packets, registers, {{range.from, range.first.size(), wanted}});
  return range.inverted ? inverted(std::move(split)) : std::move(split);
}

std::optional<Split> divide_by_plain_set(const ReadySet& ready, const kernel::NfSet& set,
                                         const rules::Lookup& lookup, const Shape& shape,
                                         const Packets& packets, const Registers& registers) {
  if (set.key_bytes > sizeof(rules::U128) || ready.field_sizes.size() > 1 ||
      ready.groups.size() > 1 || ready.catch_all != nullptr) {
    return std::nullopt;
  }
  if (pieces(registers, lookup.from, set.key_bytes).size() != 1) return std::nullopt;
  if (ready.groups.empty()) return Split{Split::Answer::no, {}, {}};
  if (ready.groups[0].element->has_expressions) return std::nullopt;
  return divide(shape, packets, registers, {{lookup.from, set.key_bytes, ready.groups[0].keys}});
}

std::optional<DividedByElements> divide_by_elements(const ReadySet& ready, const kernel::NfSet& set,
                                                    const rules::Lookup& lookup, const Shape& shape,
                                                    const Packets& packets,
                                                    const Registers& registers) {
  const auto asked = candidates(ready, set, lookup, registers);
  if (asked.empty() && !ready.ranges.empty()) return std::nullopt;
  std::vector<Packets> rest{packets};
  std::vector<std::pair<Packets, const kernel::NfElement*>> hits;
  for (const Candidate& candidate : asked) {
    std::vector<Packets> left;
    for (Packets& group : rest) {
      std::vector<Packets> found;
      Split split = divide(shape, group, registers, candidate.parts);
      if (!sort_into(found, left, std::move(split), std::move(group))) return std::nullopt;
      for (Packets& one : found) hits.emplace_back(std::move(one), candidate.element);
    }
    rest = std::move(left);
    if (rest.size() + hits.size() > kMostPieces) return std::nullopt;
  }
  if (ready.catch_all != nullptr) {
    for (Packets& group : rest) hits.emplace_back(std::move(group), ready.catch_all);
    rest.clear();
  }
  return DividedByElements{std::move(hits), std::move(rest)};
}

}  // namespace nettune::firewall::walk
