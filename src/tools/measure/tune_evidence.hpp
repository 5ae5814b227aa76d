// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/measure/evidence.hpp"
#include "tools/measure/halving.hpp"

namespace nettune::tools::measure {

/// What --vary says: the name as typed ("rate_gbps", "env.NCCL_ALGO") and its values.
struct Variation {
  std::string name;
  std::vector<std::string> values;
};

struct TuneCandidate {
  Arm arm;
  std::string failed;  ///< why it is out although it was not worse; "" for one that is not
  Runs runs = {};      ///< of the search
};

/// A search with all that its result rests on: the file of --evidence.
struct TuneEvidence {
  /// Today's settings as A. B, noise and blocks are those of the comparison after the search.
  Evidence proof;
  std::vector<Variation> vary;
  std::vector<TuneCandidate> candidates;
  std::optional<Halving> search;      ///< begun
  std::optional<std::size_t> winner;  ///< of the search: what `proof` compares
  std::vector<std::string> notes;     ///< of the search: what a reader of its choice has to know
  std::string ended;                  ///< why it ended before its plan did; "" where it did not
  std::string written;                ///< the profile

  /// Better, by the comparison.
  bool proven() const;
};

/// With the verdict in it, for readers.
std::string to_json(const TuneEvidence& evidence);

}  // namespace nettune::tools::measure
