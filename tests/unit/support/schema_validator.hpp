// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "base/text.hpp"

namespace nettune::test {

/// As much of JSON Schema as docs/schema and the schema of profiles use.
class Validator {
 public:
  /// The same for a schema that is a text.
  std::string check_text(const std::string& schema, const nlohmann::json& document) {
    return check("", files_[""] = nlohmann::json::parse(schema), document, "");
  }

  /// "" when `document` is as the schema file says, else the first place where it is not.
  std::string check(const std::string& file, const nlohmann::json& document) {
    return check(file, load(file), document, "");
  }

 private:
  const nlohmann::json& load(const std::string& file) {
    const auto found = files_.find(file);
    if (found != files_.end()) return found->second;
    std::ifstream stream(std::string(NETTUNE_SOURCE_DIR) + "/docs/schema/" + file);
    return files_[file] = nlohmann::json::parse(stream);
  }

  std::string check_ref(const std::string& file, const std::string& ref,
                        const nlohmann::json& value, const std::string& at) {
    const auto hash = ref.find('#');
    const std::string target = hash == 0 ? file : ref.substr(0, hash);
    const nlohmann::json::json_pointer pointer(ref.substr(hash + 1));
    return check(target, load(target).at(pointer), value, at);
  }

  std::string check(const std::string& file, const nlohmann::json& schema,
                    const nlohmann::json& value, const std::string& at) {
    if (schema.contains("$ref"))
      if (auto wrong = check_ref(file, schema["$ref"], value, at); !wrong.empty()) return wrong;
    if (schema.contains("const") && schema["const"] != value) return at + ": is not the constant";
    if (schema.contains("enum") && !has(schema["enum"], value))
      return cat(at, ": ", value.dump(), " is not in the enumeration");
    if (schema.contains("anyOf")) {
      std::string first;
      bool fits = false;
      for (const nlohmann::json& choice : schema["anyOf"]) {
        const std::string wrong = check(file, choice, value, at);
        fits = fits || wrong.empty();
        if (first.empty()) first = wrong;
      }
      if (!fits) return first;
    }
    if (schema.contains("type") && !is_type(schema["type"], value))
      return cat(at, ": ", value.dump(), " is no ", schema["type"].dump());
    if (auto wrong = check_bounds(schema, value, at); !wrong.empty()) return wrong;
    if (value.is_object() &&
        (schema.contains("properties") || schema.contains("additionalProperties")))
      return check_object(file, schema, value, at);
    if (value.is_array() && schema.contains("items")) {
      std::size_t index = 0;
      for (const nlohmann::json& item : value)
        if (auto wrong = check(file, schema["items"], item, cat(at, "[", index++, "]"));
            !wrong.empty())
          return wrong;
    }
    return {};
  }

  static std::string check_bounds(const nlohmann::json& schema, const nlohmann::json& value,
                                  const std::string& at) {
    const auto wrong = [&](const char* word) {
      return cat(at, ": ", value.dump(), " does not fit ", word, " ", schema[word].dump());
    };
    if (schema.contains("pattern") && value.is_string() &&
        !matches(schema["pattern"], value.get<std::string>()))
      return wrong("pattern");
    if (value.is_number()) {
      if (schema.contains("minimum") && value < schema["minimum"]) return wrong("minimum");
      if (schema.contains("maximum") && value > schema["maximum"]) return wrong("maximum");
      if (schema.contains("exclusiveMinimum") && value <= schema["exclusiveMinimum"])
        return wrong("exclusiveMinimum");
    }
    if (value.is_array()) {
      if (schema.contains("minItems") && value.size() < schema["minItems"])
        return wrong("minItems");
      if (schema.contains("maxItems") && value.size() > schema["maxItems"])
        return wrong("maxItems");
    }
    return {};
  }

  static bool matches(const std::string& pattern, const std::string& text) {
    return std::regex_search(text, std::regex(pattern));
  }

  std::string check_object(const std::string& file, const nlohmann::json& schema,
                           const nlohmann::json& value, const std::string& at) {
    for (const nlohmann::json& name : schema.value("required", nlohmann::json::array()))
      if (!value.contains(name.get<std::string>()))
        return cat(at, ": ", name.dump(), " is missing");
    const nlohmann::json properties = schema.value("properties", nlohmann::json::object());
    const nlohmann::json patterns = schema.value("patternProperties", nlohmann::json::object());
    for (const auto& [name, member] : value.items()) {
      const nlohmann::json* found = properties.contains(name) ? &properties[name] : nullptr;
      for (const auto& [pattern, of_pattern] : patterns.items())
        if (found == nullptr && matches(pattern, name)) found = &of_pattern;
      if (found == nullptr && schema.contains("additionalProperties"))
        found = &schema["additionalProperties"];
      if (found == nullptr || *found == false) return cat(at, ".", name, ": is in no schema");
      const nlohmann::json& rule = *found;
      if (!rule.is_object()) continue;
      if (auto wrong = check(file, rule, member, cat(at, ".", name)); !wrong.empty()) return wrong;
    }
    return {};
  }

  static bool has(const nlohmann::json& list, const nlohmann::json& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  }

  static bool is_type(const nlohmann::json& type, const nlohmann::json& value) {
    if (type.is_array())
      return std::any_of(type.begin(), type.end(),
                         [&](const nlohmann::json& one) { return is_type(one, value); });
    return (type == "string" && value.is_string()) || (type == "null" && value.is_null()) ||
           (type == "integer" && value.is_number_integer()) ||
           (type == "number" && value.is_number()) || (type == "boolean" && value.is_boolean()) ||
           (type == "object" && value.is_object()) || (type == "array" && value.is_array());
  }

  std::map<std::string, nlohmann::json> files_;
};

inline void expect_valid(const std::string& file, const std::string& text) {
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  ASSERT_FALSE(document.is_discarded()) << text;
  EXPECT_EQ(Validator().check(file, document), "") << text;
}

}  // namespace nettune::test
