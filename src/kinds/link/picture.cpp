// SPDX-License-Identifier: Apache-2.0
#include "kinds/link/picture.hpp"

#include <utility>

namespace nettune::kinds::link {

using kernel::Link;

LinkPicture::LinkPicture(Links links) : links_(std::move(links)) {
  by_name_.reserve(links_->size());
  for (const Link& link : *links_) by_name_.emplace(link.name, &link);
}

const Link* LinkPicture::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

const LinkPicture::Stack& LinkPicture::stack() const {
  if (stack_) return *stack_;
  stack_ = std::make_unique<Stack>();
  for (const Link& link : *links_) {
    stack_->by_index.emplace(link.ifindex, &link);
    const bool stands_here = link.link != 0 && link.link != link.ifindex && !link.link_netns;
    if (stands_here) stack_->above[link.link].push_back(&link);
    if (link.master != 0 && link.master != link.ifindex)
      stack_->members[link.master].push_back(&link);
  }
  return *stack_;
}

const std::vector<const Link*>& LinkPicture::list(const Lists& lists, int ifindex) {
  static const std::vector<const Link*> kNone;
  const auto found = lists.find(ifindex);
  return found == lists.end() ? kNone : found->second;
}

const Link* LinkPicture::other(const Link& link, int ifindex) const {
  if (ifindex == link.ifindex) return nullptr;
  const auto found = stack().by_index.find(ifindex);
  return found == stack().by_index.end() ? nullptr : found->second;
}

std::vector<Link> LinkPicture::standing_elsewhere() const {
  std::vector<Link> found;
  for (const Link& link : *links_)
    if (link.link_netns) found.push_back(link);
  return found;
}

const Link* LinkPicture::below(const Link& link) const {
  return link.link_netns ? nullptr : other(link, link.link);
}

const Link* LinkPicture::master_of(const Link& link) const { return other(link, link.master); }

const std::vector<const Link*>& LinkPicture::above(const Link& link) const {
  return list(stack().above, link.ifindex);
}

const std::vector<const Link*>& LinkPicture::members_of(const Link& link) const {
  return list(stack().members, link.ifindex);
}

}  // namespace nettune::kinds::link
