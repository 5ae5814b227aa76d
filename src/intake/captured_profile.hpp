// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "facts/facts.hpp"
#include "intake/capture.hpp"

namespace nettune::intake {

/// What the profile says about its making.
struct CapturedFrom {
  std::string name;  ///< of the profile
  bool all = false;  ///< also defaults
  bool recorded = false;
  /// For values that no line explains: lines with another value.
  std::map<Address, std::string> others;
};

/// Makes Capture::profile of the settings: devices become sets, and each value gets a comment. A
/// setting that a profile cannot have is marked.
void write_captured(Capture& capture, const facts::Facts& facts, const CapturedFrom& from);

}  // namespace nettune::intake
