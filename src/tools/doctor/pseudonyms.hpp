// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nettune::tools::doctor {

/// Replaces what identifies a machine by pseudonyms: the given host names, IP and MAC addresses,
/// GUIDs, GIDs, UUIDs and serial numbers. A name has the same pseudonym everywhere, and addresses
/// of one network stay in one network, so a recording is judged like the machine. Loopback,
/// link-local and private prefixes are kept.
class Pseudonyms {
 public:
  /// Anybody who has the key can test guesses.
  explicit Pseudonyms(std::string key) : key_(std::move(key)) {}

  /// "gpu17" or "gpu17.cluster.example": each label is a name, and so is the part after the first
  /// dot.
  void add_host(const std::string& name);
  /// The names of hosts(5), without those that every machine has.
  void add_hosts_of(std::string_view etc_hosts);

  std::string hide(std::string_view text) const;
  /// Reduces some files to what is judged: other settings in slurm.conf, daemon.json and
  /// /etc/environment, and connections, are left out.
  std::string leave_out(std::string_view path, std::string_view text) const;
  /// Erases the serial number in the configuration space of a PCI function.
  static std::string hide_config(std::string bytes);

 private:
  std::string digest(std::string_view kind, std::string_view text, std::size_t size) const;
  std::string hide_token(std::string_view token) const;
  std::string hide_address(const std::string& token) const;
  void hide_bits(unsigned char* bytes, std::size_t first_bit, std::size_t bits) const;
  std::string hide_hosts(std::string text) const;

  std::string key_;
  std::map<std::string, std::string, std::greater<>>
      hosts_;  ///< the longer of names that begin alike comes first
};

}  // namespace nettune::tools::doctor
