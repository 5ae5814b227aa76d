// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/state.hpp"
#include "facts/facts.hpp"
#include "node/devices.hpp"
#include "profile/named_texts.hpp"

namespace nettune::node {

/// What `desired` says of the names of devices in its texts. An error if that cannot be read.
Result<profile::NamedTexts> named_texts_of(State& state, const Desired& desired);

/// Puts the present names of the devices into the texts of a generation: variables, contents of
/// files, rules, required traffic. Nothing else of them changes: no profile is read, no device
/// enters or leaves a set. A device that is gone keeps its name. What cannot be done is one of
/// Desired::notes.
void put_in_present_names(State& state, const DeviceNames& devices, Desired& desired);

/// The addresses of settings with the name of `device` (an identity) in their texts, or that of an
/// RDMA device of this interface.
std::set<Address> settings_about(State& state, const Desired& desired, const std::string& device,
                                 const facts::Facts& facts);

/// True if a variable of this node has the GID index of its devices, as far as its name says.
bool has_gid_index(const Transaction& generation);

/// Variables that are wrong now and that only an apply corrects, as differing settings: those with
/// another GID index than their ports now have, and those of a generation by an older nettune,
/// which does not know where their names are, with the name that a device had before.
std::vector<PlanItem> left_behind(State& state, const Transaction& generation,
                                  const facts::Facts& facts);

}  // namespace nettune::node
