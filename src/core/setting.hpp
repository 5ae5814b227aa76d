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

namespace nettune {

/// Of an address: up to the first ':', and behind it, element included.
std::string_view kind_of(std::string_view address);
std::string_view rest_of(std::string_view address);

/// The name of one thing that nettune can read and write:
///
///     KIND:OBJECT[:KEY][#ELEMENT]      sysctl:net.core.rmem_max     link:eth0:mtu
///
/// KIND selects the provider. An ELEMENT is one member of a set that others write into too, so that
/// undo never takes away what somebody else added. An OBJECT that is a path has no key and no
/// element.
struct Address {
  std::string text;

  std::string_view kind() const { return kind_of(text); }
  std::string_view object() const;  ///< "eth0" of link:eth0:mtu
  std::string_view key() const;     ///< "mtu" of it; "" for none
  std::string_view element() const;
  std::string_view rest() const { return rest_of(text); }  ///< all behind the kind
  std::string_view body() const;                           ///< rest() without the element
  auto operator<=>(const Address&) const = default;
};

/// A canonical text, or nothing: the thing is not there (a file, a line, an element, a module).
using Value = std::optional<std::string>;

/// How the present value must relate to the wanted one. A satisfied relation is never written.
/// For at_least and at_most both texts are integers, or lists of them compared member by member.
enum class Relation { exact, at_least, at_most };

std::string_view relation_text(Relation relation);  ///< "", ">= ", "<= "

/// True when `now` satisfies `relation` to `want`. Texts that are no integers satisfy a bound only
/// by being equal.
bool satisfies(Relation relation, const Value& want, const Value& now);
/// What to write so that `want` holds: itself, or for a list bound the larger (smaller) of each
/// member.
Value value_to_write(Relation relation, const Value& want, const Value& now);

/// One thing that a profile wants to hold on this node, resolved: no variables, no sets.
struct Setting {
  Address address;
  Relation relation = Relation::exact;
  Value want;
  bool optional = false;           ///< what cannot be done is reported, and the rest stands
  bool nearest = false;            ///< the kernel may round; what it made of it is accepted
  bool same_on_all_nodes = false;  ///< must be equal on every node of a job
  Origin origin;
  /// Identity of the device that the address names ("pci 0000:3b:00.0 port 0"), "" for none: names
  /// are changed by udev, cards are not.
  std::string device;
};

/// A profile source that went into a resolved result; `digest` is its sha256.
struct Source {
  std::string path;
  std::string digest;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
};

/// An environment variable that jobs are to have.
struct JobVariable {
  std::string name;
  std::string value;
  bool of_this_node = false;       ///< a device set went in: other nodes have another value
  bool same_on_all_nodes = false;  ///< must be equal on every node of a job
  Origin origin;
};

/// Traffic that has to get in, whichever firewall stands in its way and whoever opens it.
struct Admission {
  std::string name;     ///< "fabric-tcp4"
  std::string opening;  ///< formats::Opening as text
  Origin origin;
};

/// A device that a profile chose for one of its sets.
struct Member {
  std::string set;
  std::string name;    ///< as it was called then
  std::string device;  ///< identity, as Setting::device
};

/// Everything that must hold, as resolve delivers it to the engine.
struct Desired {
  std::string profile;
  std::map<std::string, std::string> vars;  ///< what --set said
  std::vector<Setting> settings;            ///< one per address
  /// Of a generation: what hangs on devices that are not here now. It stays remembered, so that it
  /// holds again when they come back.
  std::vector<Setting> absent;
  std::map<std::string, std::string> contents;  ///< file contents by sha256 (hex)
  std::vector<Source> sources;
  std::vector<Member> members;
  std::vector<JobVariable> variables;  ///< wherever they go; by name
  std::vector<Admission> admissions;   ///< what [firewall] lets in
  std::vector<std::string> notes;      ///< what resolve left out, and why
};

}  // namespace nettune
