// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/setting.hpp"

namespace nettune::intake {

/// What is known about the default of some addresses: an entry of catalog/defaults.toml.
struct Default {
  std::string address;              ///< "*" stands for a device
  std::vector<std::string> values;  ///< any of these is a default
  std::string made_from;            ///< instead: what the kernel computes the value from
  std::string link_layer;           ///< only for such interfaces; "" for all
  std::string source;

  bool has(std::string_view value) const;
};

class Defaults {
 public:
  /// Reads a catalogue. Mistakes are Errc::invalid with file and line.
  static Result<Defaults> parse(std::string_view text, const std::string& file);
  /// The catalogue that is part of the program.
  static const Defaults& shipped();

  /// The first entry for the address; null if its default is not known. `link_layer` is that of
  /// its interface, "" for none.
  const Default* find(const Address& address, std::string_view link_layer = {}) const;
  /// A file that a package of Debian ships: what it sets is the default.
  bool is_of_debian(std::string_view file) const;
  const std::vector<Default>& all() const { return all_; }

 private:
  std::vector<Default> all_;
  std::vector<std::string> debian_files_;
};

}  // namespace nettune::intake
