// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/setting.hpp"

namespace nettune::profile {

/// A device whose name is in texts of a generation: an interface or an RDMA device.
struct NamedDevice {
  std::string
      token;  ///< what the texts have in the place of the name; the same for this device always
  std::string name;  ///< its name when the texts were last put in
  std::string
      device;  ///< its identity, as facts::NetDevice::identity or facts::RdmaDevice::identity
};

/// A variable that has the GID index of a device set.
struct NamedGid {
  std::string variable;
  std::string set;
  int index = 0;  ///< when the profile was resolved
};

/// The texts of a resolved profile that have names of devices in them, with a token in the place of
/// each name. udev and people rename devices; with these a generation follows its devices, without
/// a look at the profile, which may have changed since.
struct NamedTexts {
  std::vector<NamedDevice> devices;
  std::map<std::string, std::string> values;      ///< wanted values, by address with tokens
  std::map<std::string, std::string> contents;    ///< contents of files, likewise
  std::map<std::string, std::string> variables;   ///< values of variables for jobs, by name
  std::map<std::string, std::string> admissions;  ///< required traffic, by name
  std::vector<NamedGid> gids;

  bool empty() const;
  /// `text` with the names of `devices` in the place of their tokens.
  std::string put_in(std::string_view text) const;
  /// True if `text` has the token of this device.
  bool is_about(std::string_view text, std::string_view device) const;
};

/// The token of a device: a plain name that no text has by chance. As in a name, its dot is written
/// as a slash in the key of a sysctl.
std::string token_of_device(std::string_view identity);

/// Makes them a part of `desired`: a content that Desired::names names.
void keep_named_texts(const NamedTexts& texts, Desired& desired);

/// The text of NamedTexts on disk: lines as in a journal. Equal ones have equal texts.
std::string encode_named_texts(const NamedTexts& texts);
/// Errc::corrupt if it is not understood.
Result<NamedTexts> decode_named_texts(std::string_view text);

}  // namespace nettune::profile
