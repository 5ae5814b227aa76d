// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tools/compare/document.hpp"
#include "tools/compare/interner.hpp"
#include "tools/compare/rules.hpp"

namespace nettune::tools::compare {

/// A path and its value. Both are numbers from an Interner.
struct Fact {
  std::uint32_t path = 0;
  std::uint32_t value = 0;
};
/// A value that must be unique to a node.
struct Identity {
  std::uint32_t path = 0;
  std::string_view value;
};
struct Measure {
  std::uint32_t path = 0;
  double value = 0;
};

struct Node {
  std::string name;
  std::string file;
  std::string kind;     ///< of the document; several are joined by a space
  std::string machine;  ///< machine id and boot id; "" if one is unknown
  std::uint32_t shape = 0;
  /// What must be equal, in parts. A part is an element of a list of the document, or another
  /// member. Equal parts have equal numbers, so many similar nodes need little memory.
  std::vector<std::uint32_t> parts;
  std::vector<Identity> identities;
  std::vector<Measure> measures;
};

/// Whether one of its documents is of this kind.
bool has_kind(const Node& node, std::string_view kind);

struct Unread {
  std::string file;
  std::string why;
  std::string node = {};  ///< whose document it is, as far as that shows; "" if it does not
};

/// The rules for a path without the names of its elements.
struct Schema {
  std::string text;  ///< "net[].mtu"
  const PathRule* rule = nullptr;
  const ListRule* list = nullptr;
  bool ignored = false;
  int shape = -1;  ///< its place in Rules::shape
  /// The list whose elements say here which device they are, or which name they have.
  const ListRule* device_of = nullptr;
  const ListRule* name_of = nullptr;
};

/// The nodes, and what was read about them.
class Fleet {
 public:
  explicit Fleet(const Rules& rules);

  const Rules& rules() const { return *rules_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Unread>& unread() const { return unread_; }
  /// Files about a node that another file also describes: the same machine and boot.
  const std::vector<Unread>& twice() const { return twice_; }

  std::string path_text(std::uint32_t path) const;
  const Schema& schema(std::uint32_t path) const { return *schemas_[path]; }
  std::uint32_t parent(std::uint32_t path) const { return paths_.below(path); }
  bool is_element(std::uint32_t path) const { return paths_.text(path).starts_with('['); }
  std::size_t path_count() const { return paths_.size(); }
  std::string_view value(std::uint32_t number) const { return values_.text(number); }
  std::size_t part_count() const { return parts_.size(); }
  std::vector<Fact> part(std::uint32_t number) const;

  /// The path one step down: "mtu", or an element, "[mlx5_0]".
  std::uint32_t child(std::uint32_t path, std::string_view step);
  /// The same if it is known; 0 if it is not.
  std::uint32_t find_child(std::uint32_t path, std::string_view step) const {
    return paths_.find(step, path);
  }
  std::string_view step(std::uint32_t path) const { return paths_.text(path); }
  void add(Node node) { nodes_.push_back(std::move(node)); }
  void add_unread(std::string file, std::string why, std::string node = {}) {
    unread_.push_back({std::move(file), std::move(why), std::move(node)});
  }
  /// The number of a value; `path` is where it was read.
  std::uint32_t value_number(std::string_view text, std::uint32_t path = 0);
  std::string_view keep(std::string_view text) { return values_.keep(text); }
  std::uint32_t part_number(const std::vector<Fact>& facts);
  /// Forgets the nodes that are marked. Before finish().
  void leave_out(const std::vector<bool>& marked);
  /// Adds what another thread read.
  void merge(Fleet&& other);
  /// Sorts the nodes, joins documents of one node, finds what was gathered twice, and aligns names.
  void finish();

 private:
  friend class Aligner;
  /// Devices that have another name on a few nodes of a shape get the usual one in all paths and
  /// values of these nodes (align.cpp). Their own name remains the value of their name's path.
  void align_names();
  const Schema* schema_of(const std::string& text);

  const Rules* rules_;
  Interner paths_;
  Interner values_;
  Interner parts_;
  std::vector<const Schema*> schemas_;  ///< by path
  // Documents are alike, so the last one says what comes next in this one.
  std::vector<std::uint32_t> last_child_;  ///< by path: its child that was asked for last
  std::vector<std::uint32_t> after_;       ///< by path: the child of its parent that came after it
  std::vector<std::uint32_t> last_value_;  ///< by path
  std::unordered_map<std::string, Schema> by_text_;
  std::vector<Node> nodes_;
  std::vector<Unread> unread_;
  std::vector<Unread> twice_;
  std::vector<Interner> merged_;  ///< identities point into these
};

/// The value of something that exists: an element of a list, a list, a name in a list of names.
inline constexpr std::string_view kPresent = "present";

/// A result of `nettune test`: a node has one for each path and direction.
inline constexpr std::string_view kTestKind = "test";

/// Reads documents into a Fleet; each thread has its own.
class Gatherer : public Recorder {
 public:
  explicit Gatherer(const Rules& rules) : fleet_(rules) {}

  /// The file that the next documents come from.
  virtual void begin_file(std::string file) {
    reset();
    file_ = std::move(file);
  }
  const std::string& file() const { return file_; }
  /// The document that is being read cannot be read on: its node is counted, and named as far as
  /// the document got.
  void give_up(std::string why);
  /// The same of what is no document: it is not counted.
  void pass_over() { reset(); }
  /// How many documents there were, read or not.
  std::size_t documents() const { return documents_; }
  void take(const Document& document) override;
  Fleet& fleet() { return fleet_; }

 protected:
  /// Counts a document that take() did not get.
  void count_document() { ++documents_; }

 private:
  void walk(std::uint32_t index, std::uint32_t path, std::uint32_t object, bool is_top);
  void walk_object(std::uint32_t index, std::uint32_t path);
  void walk_array(std::uint32_t index, std::uint32_t path, std::uint32_t object, bool is_top);
  void walk_element(std::uint32_t index, std::uint32_t path, std::uint32_t object,
                    std::size_t position);
  void add_scalar(std::uint32_t path, std::string_view text, std::uint32_t object);
  void add_fact(std::uint32_t path, std::string_view value) {
    facts_.push_back({path, fleet_.value_number(value, path)});
  }
  void end_part();
  bool meets(std::uint32_t object, const std::vector<Condition>& conditions) const;
  std::string element_key(std::uint32_t index, const ListRule* rule, std::size_t position) const;

  Fleet fleet_;
  std::string file_;
  std::size_t documents_ = 0;
  const Document* document_ = nullptr;
  Node node_;
  std::vector<Fact> facts_;
  std::vector<std::pair<int, std::string_view>> shape_;
};

/// The object with the facts: the root, or the one inside Ansible's wrapper.
std::uint32_t unwrapped(const Document& document);
/// Whose document it is: `node.hostname`, `node` or `hostname`, else the name of the file up to the
/// first dot.
std::string node_name(const Document& document, std::uint32_t root, const std::string& file);

/// Derived facts (derived.cpp). The index of the GID that NCCL uses by default for a RoCE port
/// (2.21 and later: RoCE v2, IPv4); "" if there is none, or for another port.
std::string roce_gid_index(const Document& document, std::uint32_t port);
/// NCCL's identity of a host: host name and boot id; "" if one is unknown.
std::string nccl_host_id(const Document& document, std::uint32_t root);

}  // namespace nettune::tools::compare
