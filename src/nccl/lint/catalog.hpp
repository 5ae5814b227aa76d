// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "nccl/lint/version.hpp"

namespace nettune::nccl {

/// How the reader of a variable takes its text.
enum class Type {
  integer,     ///< strtoll of base 0; what follows the digits is ignored
  boolean,     ///< the same, where 0 and 1 are meant
  size,        ///< the same, in bytes
  whole,       ///< strtoull of base 0 of the whole text
  choice,      ///< one of `values`
  list,        ///< several of `values`
  level,       ///< a distance of the topology, or the old number for one
  interfaces,  ///< names of network interfaces: [^][=]name,...
  hcas,        ///< names of RDMA devices: [^][=]name[:port],...
  cidr,        ///< ADDRESS/PREFIX
  path,
  text,
  torch_boolean,  ///< y, yes, 1, t, true and their opposites; anything else ends the job
  torch_integer,  ///< std::stoi: decimal; no digits end the job
  decimal,        ///< all of it one decimal number, or one of `values`
};

/// Integers that are allowed from one release on, both ends in.
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
  std::vector<std::int64_t> also;  ///< integers outside of the range with a meaning of their own
  std::vector<Word> values;
  char separator = ',';
  bool exact_case = false;             ///< of `values`
  std::optional<Version> exact_until;  ///< the last release that compares `values` letter by letter
  bool functions = false;              ///< since 2.24.3: "function:values;..."
  std::string wrong;                   ///< what becomes of a text that is none of `values`
  std::string misread;                 ///< how bad that is, where it is no error: "warning"
  std::string beyond;                  ///< what becomes of a number out of range
  std::int64_t step = 1;               ///< a multiple of it
  bool power_of_two = false;
  std::optional<Version> strict;  ///< of a boolean: from then on 1/T/TRUE/0/F/FALSE and no other
  std::string link;               ///< the only link layer that it has an effect on
  std::optional<Version> link_since;
  std::string reader;   ///< who reads it; "" for NCCL itself
  std::string instead;  ///< the variable that took its place
  bool documented = false;
  std::string meaning;
  std::optional<Version> since;  ///< the first release that reads it
  std::optional<Version> until;  ///< the last one; nothing while the newest does
  std::vector<std::pair<std::optional<Version>, std::string>> defaults;
  std::string source;

  bool is_number() const {
    return type == Type::integer || type == Type::boolean || type == Type::size;
  }
  /// What NCCL of this version takes where it is unset; "" for not known.
  std::string default_at(const Version& version) const;
};

/// NAME, or NAME=VALUE, makes others pointless.
struct Conflict {
  std::string name;
  std::string value;                 ///< "" any, "nonzero", or a pattern
  std::vector<std::string> ignores;  ///< patterns of names, or NAME=VALUE
  std::string why;
};

/// A value that is legal and often misunderstood.
struct Advice {
  std::string name;
  std::string value;                ///< a pattern, in lower case
  std::vector<std::string> unless;  ///< patterns of values that it is not about
  std::optional<Version> since;
  std::optional<Version> until;
  std::string level;  ///< "error", "warning", "note"
  std::string text;
  std::string instead;
  std::string source;
};

/// Two numbers of which the product has a limit.
struct Product {
  std::string left;
  std::string right;
  std::int64_t most = 0;
  std::string why;
};

/// A name that is set and that nobody reads.
struct Invented {
  std::string name;
  std::string instead;
};

/// Names that are set beside NCCL's, and that another program, or the script itself, reads.
struct NamesOfOthers {
  std::vector<std::string> names;  ///< patterns
  std::string who;
};

/// Whether a release reads a variable.
enum class Presence { read, not_yet, gone, unknown };

struct Catalog {
  std::vector<Version> releases;              ///< whose source is public, oldest first
  std::vector<std::string> partial_prefixes;  ///< of names that are only in part in the catalogue
  std::vector<Variable> variables;            ///< by name
  std::vector<Conflict> conflicts;
  std::vector<Product> products;
  std::vector<Advice> advice;
  std::vector<Invented> invented;
  std::vector<NamesOfOthers> others;

  const Variable* find(std::string_view name) const;
  const Invented* find_invented(std::string_view name) const;
  const NamesOfOthers* find_others(std::string_view name) const;
  /// Between the last release that did not read it and the first that does nobody can know.
  Presence presence(const Variable& variable, const Version& version) const;
};

/// Reads catalog/nccl.toml. The error has file and line.
Result<Catalog> parse_catalog(std::string_view text, const std::string& file);

}  // namespace nettune::nccl
