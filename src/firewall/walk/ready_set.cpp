// SPDX-License-Identifier: Apache-2.0
#include "firewall/walk/ready_set.hpp"

#include <arpa/inet.h>
#include <linux/netfilter/nf_tables.h>
#include <map>
#include <string>
#include <utility>

#include "firewall/rules/expressions.hpp"

namespace nettune::firewall::walk {
namespace {

using kernel::NfElement;
using kernel::NfSet;

std::vector<std::size_t> field_sizes_of(const NfSet& set) {
  std::vector<std::size_t> sizes;
  kernel::each_attribute(set.description, [&](const kernel::Attribute& attribute) {
    if (attribute.type != NFTA_SET_DESC_CONCAT) return;
    kernel::each_attribute(attribute.payload, [&](const kernel::Attribute& field) {
      kernel::each_attribute(field.payload, [&](const kernel::Attribute& one) {
        if (one.type != NFTA_SET_FIELD_LEN) return;
        sizes.push_back(ntohl(kernel::value_of<std::uint32_t>(one.payload).value_or(0)));
      });
    });
  });
  return sizes;
}

}  // namespace

ReadySet make_ready(const NfSet& set) {
  ReadySet ready;
  // Packets themselves add elements to such a set.
  if ((set.flags & NFT_SET_EVAL) != 0 || set.key_bytes == 0 ||
      set.key_bytes > rules::kRegisterBytes) {
    ready.modelled = false;
    return ready;
  }
  for (const NfElement& element : set.elements) {
    if ((element.flags & NFT_SET_ELEM_CATCHALL) != 0) ready.catch_all = &element;
  }
  ready.ranges = rules::key_ranges(set);
  ready.field_sizes = field_sizes_of(set);
  if (set.key_bytes > sizeof(rules::U128) || ready.field_sizes.size() > 1) return ready;
  const bool is_map = (set.flags & NFT_SET_MAP) != 0;
  std::map<std::pair<std::string, bool>, std::pair<std::vector<rules::Interval>, const NfElement*>>
      same;
  for (const rules::KeyRange& range : ready.ranges) {
    const rules::Interval interval{rules::number_of(range.first), rules::number_of(range.last)};
    const kernel::ByteString& data = range.element->data;
    std::string value;
    if (is_map) value.assign(reinterpret_cast<const char*>(data.data()), data.size());
    auto& group = same[{std::move(value), range.element->has_expressions}];
    group.first.push_back(interval);
    group.second = range.element;
  }
  for (auto& [data, group] : same) {
    ready.groups.push_back({rules::Ranges(std::move(group.first)), group.second});
  }
  return ready;
}

}  // namespace nettune::firewall::walk
