// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "profile/section.hpp"

/// Sections that state an intent and yield settings of several kinds.
namespace nettune::intents {

extern const profile::Section kLossless;
/// Yields boot:pci#disable_acs_redir, for the ports between GPUs and RDMA cards of this node.
extern const profile::Section kAcs;
extern const profile::Section kTcp;
extern const profile::Section kLimits;
/// The files that apply the settings at the next boot; they have no table in a profile.
extern const profile::Section kBootFiles;

}  // namespace nettune::intents
