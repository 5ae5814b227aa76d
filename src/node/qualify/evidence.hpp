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

namespace nettune::node::qualify {

/// One setting that nettune qualify tried, and the state of the link meanwhile.
struct EvidenceSetting {
  TriedSetting tried;
  std::optional<kernel::LinkLoss> write_link;  ///< nothing: not watched
  std::optional<kernel::LinkLoss> undo_link;
  std::vector<Address> along;  ///< also written, because the setting needs it
};

/// The results of a trial on real hardware (docs/qualify.md).
struct Evidence {
  std::int64_t time_s = 0;
  std::string device;
  std::set<std::string> names;  ///< of all interfaces and RDMA devices of the node
  Hardware hardware;
  facts::Node node;
  std::string profile;
  std::map<std::string, std::string> set;
  std::vector<EvidenceSetting> settings;
  std::vector<Moved> moved;  ///< values that differ from before
  std::string cut_short;     ///< why not all were tried; "" if they were
};

/// True if something was written, so that the result says something about the hardware.
bool has_something(const Evidence& evidence);

/// The document of docs/schema/evidence.schema.json. It can be shared: it has no name of a host,
/// interface or RDMA device (all are DEVICE), no network address, and of --set only the variables'
/// names.
std::string evidence_json(const Evidence& evidence);

/// The parts of an evidence file that plan needs.
struct KnownEvidence {
  std::string file;
  std::string driver;
  std::string firmware;
  std::string kernel_series;
  /// By the address with DEVICE in place of the device. Of several devices, the one with the bad
  /// result.
  std::map<std::string, TrialResult> results;
};
/// Errc::invalid if it is not an evidence file.
Result<KnownEvidence> parse_evidence(const std::string& json);

/// Its file name: driver, PCI id, firmware, kernel series, profile and time.
std::string evidence_file_name(const Evidence& evidence);

/// Runs before the first trial: creates `directory`, the place of evidence unless `output_file` is
/// given, and checks that a file can be created there.
Result<> prepare_evidence(Disk& disk, const std::string& output_file, const std::string& directory);

/// Writes `output_file`, replacing it, or else a new file in `directory`. Returns its path.
Result<std::string> keep_evidence(Disk& disk, const Evidence& evidence,
                                  const std::string& output_file, const std::string& directory);

/// "dcb:DEVICE:pfc" of "dcb:eth0:pfc": evidence on one card applies to another.
std::string without_device(const Address& address);

/// The directories of evidence, the site's before the package's.
std::vector<std::string> evidence_directories();

/// All evidence files (*.json) there. Unreadable or untrusted files are skipped and named in
/// `notes`.
std::vector<KnownEvidence> read_evidence(Disk& disk, const std::vector<std::string>& directories,
                                         std::vector<std::string>& notes);

}  // namespace nettune::node::qualify
