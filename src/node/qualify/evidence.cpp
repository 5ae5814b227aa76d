// SPDX-License-Identifier: Apache-2.0
#include "node/qualify/evidence.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/text.hpp"
#include "base/utc.hpp"
#include "base/version.hpp"
#include "node/context.hpp"
#include "node/devices.hpp"
#include "node/display_text.hpp"
#include "node/output_file.hpp"
#include "node/qualify/device_state.hpp"
#include "profile/source.hpp"

namespace nettune::node::qualify {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSuffix = ".json";
constexpr std::string_view kDevice = "DEVICE";

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

/// `text` with DEVICE in place of each `name` that is not part of a longer word.
std::string without_name(const std::string& text, const std::string& name) {
  std::string out;
  std::size_t from = 0;
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, from)) {
    const std::size_t end = at + name.size();
    const bool whole =
        (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
    out += text.substr(from, at - from);
    out += whole ? kDevice : std::string_view(name);
    from = end;
  }
  return out + text.substr(from);
}

/// Texts of kernel and engine may name devices anywhere.
class Names {
 public:
  explicit Names(const Evidence& evidence) : names_(evidence.names.begin(), evidence.names.end()) {
    names_.push_back(evidence.device);
    std::erase_if(names_, [](const std::string& name) { return name.empty() || name == "lo"; });
    // "eth0.100" before "eth0".
    std::sort(names_.begin(), names_.end(), [](const std::string& left, const std::string& right) {
      return left.size() > right.size();
    });
  }

  std::string hide(std::string text) const {
    for (const std::string& name : names_) text = without_name(text, name);
    return text;
  }

  Json hide_or_null(const std::string& text) const {
    return text.empty() ? Json(nullptr) : Json(hide(text));
  }

 private:
  std::vector<std::string> names_;
};

Json value_json(const Value& value) { return value ? Json(*value) : Json(nullptr); }

Json link_json(const std::optional<kernel::LinkLoss>& loss) {
  if (!loss) return nullptr;
  return Json{{"lost", loss->lost},
              {"back", loss->back},
              {"seconds", loss->lost ? Json(loss->seconds) : Json(nullptr)}};
}

Json moved_json(const Moved& moved, const Names& names) {
  const bool hidden = tells_address(moved);
  const bool named = !device_in(moved.address).empty();
  return Json{{"address", named ? without_device(moved.address) : names.hide(moved.address.text)},
              {"before", hidden ? Json(nullptr) : Json(names.hide(moved.before))},
              {"now", hidden ? "changed" : names.hide(moved.now)}};
}

Json setting_json(const EvidenceSetting& setting, const Names& names) {
  const TriedSetting& tried = setting.tried;
  Json along = Json::array();
  for (const Address& address : setting.along) along.push_back(without_device(address));
  return Json{{"setting", without_device(tried.address)},
              {"before", value_json(tried.before)},
              {"wanted", value_json(tried.wanted)},
              {"written", tried.written},
              {"read_back", value_json(tried.read_back)},
              {"result", trial_result_text(tried.result)},
              {"why", names.hide_or_null(tried.why)},
              {"impact", schema_word(impact_text(tried.impact))},
              {"residue", names.hide_or_null(tried.residue)},
              {"link_at_write", link_json(setting.write_link)},
              {"link_at_undo", link_json(setting.undo_link)},
              {"along", std::move(along)}};
}

std::string text_of(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Failure bad(std::string_view what) {
  return fail(Errc::invalid, cat("it is not evidence: ", what));
}

/// plan depends on this file for hardware, so it must belong to root, like a profile.
Result<KnownEvidence> read_one(Disk& disk, const std::string& path) {
  TRY_ASSIGN(const auto text, profile::read_trusted(disk, path, 0));
  if (!text) return fail(Errc::not_found, cat(printable(path), " no longer exists"));
  auto known = parse_evidence(*text);
  if (!known) return fail_in(printable(path), std::move(known).error());
  known->file = path;
  return known;
}

}  // namespace

