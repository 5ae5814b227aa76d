// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "cli/hardware.hpp"
#include "core/trial.hpp"
#include "facts/facts.hpp"
#include "kernel/link_watch.hpp"

namespace nettune::cli {

/// One setting that nettune qualify tried, with what became of the link meanwhile.
struct EvidenceSetting {
  TriedSetting tried;
  std::optional<kernel::LinkLoss> write_link;  ///< nothing: not watched
  std::optional<kernel::LinkLoss> undo_link;
  std::vector<Address> along;  ///< what was written with it because it needs it
};

/// What a trial on real hardware showed (docs/qualify.md). It names no host and no address of the
/// network, so that it can be given away.
struct Evidence {
  std::int64_t time_s = 0;
  std::string device;
  Hardware hardware;
  facts::Node node;
  std::string profile;
  std::map<std::string, std::string> set;
  std::vector<EvidenceSetting> settings;
  std::vector<Moved> moved;  ///< what is not as it was before
  std::string cut_short;     ///< why not all of them were tried; "" when they were
};

/// The document, as docs/schema/evidence.schema.json says.
std::string evidence_json(const Evidence& evidence);

/// What of an evidence file plan needs.
struct KnownEvidence {
  std::string file;
  std::string driver;
  std::string firmware;
  std::string kernel_series;
  std::map<std::string, TrialResult> results;  ///< by the address with DEVICE in the device's place
};
/// Errc::invalid when it is no evidence file.
Result<KnownEvidence> parse_evidence(const std::string& json);

/// A file name for it: driver, PCI id, firmware, kernel series and profile.
std::string evidence_file_name(const Evidence& evidence);

/// "dcb:DEVICE:pfc" of "dcb:eth0:pfc": what evidence about one card says of another.
std::string without_device(const Address& address);

/// Where plan looks, the site's before those that ship.
std::vector<std::string> evidence_directories();

/// All evidence files (*.json) there; what cannot be read or trusted is passed over and named in
/// `notes`.
std::vector<KnownEvidence> read_evidence(Disk& disk, const std::vector<std::string>& directories,
                                         std::vector<std::string>& notes);

}  // namespace nettune::cli
