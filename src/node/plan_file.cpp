// SPDX-License-Identifier: Apache-2.0
#include "node/plan_file.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "node/output_file.hpp"

namespace nettune::node {

namespace {

using Json = nlohmann::json;

Failure bad(std::string_view what) {
  return fail(Errc::invalid,
              cat("it is not a saved plan: ", what, "; make one with nettune plan --save"));
}

std::string shown_value(const Value& value) { return value ? *value : "absent"; }

std::string change_text(const Value& now, const Value& after) {
  return cat(shown_value(now), " -> ", shown_value(after));
}

Value optional_text(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return {};
  return found->get<std::string>();
}

}  // namespace

bool is_plan_file(std::string_view subject) {
  return subject.find('/') != std::string_view::npos || subject.ends_with(".json") ||
         subject.ends_with(".plan");
}

Result<SavedPlan> parse_plan_file(const std::string& json) {
  const Json document = Json::parse(json, nullptr, false);
  if (document.is_discarded()) return bad("it is not JSON");
  if (!document.is_object() || optional_text(document, "kind") != Value("plan"))
    return bad("its \"kind\" is not \"plan\"");
  const auto schema = document.find("schema");
  if (schema == document.end() || !schema->is_number_integer() || *schema != 1)
    return bad("its \"schema\" is not 1");
  SavedPlan saved;
  const Value profile = optional_text(document, "profile");
  const Value digest = optional_text(document, "digest");
  if (!profile || !digest) return bad("\"profile\" or \"digest\" is missing");
  saved.profile = *profile;
  saved.digest = *digest;
  if (const auto set = document.find("set"); set != document.end() && set->is_object()) {
    for (const auto& [name, value] : set->items()) {
      if (!value.is_string()) return bad(cat("\"set\" has no text for ", printable(name)));
      saved.set.emplace(name, value.get<std::string>());
    }
  }
  if (const auto items = document.find("items"); items != document.end() && items->is_array()) {
    for (const Json& item : *items) {
      if (!item.is_object() || item.value("writes", Json(false)) != Json(true)) continue;
      const Value address = optional_text(item, "address");
      const auto now = item.find("now");
      if (!address || now == item.end() || !now->is_object()) return bad("an item is incomplete");
      saved.changes.emplace(*address,
                            change_text(optional_text(*now, "text"), optional_text(item, "after")));
    }
  }
  return saved;
}

Result<> save_plan(const std::string& path, const std::string& document) {
  if (auto written = write_output_file(path, document, 0600); !written)
    return fail_in("the plan could not be saved", std::move(written).error());
  return {};
}

std::vector<std::string> moved_since(const SavedPlan& saved, const Plan& now) {
  std::vector<std::string> moved;
  if (now.digest() == saved.digest) return moved;
  std::map<std::string, std::string> left = saved.changes;
  for (const PlanItem& item : now.items) {
    if (!item.to_write()) continue;
    const std::string change = change_text(item.now.value(), item.after);
    const auto found = left.find(item.setting.address.text);
    if (found == left.end())
      moved.push_back(
          cat(item.setting.address.text, ": would now also change, ", printable(change)));
    else if (found->second != change)
      moved.push_back(cat(item.setting.address.text, ": was ", printable(found->second),
                          ", would be ", printable(change)));
    if (found != left.end()) left.erase(found);
  }
  for (const auto& [address, change] : left)
    moved.push_back(cat(printable(address), ": would no longer change, was ", printable(change)));
  if (moved.empty()) moved.emplace_back("the devices behind the settings, or the order of writes");
  return moved;
}

}  // namespace nettune::node
