// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "base/disk.hpp"
#include "base/result.hpp"
#include "core/provider.hpp"
#include "facts/facts.hpp"

namespace nettune::node {

/// The values of a recorded node, by address.
using RecordedValues = std::map<Address, Reading>;

/// Reads docs/schema/state.schema.json: {"schema": 1, "values": {ADDRESS: VALUE}}. VALUE is a text,
/// null for "not there", or {"presence": ..., "text": ..., "why": ...} for the other answers.
/// Errors are Errc::invalid and name the entry.
Result<RecordedValues> parse_recorded_values(const std::string& json);

/// The values in a facts document; none if it has none.
Result<RecordedValues> values_in_facts(const std::string& json);

/// Providers that answer from `values` and never read or write this machine. Answers that need no
/// system (canonical texts, units, order, lifetimes) come from the provider, and the stacking of
/// links from `facts`.
Providers recorded_providers(Disk& disk, const facts::Facts& facts, RecordedValues values);

/// The providers of this machine for a process without root: they read what it may read, say what a
/// write by root would mean, and write nothing.
Providers as_root_providers(Providers live);

}  // namespace nettune::node
