// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Fields of foreign JSON: a field of another type is unknown, never an exception.
namespace nettune::tools::measure::fields {

using Json = nlohmann::ordered_json;

/// Nothing if the text is not a JSON object.
inline std::optional<Json> parse(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return {};
  return json;
}
inline std::optional<double> known_number(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return {};
  const double value = found->get<double>();
  return std::isfinite(value) && std::abs(value) < 1e15 ? std::optional(value) : std::nullopt;
}
inline std::optional<int> known_int(const Json& json, const char* key) {
  const auto value = known_number(json, key);
  if (!value || std::abs(*value) > 2e9) return {};
  return static_cast<int>(*value);
}
inline double number(const Json& json, const char* key) {
  return known_number(json, key).value_or(0);
}
inline std::uint64_t count(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}
inline std::string text(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}
inline std::vector<std::string> texts(const Json& json, const char* key) {
  std::vector<std::string> out;
  if (const auto found = json.find(key); found != json.end() && found->is_array())
    for (const Json& one : *found)
      if (one.is_string()) out.push_back(one.get<std::string>());
  return out;
}
inline std::optional<bool> known_flag(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_boolean() ? std::optional(found->get<bool>())
                                                    : std::nullopt;
}
inline bool flag(const Json& json, const char* key) {
  return known_flag(json, key).value_or(false);
}

/// Unknown values are null.
template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
inline Json or_null(const std::string& value) {
  return value.empty() ? Json(nullptr) : Json(value);
}
/// One line with a newline. Bytes that are not UTF-8 are replaced.
inline std::string line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace nettune::tools::measure::fields
