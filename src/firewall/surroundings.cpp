// SPDX-License-Identifier: Apache-2.0
#include "firewall/surroundings.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.hpp"
#include "kernel/rtnl.hpp"

namespace nettune::firewall {
namespace {

/// Which interface is on top of which.
class Stack {
 public:
  explicit Stack(const std::vector<kernel::Link>& links) {
    for (const kernel::Link& link : links) by_index_.emplace(link.ifindex, &link);
    for (const auto& [index, link] : by_index_)
      if (link->master != 0) members_.emplace(link->master, link);
  }

  const kernel::Link* find(int ifindex) const {
    const auto found = by_index_.find(ifindex);
    return found == by_index_.end() ? nullptr : found->second;
  }

  /// The links below a link, recursively; a veth's `link` is its other end.
  std::vector<const kernel::Link*> below(const kernel::Link& link) const {
    std::vector<const kernel::Link*> found;
    std::set<std::string_view> seen;
    add_below(link, seen, found);
    return found;
  }

 private:
  void add_below(const kernel::Link& link, std::set<std::string_view>& seen,
                 std::vector<const kernel::Link*>& found) const {
    const auto add = [&](const kernel::Link& lower) {
      if (!seen.insert(lower.name).second) return;
      found.push_back(&lower);
      add_below(lower, seen, found);
    };
    const auto [first, last] = members_.equal_range(link.ifindex);
    for (auto member = first; member != last; ++member) add(*member->second);
    const kernel::Link* const parent = find(link.link);
    if (link.kind != "veth" && !link.link_netns && parent != nullptr && parent != &link)
      add(*parent);
  }

  std::map<int, const kernel::Link*> by_index_;
  std::multimap<int, const kernel::Link*> members_;
};

Surroundings::Interface interface_of(const kernel::Link& link, const Stack& stack) {
  Surroundings::Interface one;
  one.index = static_cast<std::uint32_t>(link.ifindex);
  one.hardware = link.hardware;
  const kernel::Link* const above = stack.find(link.master);
  if (above != nullptr) one.master = above->name;
  one.bridge = link.kind == "bridge" || (above != nullptr && above->kind == "bridge");
  one.tagged = link.kind == "vlan";
  for (const kernel::Link* const lower : stack.below(link)) {
    one.below.push_back(lower->name);
    one.tagged = one.tagged || lower->kind == "vlan";
  }
  return one;
}

}  // namespace

Surroundings read_surroundings() {
  Surroundings around;
  around.routes = walk::kernel_routes();
  around.read_ip_set = kernel::find_ip_set;
  const auto links = kernel::dump_links();
  const auto addresses = kernel::dump_addresses();
  if (!links || !addresses) {
    around.unread = cat("the interfaces could not be read: ",
                        links ? addresses.error().text : links.error().text);
    return around;
  }
  const Stack stack(*links);
  for (const kernel::Link& link : *links)
    around.interfaces.insert_or_assign(link.name, interface_of(link, stack));
  for (const kernel::InterfaceAddress& address : *addresses) {
    const kernel::Link* const link = stack.find(address.ifindex);
    const auto network = rules::parse_network(address.text);
    if (link != nullptr && network) around.interfaces[link->name].addresses.push_back(*network);
  }
  return around;
}

}  // namespace nettune::firewall