std::string without_device(const Address& address) {
  return device_in(address).empty() ? address.text
                                    : with_device(address, std::string(kDevice)).text;
}

bool has_something(const Evidence& evidence) {
  return !evidence.moved.empty() || std::any_of(evidence.settings.begin(), evidence.settings.end(),
                                                [](const EvidenceSetting& setting) {
                                                  return was_tried(setting.tried.result);
                                                });
}

std::string evidence_json(const Evidence& evidence) {
  const Names names(evidence);
  Json settings = Json::array();
  for (const EvidenceSetting& setting : evidence.settings)
    settings.push_back(setting_json(setting, names));
  Json moved = Json::array();
  for (const Moved& one : evidence.moved) moved.push_back(moved_json(one, names));
  Json set = Json::array();
  for (const auto& [name, value] : evidence.set) set.push_back(name);
  const Hardware& hardware = evidence.hardware;
  const Json document{{"schema", 1},
                      {"kind", "evidence"},
                      {"nettune", NETTUNE_VERSION},
                      {"build", build_info()},
                      {"time", utc_text(evidence.time_s)},
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
                      {"set", std::move(set)},
                      {"settings", std::move(settings)},
                      {"as_before", evidence.moved.empty()},
                      {"not_as_before", std::move(moved)},
                      {"cut_short", names.hide_or_null(evidence.cut_short)}};
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
    if (!setting.is_object()) return bad("a setting is not an object");
    const auto result = parse_trial_result(text_of(setting, "result"));
    const std::string name = text_of(setting, "setting");
    if (name.empty() || !result) continue;
    TrialResult& worst = known.results.emplace(name, *result).first->second;
    if (!was_tried(worst) || (worst == TrialResult::held && was_tried(*result))) worst = *result;
  }
  return known;
}

std::string evidence_file_name(const Evidence& evidence) {
  const Hardware& hardware = evidence.hardware;
  std::string name;
  std::string time = utc_text(evidence.time_s);
  std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
  for (const std::string& part : {hardware.driver, hardware.pci_id, hardware.firmware,
                                  hardware.kernel_series, evidence.profile, time})
    if (!part.empty()) name += cat(name.empty() ? "" : "-", part);
  for (char& c : name) {
    if (!is_word(c) && c != '.') c = '_';
  }
  return cat(name.starts_with('.') ? "_" : "", name, kSuffix);
}

Result<> prepare_evidence(Disk& disk, const std::string& output_file,
                          const std::string& directory) {
  const std::string path =
      output_file.empty() ? cat(directory, "/new.json") : absolute_path(output_file);
  const auto prepare = [&]() -> Result<> {
    if (output_file.empty()) {
      TRY(disk.make_directory(parent_path(directory), 0755));
      TRY(disk.make_directory(directory, 0755));
    }
    return check_output_file(path);
  };
  auto prepared = prepare();
  if (!prepared)
    return fail_in("nothing was tried, because the evidence could not be written",
                   std::move(prepared).error());
  return {};
}

Result<std::string> keep_evidence(Disk& disk, const Evidence& evidence,
                                  const std::string& output_file, const std::string& directory) {
  std::string path = absolute_path(output_file);
  if (output_file.empty()) {
    const std::string name = evidence_file_name(evidence);
    path = cat(directory, "/", name);
    for (int number = 2; disk.info(path).value_or(std::nullopt); ++number)
      path =
          cat(directory, "/", name.substr(0, name.size() - kSuffix.size()), "-", number, kSuffix);
  }
  auto written = write_output_file(path, evidence_json(evidence), 0644);
  if (!written) return fail_in("the evidence could not be written", std::move(written).error());
  return path;
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
      if (!name.ends_with(kSuffix)) continue;
      const std::string path = cat(directory, "/", name);
      auto known = read_one(disk, path);
      if (known)
        all.push_back(std::move(*known));
      else
        notes.push_back(cat("evidence was skipped: ", known.error().text));
    }
  }
  return all;
}

}  // namespace nettune::node::qualify
