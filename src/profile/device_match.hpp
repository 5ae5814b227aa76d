// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "toml/value.hpp"

/// What choosing interfaces and choosing RDMA ports have in common.
namespace nettune::profile {

/// The schema knows the keys of sets of both kinds; which kind has which is known only here.
Result<> check_keys_of_set(const std::string& name, const Node& definition);

/// The strings of a node that is a string or a list of them.
std::vector<std::string> texts(const Node& node);

/// Why the text property `key` does not match; nothing when it does. Names and PCI addresses are
/// globs.
std::optional<std::string> text_mismatch(const std::string& key, const Node& wanted,
                                         const std::string& actual);

/// Names go into addresses, keys and files; the kernel allows more than those can carry.
bool is_plain_name(const std::string& name);

/// A device that is not in the set, and what it lacks.
struct Rejected {
  std::string name;
  std::string why;
};
/// For a misfit: what is there, and what it lacks.
std::string near_misses(const std::vector<Rejected>& rejected);

/// Why `require` of the set does not hold for `count` members, "" where it does or is not there.
Result<std::string> unmet_require(const std::string& set, const Node& definition, std::size_t count,
                                  const std::vector<Rejected>& rejected);

}  // namespace nettune::profile
