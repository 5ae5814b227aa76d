// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "doctor/findings.hpp"

namespace nettune::cli {

/// What a run of doctor found, for printers.
struct Diagnosis {
  doctor::Machine machine;
  doctor::Judged judged;
  std::string demand;   ///< of --for; "" for none
  std::string profile;  ///< of --profile; "" for none
  std::int64_t took_ms = 0;
  bool is_root = false;
};

/// One violated rule, with all its devices. Findings that another finding explains are left out.
struct Group {
  const checks::Rule* rule = nullptr;
  std::vector<const doctor::Finding*> findings;
  std::vector<const doctor::Finding*> effects;  ///< what they explain, directly or indirectly
};

/// In the order in which they should be fixed.
std::vector<Group> groups_of(const doctor::Judged& judged);

/// The remedy for this release, with PROFILE and (of one device) DEVICE and INTERFACE replaced by
/// their names.
std::string remedy_of(const Diagnosis& diagnosis, const Group& group);

/// "mlx5_0/1: its state is DOWN"
std::string device_and_text(const doctor::Finding& finding);

}  // namespace nettune::cli
