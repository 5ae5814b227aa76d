// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/setting.hpp"
#include "intake/profile_text.hpp"
#include "node/context.hpp"

namespace nettune::intake {

struct CaptureRequest {
  std::string name;                  ///< of the profile
  bool all = false;                  ///< also defaults, and values without a known default
  std::set<std::string> kinds;       ///< none: all that captured_kinds() has
  std::vector<std::string> devices;  ///< names or globs; none: all
};

/// Why a captured value is commented out.
enum class Off {
  none,
  memory,     ///< the kernel computes it for this node
  this_node,  ///< it names devices of this node
  unwritable  ///< a profile cannot have it
};

/// A setting of the node that goes into the profile.
struct Captured {
  Address address;
  std::string value;
  std::string set_by;  ///< "/etc/sysctl.d/90-x.conf:3 (sysctl.d)"; "" for unknown
  std::string usual;   ///< its defaults, or what it is made from; "" for unknown
  bool is_usual = false;
  Off off = Off::none;
  std::string why_off;
};

struct Capture {
  ProfileText profile;
  std::vector<Captured> settings;
  std::size_t read = 0;            ///< settings that have a value
  std::vector<std::string> notes;  ///< what was left out, and why
};

/// The node as it is, as a profile (docs/capture-import.md). Only reads.
Result<Capture> capture(node::Context& context, const CaptureRequest& request);

}  // namespace nettune::intake
