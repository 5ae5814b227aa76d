// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "node/context.hpp"
#include "profile/merge.hpp"
#include "tools/measure/evidence.hpp"

namespace nettune::tools::measure::program {

/// A profile that extends another one by what a search changed.
struct TunedProfile {
  std::string name;
  std::string summary;
  Arm arm;  ///< the parent, and what changes
  /// The evidence of each changed name, as --vary has it: the comment above its value.
  std::map<std::string, std::string> why = {};
};

/// Its file. `parent` is the parent with what it inherits: rules of a variable, and that a variable
/// of jobs must be the same on all nodes, are its.
std::string text_of(const TunedProfile& tuned, const profile::Merged& parent);

/// What this node and its jobs get, without the files that are made of it, and their directories
/// (the profile's name is in them).
struct Given {
  std::map<std::string, std::string> settings;
  std::map<std::string, std::string> variables;

  bool operator==(const Given&) const = default;
};
/// Errc::invalid names a mistake, Errc::conflict why the profile does not match this node.
Result<Given> given_by(node::Context& context, const Arm& arm);
/// Whether the profile with this text gives just `measured`; else Errc::invalid says why not.
Result<> check_tuned(node::Context& context, const TunedProfile& tuned, const std::string& text,
                     const Given& measured);

}  // namespace nettune::tools::measure::program
