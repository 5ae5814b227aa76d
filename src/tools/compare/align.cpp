// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "tools/compare/findings.hpp"
#include "tools/compare/names.hpp"

namespace nettune::tools::compare {

namespace {

/// Replaces whole names in a text such as "0000:53:00.0 mlx5_3".
std::string with_names(std::string_view text, const std::map<std::string, std::string>& names) {
  std::string out;
  for_names(text, [&](std::string_view piece, bool is_name) {
    const auto found = is_name ? names.find(std::string(piece)) : names.end();
    out += found == names.end() ? piece : std::string_view(found->second);
  });
  return out;
}

}  // namespace

/// Finds the usual name of each device of a shape, and rewrites the nodes that use another.
class Aligner {
 public:
  explicit Aligner(Fleet& fleet) : fleet_(fleet) {
    for (std::uint32_t part = 0; part < fleet.part_count(); ++part) {
      named_.push_back({});
      for (const Fact& fact : fleet.part(part))
        if (const ListRule* const list = fleet.schema(fact.path).device_of)
          named_.back() = {{list, fact.value}, fleet.parent(fact.path)};
    }
  }

  void run() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_shape;
    for (std::uint32_t i = 0; i < fleet_.nodes_.size(); ++i)
      by_shape[fleet_.nodes_[i].shape].push_back(i);
    for (const auto& [shape, nodes] : by_shape)
      if (nodes.size() >= kFewestForMajority) align(nodes);
  }

 private:
  using Device = std::pair<const ListRule*, std::uint32_t>;  // and the value that says which
  struct Named {
    Device device;
    std::uint32_t element = 0;  ///< its path, with its name; 0: the part is no device
  };

  void align(const std::vector<std::uint32_t>& nodes) {
    std::vector<std::size_t> in_part(named_.size());
    for (const std::uint32_t node : nodes)
      for (const std::uint32_t part : fleet_.nodes_[node].parts) ++in_part[part];
    std::map<Device, std::map<std::uint32_t, std::size_t>> counts;
    for (std::uint32_t part = 0; part < in_part.size(); ++part)
      if (in_part[part] > 0 && named_[part].element != 0)
        counts[named_[part].device][named_[part].element] += in_part[part];
    usual_.clear();
    for (const auto& [device, elements] : counts) {
      if (elements.size() < 2) continue;
      std::size_t all = 0;
      for (const auto& [element, count] : elements) all += count;
      for (const auto& [element, count] : elements)
        if (is_majority(count, all)) usual_[device] = element;
    }
    if (usual_.empty()) return;
    for (const std::uint32_t node : nodes) align_node(fleet_.nodes_[node]);
  }

  void align_node(Node& node) {
    std::map<std::uint32_t, std::uint32_t> to;  // elements of this node to the usual ones
    std::vector<std::uint32_t> own;
    for (const std::uint32_t part : node.parts) {
      if (named_[part].element == 0) continue;
      own.push_back(named_[part].element);
      const auto usual = usual_.find(named_[part].device);
      if (usual != usual_.end() && usual->second != named_[part].element)
        to[named_[part].element] = usual->second;
    }
    // A name that another device of this node has, and keeps, is not given a second time.
    for (bool is_changed = true; is_changed;) {
      is_changed = std::erase_if(to, [&](const auto& one) {
                     const bool is_kept = std::ranges::find(own, one.second) != own.end() &&
                                          !to.contains(one.second);
                     return is_kept || std::ranges::count_if(to, [&](const auto& other) {
                                         return other.second == one.second;
                                       }) > 1;
                   }) > 0;
    }
    if (to.empty()) return;
    names_.clear();
    paths_.clear();
    for (const auto& [from, usual] : to) names_[bare(from)] = bare(usual);
    for (std::uint32_t& part : node.parts) part = aligned(fleet_.part(part));
    for (Identity& one : node.identities) one.path = aligned(one.path);
    for (Measure& one : node.measures) one.path = aligned(one.path);
  }

  std::string bare(std::uint32_t element) const {
    const std::string_view step = fleet_.step(element);
    return std::string(step.substr(1, step.size() - 2));
  }

  std::uint32_t aligned(std::vector<Fact> facts) {
    for (Fact& fact : facts) {
      const bool is_name = fleet_.schema(fact.path).name_of != nullptr;
      fact.path = aligned(fact.path);
      if (const auto found = names_.find(std::string(fleet_.value(fact.value)));
          found != names_.end() && !is_name)
        fact.value = fleet_.value_number(found->second);
    }
    return fleet_.part_number(facts);
  }

  std::uint32_t aligned(std::uint32_t path) {
    if (path == 0) return 0;
    if (const auto known = paths_.find(path); known != paths_.end()) return known->second;
    const std::uint32_t above = aligned(fleet_.parent(path));
    const std::string step(fleet_.step(path));
    return paths_[path] =
               fleet_.child(above, step.starts_with('[') ? with_names(step, names_) : step);
  }

  Fleet& fleet_;
  std::vector<Named> named_;  ///< by part
  std::map<Device, std::uint32_t> usual_;
  std::map<std::string, std::string> names_;
  std::map<std::uint32_t, std::uint32_t> paths_;
};

void Fleet::align_names() { Aligner(*this).run(); }

}  // namespace nettune::tools::compare
