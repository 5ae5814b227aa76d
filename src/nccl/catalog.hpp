// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "nccl/version.hpp"

namespace nettune::nccl {

/// How the reader of a variable parses its text.
enum class Type {
  integer,     ///< strtoll of base 0; text after the digits is ignored
  boolean,     ///< the same, for 0 and 1
  size,        ///< the same, in bytes
  whole,       ///< strtoull of base 0 of the whole text
  choice,      ///< one of `values`
  list,        ///< several of `values`
  level,       ///< a distance of the topology, or the old number for one
  interfaces,  ///< names of network interfaces: [^][=]name,...
  hcas,        ///< names of RDMA devices: [^][=]name[:port],...
  devices,     ///< names of the devices of the network that is used, in the same form
  address,     ///< HOST:PORT or [IPV6]:PORT
  cidr,        ///< ADDRESS/PREFIX
  path,
  text,
  torch_boolean,  ///< y, yes, 1, t, true and their opposites; anything else ends the job
  torch_integer,  ///< std::stoi: decimal; no digits end the job
  decimal,        ///< all of it one decimal number, or one of `values`
};

/// The integers that are allowed from one release on, including both ends.
struct Range {
  Version since;
  std::int64_t least = INT64_MIN;
  std::int64_t most = INT64_MAX;
};

/// A word that is allowed, in the releases that know it.
struct Word {
  std::string text;
  Version since;
  std::optional<Version> until;
};

struct Variable {
  std::string name;
  Type type = Type::text;
  std::vector<Range> ranges;
  std::vector<std::int64_t> also;  ///< integers outside of the range with a special meaning
  std::vector<Word> values;
  char separator = ',';
  bool exact_case = false;             ///< of `values`
  std::optional<Version> exact_until;  ///< the last release that compares `values` exactly
  bool functions = false;              ///< since 2.24.3: "function:values;..."
  std::string wrong;                   ///< the effect of a text that is not in `values`
  std::vector<std::string> as_meant;   ///< not in `values`, but with the effect that they ask for
  std::string misread;                 ///< the level of that, if it is not an error: "warning"
  std::string beyond;                  ///< the effect of a number out of range
  std::int64_t step = 1;               ///< values must be a multiple of it
  bool power_of_two = false;
  std::optional<Version> strict;  ///< of a boolean: from then on only 1/T/TRUE/0/F/FALSE
  std::string link;               ///< the only link layer on which it has an effect
  std::optional<Version> link_since;
  std::string reader;   ///< its reader; "" for NCCL itself
  std::string instead;  ///< the variable that replaces it
  bool documented = false;
  std::string meaning;
  std::optional<Version> since;  ///< the first release that reads it
  std::optional<Version> until;  ///< the last one; nothing if the newest still does
  std::vector<std::pair<std::optional<Version>, std::string>> defaults;
  std::string source;

  bool is_number() const {
    return type == Type::integer || type == Type::boolean || type == Type::size;
  }
  /// What this version of NCCL uses if it is unset; "" if not known.
  std::string default_at(const Version& version) const;
};

/// NAME, or NAME=VALUE, disables others.
struct Conflict {
  std::string name;
  std::string value;                 ///< "" any, "nonzero", or a pattern
  std::vector<std::string> ignores;  ///< patterns of names, or NAME=VALUE
  std::vector<std::string> unless;   ///< of `ignores`, what agrees with it
  std::string why;
};

/// A value that is valid, but often misunderstood.
struct Advice {
  std::string name;
  std::string value;                ///< a pattern, in lower case
  std::vector<std::string> unless;  ///< patterns of values without this advice
  std::optional<Version> since;
  std::optional<Version> until;
  std::string level;  ///< "error", "warning", "note"
  std::string text;
  std::string instead;
  std::string source;
};

/// Two numbers whose product has a limit.
struct Product {
  std::string left;
  std::string right;
  std::int64_t most = 0;
  std::string why;
};

/// A name that people set, but nothing reads.
struct Invented {
  std::string name;
  std::string instead;
};

/// Names that look like NCCL's, but that another program, or the script itself, reads.
struct NamesOfOthers {
  std::vector<std::string> names;  ///< patterns
  std::string who;
};

/// Whether a release reads a variable.
enum class Presence { read, not_yet, gone, unknown };

struct Catalog {
  std::vector<Version> releases;              ///< with public source, oldest first
  std::vector<std::string> partial_prefixes;  ///< of names that the catalogue has only in part
  std::vector<Variable> variables;            ///< by name
  std::vector<Conflict> conflicts;
  std::vector<Product> products;
  std::vector<Advice> advice;
  std::vector<Invented> invented;
  std::vector<NamesOfOthers> others;

  const Variable* find(std::string_view name) const;
  const Invented* find_invented(std::string_view name) const;
  const NamesOfOthers* find_others(std::string_view name) const;
  /// Unknown between the last release that does not read it and the first one that does.
  Presence presence(const Variable& variable, const Version& version) const;
};

/// Reads catalog/nccl.toml. The error has file and line.
Result<Catalog> parse_catalog(std::string_view text, const std::string& file);

}  // namespace nettune::nccl
