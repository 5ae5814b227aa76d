// SPDX-License-Identifier: Apache-2.0
#include "node/qualify/evidence_notes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "base/text.hpp"
#include "kinds/dcb/kind.hpp"
#include "kinds/ethtool/kind.hpp"
#include "kinds/rdma/kind.hpp"
#include "node/devices.hpp"

namespace nettune::node::qualify {

namespace {

bool programs_hardware(const PlanItem& item) {
  const Address& address = item.setting.address;
  return item.to_write() &&
         (kinds::dcb::kDcb.has(address) || kinds::ethtool::kEthtool.has(address) ||
          kinds::rdma::kRdma.has(address));
}

bool is_of(const KnownEvidence& known, const Hardware& hardware) {
  return known.driver == hardware.driver && known.firmware == hardware.firmware &&
         known.kernel_series == hardware.kernel_series;
}

/// All evidence on one combination.
struct Known {
  std::set<std::string, std::less<>> kinds;             ///< kinds with a tried setting
  std::map<std::string, std::string, std::less<>> bad;  ///< setting: "refused (FILE)"
};

Known gather(const std::vector<KnownEvidence>& evidence, const Hardware& hardware) {
  Known known;
  for (const KnownEvidence& one : evidence) {
    if (!is_of(one, hardware)) continue;
    for (const auto& [setting, result] : one.results) {
      if (!was_tried(result)) continue;
      known.kinds.emplace(setting.substr(0, setting.find(':')));
      if (result != TrialResult::held)
        known.bad.emplace(setting, cat(trial_result_text(result), " (", one.file, ")"));
    }
  }
  return known;
}

std::string note_of(const std::string& device, const std::vector<const PlanItem*>& items,
                    const Known& known, const Hardware& hardware, const std::string& profile) {
  std::set<std::string> missing;
  std::vector<std::string> bad;
  for (const PlanItem* const item : items) {
    const std::string_view kind = item->setting.address.kind();
    if (!known.kinds.contains(kind)) missing.emplace(kind);
    const auto found = known.bad.find(without_device(item->setting.address));
    if (found != known.bad.end())
      bad.push_back(cat(item->setting.address.text, " was ", printable(found->second)));
  }
  if (missing.empty() && bad.empty()) return {};
  std::string note = cat(printable(device), " (", combination_text(hardware), "): ");
  if (!missing.empty())
    note += cat("no evidence that its ", join(std::vector(missing.begin(), missing.end()), ", "),
                " settings hold; on a drained node, nettune qualify ", shell_word(device), " ",
                shell_word(profile), " finds out");
  if (!bad.empty())
    note += cat(missing.empty() ? "" : "; ", "evidence against it: ", join(bad, ", "));
  return note;
}

}  // namespace

bool asks_for_evidence(const Plan& plan) {
  return std::any_of(plan.items.begin(), plan.items.end(), programs_hardware);
}

std::vector<std::string> evidence_notes(
    const Plan& plan, const facts::Facts& facts, const std::vector<KnownEvidence>& evidence,
    const std::function<Hardware(const std::string& device)>& hardware) {
  std::map<std::string, std::vector<const PlanItem*>> by_device;
  for (const PlanItem& item : plan.items)
    if (programs_hardware(item))
      by_device[card_of(facts, device_in(item.setting.address))].push_back(&item);
  std::vector<std::string> notes;
  for (const auto& [device, items] : by_device) {
    const Hardware combination = hardware(device);
    std::string note =
        note_of(device, items, gather(evidence, combination), combination, plan.profile);
    if (!note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace nettune::node::qualify
