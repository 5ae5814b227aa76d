// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/doctor/verdict.hpp"

namespace nettune::tools::doctor::program {

/// What a run of doctor found, for printers.
struct Diagnosis {
  doctor::Machine machine;
  Judged judged;
  Decision decision;    ///< of `judged`
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
std::vector<Group> groups_of(const Judged& judged);

/// The remedy for this release and for the value that was seen, with PROFILE, DEVICE, INTERFACE and
/// ADDRESS (the PCI address) replaced by their names, which are quoted where a shell needs it.
std::string remedy_of(const Diagnosis& diagnosis, const doctor::Finding& finding);

/// One remedy of a group, and the devices that need it.
struct Action {
  std::string who;   ///< "mlx5_0/1", "mlx5_0/1 and 2 others"; "" for the whole node
  std::string text;  ///< the remedy for the first of them
};

/// In the order of the findings. Findings of one rule have one action, unless their values differ.
std::vector<Action> actions_of(const Diagnosis& diagnosis, const Group& group);

/// "mlx5_0/1: replace the cable": the first thing to do about a group.
std::string first_action(const Diagnosis& diagnosis, const Group& group);

/// "mlx5_0/1: its state is DOWN"
std::string device_and_text(const doctor::Finding& finding);

}  // namespace nettune::tools::doctor::program
