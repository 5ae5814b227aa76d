// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

namespace nettune::cli {

/// Names that differ in one word or number, in their order: "enp{156,26}s0np0",
/// "net.core.{rmem,wmem}_max". Nothing if they differ in more than one.
std::optional<std::string> braces(std::span<const std::string> names);
/// The same for each run of such names, with blanks between the runs: "eth{0,1} bond0.40 eth2".
std::string names_in_short(std::span<const std::string> names);

/// Whether braces() would put only numbers into its braces.
bool differ_in_a_number(std::span<const std::string> names);

}  // namespace nettune::cli
