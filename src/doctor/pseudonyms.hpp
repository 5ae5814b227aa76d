// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nettune::doctor {

/// Puts pseudonyms in the place of what names a machine: host names that are given, IP and MAC
/// addresses, GUIDs, GIDs, UUIDs and serial numbers. The same name has the same pseudonym
/// everywhere, and addresses of one network stay in one network, so a recording is judged as the
/// machine was. Loopback, link-local and private prefixes stay what they are.
class Pseudonyms {
 public:
  /// Who has the key can test guesses.
  explicit Pseudonyms(std::string key) : key_(std::move(key)) {}

  /// "gpu17" or "gpu17.cluster.example": each label is a name, and what is behind the first dot.
  void add_host(const std::string& name);
  /// Names of hosts(5), but for those that every machine has.
  void add_hosts_of(std::string_view etc_hosts);

  std::string hide(std::string_view text) const;
  /// Of files with more in them than is judged: what is judged alone. Others' settings in
  /// slurm.conf, daemon.json and /etc/environment, and connections, are none of it.
  std::string leave_out(std::string_view path, std::string_view text) const;
  /// Configuration space of a PCI function: its serial number is put out.
  static std::string hide_config(std::string bytes);

 private:
  std::string digest(std::string_view kind, std::string_view text, std::size_t size) const;
  std::string hide_token(std::string_view token) const;
  std::string hide_address(const std::string& token) const;
  void hide_bits(unsigned char* bytes, std::size_t first_bit, std::size_t bits) const;
  std::string hide_hosts(std::string text) const;

  std::string key_;
  std::map<std::string, std::string, std::greater<>>
      hosts_;  ///< names that begin alike: long first
};

}  // namespace nettune::doctor
