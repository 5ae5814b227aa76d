// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/origin.hpp"
#include "base/result.hpp"

namespace nettune::inline core {

/// The parts of an address before and after the first ':'; the rest includes the element.
std::string_view kind_of(std::string_view address);
std::string_view rest_of(std::string_view address);

/// The name of one thing that nettune can read and write:
///
///     KIND:OBJECT[:KEY][#ELEMENT]      sysctl:net.core.rmem_max     link:eth0:mtu
///
/// KIND selects the provider. An ELEMENT is one member of a set that others also write, so that
/// undo never removes what somebody else added. An OBJECT that is a path has no key and no element.
struct Address {
  std::string text;

  std::string_view kind() const { return kind_of(text); }
  std::string_view object() const;  ///< "eth0" of link:eth0:mtu
  std::string_view key() const;     ///< "mtu" of it; "" for none
  std::string_view element() const;
  std::string_view rest() const { return rest_of(text); }  ///< everything after the kind
  std::string_view body() const;                           ///< rest() without the element
  auto operator<=>(const Address&) const = default;
};

/// A canonical text; nothing if the thing does not exist (a file, a line, an element, a module).
using Value = std::optional<std::string>;

/// How the present value must relate to the wanted one. A satisfied relation is never written. For
/// at_least and at_most both texts are integers, or lists of integers compared member by member.
enum class Relation { exact, at_least, at_most };

std::string_view relation_text(Relation relation);  ///< "", ">= ", "<= "

/// True if `now` satisfies `relation` to `want`. A text that is not an integer satisfies a bound
/// only if it is equal.
bool satisfies(Relation relation, const Value& want, const Value& now);
/// The value to write so that `want` holds: `want` itself, or for a list bound the larger (smaller)
/// of each member.
Value value_to_write(Relation relation, const Value& want, const Value& now);

/// One setting of a profile, resolved for this node: no variables, no device sets.
struct Setting {
  Address address;
  Relation relation = Relation::exact;
  Value want;
  bool optional = false;           ///< a failure is reported, and the rest stands
  bool nearest = false;            ///< the kernel may round; its value is accepted
  bool same_on_all_nodes = false;  ///< must be equal on every node of a job
  Origin origin;
  /// The identity of the address's device ("pci 0000:3b:00.0 port 0"), "" for none: udev changes
  /// names, not cards.
  std::string device;
};

/// A profile source of a resolved result; `digest` is its sha256.
struct Source {
  std::string path;
  std::string digest;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
};

/// An environment variable for jobs.
struct JobVariable {
  std::string name;
  std::string value;
  bool of_this_node = false;       ///< depends on a device set: other nodes have another value
  bool same_on_all_nodes = false;  ///< must be equal on every node of a job
  Origin origin;
};

/// Required traffic, whichever firewall filters it and whoever allows it.
struct Admission {
  std::string name;     ///< "fabric-tcp4"
  std::string opening;  ///< an allow rule as text: firewall/rules/opening.hpp
  Origin origin;
};

/// A device in one of a profile's device sets.
struct Member {
  std::string set;
  std::string name;    ///< its name at that time
  std::string device;  ///< identity, as Setting::device
};

/// The desired state, as resolve passes it to the engine.
struct Desired {
  std::string profile;
  std::map<std::string, std::string> vars;  ///< from --set
  std::vector<Setting> settings;            ///< one per address
  /// For a generation: the settings of absent devices. They stay recorded, so that they hold again
  /// when the devices return.
  std::vector<Setting> absent;
  std::map<std::string, std::string> contents;  ///< file contents by sha256 (hex)
  /// The sha256 of a content with all texts that have names of devices in them, and where; "" for
  /// none. core only keeps it (profile/named_texts.hpp).
  std::string names = {};
  std::vector<Source> sources;
  std::vector<Member> members;
  std::vector<JobVariable> variables;  ///< sorted by name
  std::vector<Admission> admissions;   ///< traffic that [firewall] must allow
  std::vector<std::string> notes;      ///< what resolve left out, and why
  std::vector<std::string> skipped;    ///< of the notes those on what this node does not have
};

}  // namespace nettune::inline core
