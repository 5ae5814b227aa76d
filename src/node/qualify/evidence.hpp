// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "core/trial.hpp"
#include "facts/facts.hpp"
#include "kernel/link_watch.hpp"
#include "node/qualify/hardware.hpp"

namespace nettune::cli {

/// One setting that nettune qualify tried, with what became of the link meanwhile.
struct EvidenceSetting {
  TriedSetting tried;
  std::optional<kernel::LinkLoss> write_link;  ///< nothing: not watched
  std::optional<kernel::LinkLoss> undo_link;
  std::vector<Address> along;  ///< what was written with it because it needs it
};

/// What a trial on real hardware showed (docs/qualify.md).
struct Evidence {
  std::int64_t time_s = 0;
  std::string device;
  std::set<std::string> names;  ///< of all interfaces and RDMA devices of the node
  Hardware hardware;
  facts::Node node;
  std::string profile;
  std::map<std::string, std::string> set;
  std::vector<EvidenceSetting> settings;
  std::vector<Moved> moved;  ///< what is not as it was before
  std::string cut_short;     ///< why not all of them were tried; "" when they were
};

/// True when something was written, so that it says something of the hardware.
bool has_something(const Evidence& evidence);

/// The document, as docs/schema/evidence.schema.json says. It can be given away: it names no host,
/// no interface or RDMA device (they are all DEVICE), no address of the network, and of --set only
/// the variables.
std::string evidence_json(const Evidence& evidence);

/// What of an evidence file plan needs.
struct KnownEvidence {
  std::string file;
  std::string driver;
  std::string firmware;
  std::string kernel_series;
  /// By the address with DEVICE in the device's place. Of several devices that with the bad result.
  std::map<std::string, TrialResult> results;
};
/// Errc::invalid when it is no evidence file.
Result<KnownEvidence> parse_evidence(const std::string& json);

/// A file name for it: driver, PCI id, firmware, kernel series, profile and time.
std::string evidence_file_name(const Evidence& evidence);

/// Before the first trial: makes `directory`, where evidence is kept unless `output_file` is given,
/// and looks that a file can be made there.
Result<> prepare_evidence(Disk& disk, const std::string& output_file, const std::string& directory);

/// Writes `output_file`, in the place of what stands there, or else a new file in `directory`; says
/// which.
Result<std::string> keep_evidence(Disk& disk, const Evidence& evidence,
                                  const std::string& output_file, const std::string& directory);

/// "dcb:DEVICE:pfc" of "dcb:eth0:pfc": what evidence about one card says of another.
std::string without_device(const Address& address);

/// Where plan looks, the site's before those that ship.
std::vector<std::string> evidence_directories();

/// All evidence files (*.json) there; what cannot be read or trusted is passed over and named in
/// `notes`.
std::vector<KnownEvidence> read_evidence(Disk& disk, const std::vector<std::string>& directories,
                                         std::vector<std::string>& notes);

}  // namespace nettune::cli
