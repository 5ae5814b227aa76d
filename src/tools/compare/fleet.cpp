// SPDX-License-Identifier: Apache-2.0
#include "tools/compare/fleet.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/node_set.hpp"
#include "base/text.hpp"

namespace nettune::tools::compare {

namespace {

std::string_view bytes_of(const std::vector<Fact>& facts) {
  return {reinterpret_cast<const char*>(facts.data()), facts.size() * sizeof(Fact)};
}

constexpr std::size_t kMostOfOneName = 256;

/// Adds another document of the same node.
void join_documents(Node& node, const Node& more) {
  if (!has_kind(node, more.kind)) node.kind += cat(" ", more.kind);
  if (more.kind == "facts") {
    node.shape = more.shape;
    node.machine = more.machine;
    node.file = more.file;
  }
  node.parts.insert(node.parts.end(), more.parts.begin(), more.parts.end());
  node.identities.insert(node.identities.end(), more.identities.begin(), more.identities.end());
  node.measures.insert(node.measures.end(), more.measures.begin(), more.measures.end());
}

}  // namespace

bool has_kind(const Node& node, std::string_view kind) {
  return std::ranges::any_of(split(node.kind, ' '),
                             [&](std::string_view one) { return one == kind; });
}

Fleet::Fleet(const Rules& rules) : rules_(&rules) { child(0, ""); }

std::string Fleet::path_text(std::uint32_t path) const {
  if (path == 0) return {};
  const std::string above = path_text(parent(path));
  const std::string_view step = paths_.text(path);
  return cat(above, above.empty() || step.starts_with('[') ? "" : ".", step);
}

std::uint32_t Fleet::child(std::uint32_t path, std::string_view step) {
  const std::uint32_t last = schemas_.empty() ? 0 : last_child_[path];
  if (last != 0) {
    const std::uint32_t guess = after_[last];
    if (guess != 0 && paths_.below(guess) == path && paths_.text(guess) == step)
      return last_child_[path] = guess;
  }
  const std::uint32_t found = paths_.number(step, path);
  if (found == schemas_.size()) {
    const std::string above = found == 0 ? "" : schemas_[path]->text;
    schemas_.push_back(schema_of(
        step.starts_with('[') ? cat(above, "[]") : cat(above, above.empty() ? "" : ".", step)));
    last_child_.push_back(0);
    after_.push_back(0);
    last_value_.push_back(0);
  }
  after_[last] = found;
  return last_child_[path] = found;
}

std::uint32_t Fleet::value_number(std::string_view text, std::uint32_t path) {
  std::uint32_t& last = last_value_[path];
  if (last >= values_.size() || values_.text(last) != text) last = values_.number(text);
  return last;
}

const Schema* Fleet::schema_of(const std::string& text) {
  const auto [found, is_new] = by_text_.try_emplace(text);
  if (is_new) {
    Schema& schema = found->second;
    schema.text = text;
    schema.rule = rules_->rule_for(text);
    schema.list = rules_->list_for(text);
    schema.ignored = rules_->ignores(text);
    const auto shape = std::ranges::find(rules_->shape, text);
    if (shape != rules_->shape.end())
      schema.shape = static_cast<int>(std::distance(rules_->shape.begin(), shape));
    for (const ListRule& list : rules_->lists) {
      if (list.device.empty()) continue;
      if (text == cat(list.path, "[].", list.device)) schema.device_of = &list;
      if (text == cat(list.path, "[].", list.key.front())) schema.name_of = &list;
    }
  }
  return &found->second;
}

std::vector<Fact> Fleet::part(std::uint32_t number) const {
  const std::string_view bytes = parts_.text(number);
  std::vector<Fact> facts(bytes.size() / sizeof(Fact));
  if (!facts.empty()) std::memcpy(facts.data(), bytes.data(), bytes.size());
  return facts;
}

std::uint32_t Fleet::part_number(const std::vector<Fact>& facts) {
  return parts_.number(bytes_of(facts));
}

void Fleet::leave_out(const std::vector<bool>& marked) {
  std::vector<Node> kept;
  kept.reserve(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (!marked[i]) kept.push_back(std::move(nodes_[i]));
  nodes_ = std::move(kept);
}

void Fleet::merge(Fleet&& other) {
  // The parent of a path has a smaller number, so it is already here.
  std::vector<std::uint32_t> paths(other.paths_.size());
  for (std::uint32_t i = 1; i < paths.size(); ++i)
    paths[i] = child(paths[other.paths_.below(i)], other.paths_.text(i));
  std::vector<std::uint32_t> values(other.values_.size());
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = value_number(other.value(i));
  std::vector<std::uint32_t> parts(other.parts_.size());
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    std::vector<Fact> facts = other.part(i);
    for (Fact& fact : facts) fact = {paths[fact.path], values[fact.value]};
    parts[i] = part_number(facts);
  }
  nodes_.reserve(nodes_.size() + other.nodes_.size());
  for (Node& node : other.nodes_) {
    node.shape = values[node.shape];
    for (std::uint32_t& part : node.parts) part = parts[part];
    for (Identity& one : node.identities) one.path = paths[one.path];
    for (Measure& one : node.measures) one.path = paths[one.path];
    nodes_.push_back(std::move(node));
  }
  std::ranges::move(other.unread_, std::back_inserter(unread_));
  merged_.push_back(std::move(other.values_));
}

void Fleet::finish() {
  std::ranges::sort(nodes_, [](const Node& left, const Node& right) {
    if (left.name != right.name) return name_less(left.name, right.name);
    return left.file < right.file;
  });
  std::ranges::sort(unread_, {}, &Unread::file);
  std::vector<Node> nodes;
  nodes.reserve(nodes_.size());
  std::size_t first = 0;  // of this name
  std::string refused;
  for (Node& node : nodes_) {
    if (nodes.empty() || nodes.back().name != node.name) first = nodes.size();
    // Each node is compared with all earlier ones of its name.
    if (nodes.size() - first >= kMostOfOneName) {
      if (refused != node.name)
        unread_.push_back({node.file, cat("more than ", kMostOfOneName, " documents are from ",
                                          node.name, ": this one and later ones are left out")});
      refused = node.name;
      continue;
    }
    bool is_taken = false;
    for (std::size_t i = first; i < nodes.size() && !is_taken; ++i) {
      if (node.kind == kTestKind || !has_kind(nodes[i], node.kind)) {
        join_documents(nodes[i], node);
        is_taken = true;
      } else if (!node.machine.empty() && nodes[i].machine == node.machine) {
        twice_.push_back({node.file, cat("is ", node.name, " again, already read from ",
                                         nodes[i].file, ": the same machine and boot")});
        is_taken = true;
      }
    }
    if (!is_taken) nodes.push_back(std::move(node));
  }
  nodes_ = std::move(nodes);
  align_names();
  // Nodes with the same name are distinguished by their files.
  for (std::size_t i = 0; i < nodes_.size();) {
    std::size_t end = i + 1;
    while (end < nodes_.size() && nodes_[end].name == nodes_[i].name) ++end;
    for (std::size_t k = i; end - i > 1 && k < end; ++k)
      nodes_[k].name += cat(" (", nodes_[k].file, ")");
    i = end;
  }
}

}  // namespace nettune::tools::compare
