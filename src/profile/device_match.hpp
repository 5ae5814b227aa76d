// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "toml/value.hpp"

/// The common part of choosing interfaces and choosing RDMA ports.
namespace nettune::profile {

/// Checks that the keys belong to the set's kind: the schema has the keys of both kinds.
Result<> check_keys_of_set(const std::string& name, const toml::Node& definition);

/// The strings of a node that is a string or a list of them.
std::vector<std::string> texts(const toml::Node& node);

/// Why the text property `key` does not match; nothing if it does. Names and PCI addresses are
/// globs.
std::optional<std::string> text_mismatch(const std::string& key, const toml::Node& wanted,
                                         const std::string& actual);

/// Names go into addresses, keys and files; the kernel allows more than those can contain.
bool is_plain_name(const std::string& name);

/// A device that is not in the set, and the reason.
struct Rejected {
  std::string name;
  std::string why;
};
/// The text for a misfit: the devices that are there, and why they do not match.
std::string near_misses(const std::vector<Rejected>& rejected);

/// What the set's match asks for: "driver = [ice, mlx5_core], rdma = true".
std::string wanted_text(const toml::Node& definition);

/// Why the set's `require` fails for these members; "" if it holds or is not set. Too many are
/// listed; for too few, what was wanted and what is there.
Result<std::string> unmet_require(const std::string& set, const toml::Node& definition,
                                  const std::vector<std::string>& members,
                                  const std::vector<Rejected>& rejected);

}  // namespace nettune::profile
