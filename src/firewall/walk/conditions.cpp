// SPDX-License-Identifier: Apache-2.0
#include "firewall/walk/conditions.hpp"

#include <cstddef>
#include <linux/netfilter/nf_tables.h>
#include <utility>

namespace nettune::firewall {
namespace {

/// One condition of a lookup, and the element that matches it.
struct Candidate {
  std::vector<Part> parts;
  const kernel::NfElement* element = nullptr;
};

std::vector<Candidate> candidates(const ReadySet& ready, const kernel::NfSet& set,
                                  const Lookup& lookup, const Registers& registers) {
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
  for (const KeyRange& range : ready.ranges) {
    Candidate candidate{{}, range.element};
    for (const auto& [at, size] : fields) {
      const std::size_t offset = at - lookup.from;
      if (size > sizeof(U128) || offset + size > set.key_bytes) return {};
      const Interval wanted{number_of(kernel::Bytes(range.first).subspan(offset, size)),
                            number_of(kernel::Bytes(range.last).subspan(offset, size))};
      candidate.parts.push_back({at, size, Ranges(std::vector<Interval>{wanted})});
    }
    out.push_back(std::move(candidate));
  }
  return out;
}

}  // namespace

Split divide_by(const Cmp& cmp, const Shape& shape, const Packets& packets,
                const Registers& registers) {
  if (cmp.op == NFT_CMP_EQ || cmp.op == NFT_CMP_NEQ) {
    std::vector<Part> parts;
    for (const auto& [at, size] : pieces(registers, cmp.from, cmp.data.size())) {
      const U128 value = number_of(kernel::Bytes(cmp.data).subspan(at - cmp.from, size));
      parts.push_back({at, size, Ranges(Interval{value, value})});
    }
    Split split = divide(shape, packets, registers, parts);
    if (cmp.op == NFT_CMP_NEQ) split = inverted(std::move(split));
    return split;
  }
  if (cmp.data.size() > sizeof(U128)) return {};
  const U128 value = number_of(cmp.data);
  const U128 last = ones(static_cast<unsigned>(cmp.data.size()) * 8);
  Interval wanted{0, last};
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
  const Ranges values = none ? Ranges() : Ranges(wanted);
  return divide(shape, packets, registers, {{cmp.from, cmp.data.size(), values}});
}

Split divide_by(const Range& range, const Shape& shape, const Packets& packets,
                const Registers& registers) {
  if (range.first.size() > sizeof(U128)) return {};
  const Ranges wanted(std::vector<Interval>{{number_of(range.first), number_of(range.last)}});
  Split split = divide(shape, packets, registers, {{range.from, range.first.size(), wanted}});
  return range.inverted ? inverted(std::move(split)) : std::move(split);
}

std::optional<Split> divide_by_plain_set(const ReadySet& ready, const kernel::NfSet& set,
                                         const Lookup& lookup, const Shape& shape,
                                         const Packets& packets, const Registers& registers) {
  if (set.key_bytes > sizeof(U128) || ready.field_sizes.size() > 1 || ready.groups.size() > 1 ||
      ready.catch_all != nullptr) {
    return std::nullopt;
  }
  if (pieces(registers, lookup.from, set.key_bytes).size() != 1) return std::nullopt;
  if (ready.groups.empty()) return Split{Split::Answer::no, {}, {}};
  if (ready.groups[0].element->has_expressions) return std::nullopt;
  return divide(shape, packets, registers, {{lookup.from, set.key_bytes, ready.groups[0].keys}});
}

std::optional<DividedByElements> divide_by_elements(const ReadySet& ready, const kernel::NfSet& set,
                                                    const Lookup& lookup, const Shape& shape,
                                                    const Packets& packets,
                                                    const Registers& registers) {
  const auto asked = candidates(ready, set, lookup, registers);
  if (asked.empty() && !ready.ranges.empty()) return std::nullopt;
  std::vector<Packets> rest{packets};
  std::vector<std::pair<Packets, const kernel::NfElement*>> hits;
  for (const Candidate& candidate : asked) {
    std::vector<Packets> left;
    for (Packets& group : rest) {
      Split split = divide(shape, group, registers, candidate.parts);
      switch (split.answer) {
        case Split::Answer::unknown:
          return std::nullopt;
        case Split::Answer::yes:
          hits.emplace_back(std::move(group), candidate.element);
          break;
        case Split::Answer::no:
          left.push_back(std::move(group));
          break;
        case Split::Answer::part:
          for (auto& yes : split.yes) hits.emplace_back(std::move(yes), candidate.element);
          for (auto& no : split.no) left.push_back(std::move(no));
          break;
      }
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

}  // namespace nettune::firewall
