// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace nettune::cli {

/// A setting with its values, as a line for people shows it.
struct SettingRow {
  std::string setting;  ///< an address, or several: "dcb:ens1:app#dscp-0..63 (64 entries)"
  std::string now;      ///< where entries differ, by ranges: "0..7: 0, 8..15: 1"
  std::string wanted;
  std::vector<std::string> cells;    ///< what else the line says
  std::vector<std::string> details;  ///< what the lines below it say
};

/// The same rows, with neighbours that are entries of one interface's map from DSCP to priority as
/// one: a card has 64 of them, and a person looks for what they have in common. No value is lost.
/// Rows that differ in cells or details are not one.
std::vector<SettingRow> fold_dscps(const std::vector<SettingRow>& rows);

}  // namespace nettune::cli
