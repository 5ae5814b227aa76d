// SPDX-License-Identifier: Apache-2.0
#include "cli/evidence.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/utc.hpp"
#include "cli/context.hpp"
#include "cli/devices.hpp"

namespace nettune::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kEvidenceLimit = 4U << 20;

Json value_json(const Value& value) { return value ? Json(*value) : Json(nullptr); }

Json link_json(const std::optional<kernel::LinkLoss>& loss) {
  if (!loss) return nullptr;
  return Json{{"lost", loss->lost},
              {"back", loss->back},
              {"seconds", loss->lost ? Json(loss->seconds) : Json(nullptr)}};
}

std::string impact_word(Impact impact) {
  std::string word(impact_text(impact));
  for (char& c : word)
    if (c == ' ') c = '_';
  return word;
}

Json setting_json(const EvidenceSetting& setting) {
  const TriedSetting& tried = setting.tried;
  Json along = Json::array();
  for (const Address& address : setting.along) along.push_back(address.text);
  return Json{{"address", tried.address.text},
              {"setting", without_device(tried.address)},
              {"before", value_json(tried.before)},
              {"wanted", value_json(tried.wanted)},
              {"written", tried.written},
              {"read_back", value_json(tried.read_back)},
              {"result", trial_result_text(tried.result)},
              {"why", tried.why.empty() ? Json(nullptr) : Json(tried.why)},
              {"impact", impact_word(tried.impact)},
              {"residue", tried.residue.empty() ? Json(nullptr) : Json(tried.residue)},
              {"link_at_write", link_json(setting.write_link)},
              {"link_at_undo", link_json(setting.undo_link)},
              {"along", std::move(along)}};
}

std::string text_of(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Failure bad(std::string_view what) { return fail(Errc::invalid, cat("it is no evidence: ", what)); }

/// What plan tells of hardware hangs on it: it is read as profiles are, from root alone.
Result<KnownEvidence> read_one(Disk& disk, const std::string& path) {
  TRY_ASSIGN(const auto info, disk.info(path));
  if (!info || info->kind != FileInfo::Kind::regular) return bad("it is no regular file");
  if (info->uid != 0 || (info->mode & 022U) != 0)
    return fail(Errc::denied, "others than root can write it: chown root, chmod go-w");
  TRY_ASSIGN(const std::string text, read_named_file(disk, path, kEvidenceLimit));
  TRY_ASSIGN(KnownEvidence known, parse_evidence(text));
  known.file = path;
  return known;
}

}  // namespace

std::string without_device(const Address& address) {
  return device_in(address).empty() ? address.text : with_device(address, "DEVICE").text;
}

std::string evidence_json(const Evidence& evidence) {
  Json settings = Json::array();
  for (const EvidenceSetting& setting : evidence.settings)
    settings.push_back(setting_json(setting));
  Json moved = Json::array();
  for (const Moved& one : evidence.moved)
    moved.push_back({{"address", one.address.text}, {"before", one.before}, {"now", one.now}});
  const Hardware& hardware = evidence.hardware;
  const Json document{
      {"schema", 1},
      {"kind", "evidence"},
      {"nettune", NETTUNE_VERSION},
      {"time", utc_text(evidence.time_s)},
      {"device", evidence.device},
      {"driver", hardware.driver},
      {"driver_version", hardware.driver_version},
      {"firmware", hardware.firmware},
      {"pci_id", hardware.pci_id},
      {"kernel", evidence.node.kernel},
      {"kernel_series", hardware.kernel_series},
      {"os", evidence.node.os_id},
      {"os_version", evidence.node.os_version},
      {"architecture", evidence.node.architecture},
      {"profile", evidence.profile},
      {"set", Json(evidence.set)},
      {"settings", std::move(settings)},
      {"as_before", evidence.moved.empty()},
      {"not_as_before", std::move(moved)},
      {"cut_short", evidence.cut_short.empty() ? Json(nullptr) : Json(evidence.cut_short)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<KnownEvidence> parse_evidence(const std::string& json) {
  const auto document = nlohmann::json::parse(json, nullptr, false);
  if (!document.is_object() || text_of(document, "kind") != "evidence")
    return bad("its \"kind\" is not \"evidence\"");
  const auto schema = document.find("schema");
  if (schema == document.end() || *schema != 1) return bad("its \"schema\" is not 1");
  KnownEvidence known;
  known.driver = text_of(document, "driver");
  known.firmware = text_of(document, "firmware");
  known.kernel_series = text_of(document, "kernel_series");
  const auto settings = document.find("settings");
  if (settings == document.end() || !settings->is_array()) return bad("it has no \"settings\"");
  for (const auto& setting : *settings) {
    if (!setting.is_object()) return bad("a setting is no object");
    const auto result = parse_trial_result(text_of(setting, "result"));
    const std::string name = text_of(setting, "setting");
    if (!name.empty() && result) known.results.insert_or_assign(name, *result);
  }
  return known;
}

std::string evidence_file_name(const Evidence& evidence) {
  const Hardware& hardware = evidence.hardware;
  std::string name;
  for (const std::string& part : {hardware.driver, hardware.pci_id, hardware.firmware,
                                  hardware.kernel_series, evidence.profile})
    if (!part.empty()) name += cat(name.empty() ? "" : "-", part);
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  return cat(name.starts_with('.') ? "_" : "", name, ".json");
}

std::vector<std::string> evidence_directories() {
  return {"/etc/nettune/evidence", NETTUNE_DATADIR "/evidence"};
}

std::vector<KnownEvidence> read_evidence(Disk& disk, const std::vector<std::string>& directories,
                                         std::vector<std::string>& notes) {
  std::vector<KnownEvidence> all;
  for (const std::string& directory : directories) {
    const auto names = disk.list(directory);
    if (!names) continue;
    for (const std::string& name : *names) {
      if (!name.ends_with(".json")) continue;
      const std::string path = cat(directory, "/", name);
      auto known = read_one(disk, path);
      if (known)
        all.push_back(std::move(*known));
      else
        notes.push_back(cat(printable(path), " is passed over: ", known.error().text));
    }
  }
  return all;
}

}  // namespace nettune::cli
