// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernel/rtnl.hpp"

namespace nettune::kinds::link {

/// A dump with several readers.
using Links = std::shared_ptr<const std::vector<kernel::Link>>;

/// The links of one dump, by name and by what they stand on. Each answer costs as much as it names:
/// a plan asks for every link, and a node has thousands.
class LinkPicture {
 public:
  explicit LinkPicture(Links links);

  std::size_t size() const { return links_->size(); }
  /// Null if there is none of that name.
  const kernel::Link* find(std::string_view name) const;
  /// Its lower device here; null for none.
  const kernel::Link* below(const kernel::Link& link) const;
  /// The bond, bridge or team that it belongs to; null for none.
  const kernel::Link* master_of(const kernel::Link& link) const;
  /// Links whose lower device it is, in the order of the dump.
  const std::vector<const kernel::Link*>& above(const kernel::Link& link) const;
  /// Members of this bond, bridge or team, in the order of the dump.
  const std::vector<const kernel::Link*>& members_of(const kernel::Link& link) const;
  /// Links whose lower device is in another network namespace.
  std::vector<kernel::Link> standing_elsewhere() const;

 private:
  using Lists = std::unordered_map<int, std::vector<const kernel::Link*>>;
  struct Stack {
    std::unordered_map<int, const kernel::Link*> by_index;
    Lists above;
    Lists members;
  };
  const Stack& stack() const;
  const kernel::Link* other(const kernel::Link& link, int ifindex) const;
  static const std::vector<const kernel::Link*>& list(const Lists& lists, int ifindex);

  Links links_;
  std::unordered_map<std::string_view, const kernel::Link*> by_name_;
  /// Made on first use: a check of values needs none.
  mutable std::unique_ptr<Stack> stack_;
};

}  // namespace nettune::kinds::link
