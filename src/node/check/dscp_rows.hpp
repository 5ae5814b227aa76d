// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace nettune::node::check {

/// A setting with its values: one line for people.
struct SettingRow {
  std::string setting;  ///< an address, or several: "dcb:ens1:app#dscp-0..63 (64 entries)"
  std::string now;      ///< ranges where entries differ: "0..7: 0, 8..15: 1"
  std::string wanted;
  std::vector<std::string> cells;    ///< other cells of the row
  std::vector<std::string> details;  ///< lines below the row
};

/// Joins adjacent rows of one interface's DSCP map: a card has 64, and people look for what they
/// have in common. No value is lost. Rows with different cells or details stay apart.
std::vector<SettingRow> fold_dscps(const std::vector<SettingRow>& rows);

/// The value of a folded map, if it has all DSCPs, with what differs from the usual: "26: 4, others
/// by their upper three bits". Any other text as it is.
std::string short_dscp_map(const std::string& text);

}  // namespace nettune::node::check
