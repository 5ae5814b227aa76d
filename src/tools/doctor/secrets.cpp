// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/secrets.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace nettune::tools::doctor {

namespace {

using Document = nlohmann::ordered_json;

constexpr std::array<std::string_view, 12> kSecretWords = {
    "key",      "apikey",     "token",  "secret", "pass",       "passwd",
    "password", "passphrase", "bearer", "auth",   "credential", "credentials",
};
/// Members that say what an object is about.
constexpr std::array<std::string_view, 4> kNaming = {"address", "setting", "name", "variable"};

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

/// The length of the value at the begin of `text`: a quoted text, or up to the end of the word.
std::size_t value_length(std::string_view text) {
  if (text.empty()) return 0;
  if (text.front() == '"' || text.front() == '\'') {
    const std::size_t end = text.find(text.front(), 1);
    return end == text.npos ? text.size() : end + 1;
  }
  return std::min(text.find_first_of(" \t\r\n\"',;"), text.size());
}

/// "https://user:password@host": what is between "://" and "@", if it has a password.
std::size_t login_length(std::string_view behind_scheme) {
  const std::size_t end = behind_scheme.find_first_of("@/ \t\r\n\"'");
  if (end == behind_scheme.npos || behind_scheme[end] != '@') return 0;
  return behind_scheme.substr(0, end).find(':') == behind_scheme.npos ? 0 : end;
}

bool is_about_secret(const Document& object) {
  return std::ranges::any_of(kNaming, [&](std::string_view member) {
    const auto found = object.find(member);
    if (found == object.end() || !found->is_string()) return false;
    const std::string text = found->get<std::string>();
    const std::size_t colon = text.rfind(':');
    return is_secret_name(std::string_view(text).substr(colon == text.npos ? 0 : colon + 1));
  });
}

void leave_out(Document& value, bool is_secret) {
  if (value.is_string()) {
    const std::string text = value.get<std::string>();
    value = is_secret ? std::string(kLeftOut) : without_secrets(text);
  } else if (value.is_array()) {
    for (Document& one : value) leave_out(one, is_secret);
  } else if (value.is_object()) {
    const bool about = is_secret || is_about_secret(value);
    for (auto& [name, member] : value.items())
      if (std::ranges::find(kNaming, name) == kNaming.end())
        leave_out(member, about || is_secret_name(name));
  }
}

}  // namespace

bool is_secret_name(std::string_view name) {
  std::string word;
  const auto ends = [&] {
    const bool found = std::ranges::find(kSecretWords, word) != kSecretWords.end();
    word.clear();
    return found;
  };
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z')
      word += static_cast<char>(c - 'A' + 'a');
    else if (c >= 'a' && c <= 'z')
      word += c;
    else if (ends())
      return true;
  }
  return ends();
}

std::string without_secrets(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with("://")) {
      out += "://";
      at += 3;
      if (const std::size_t login = login_length(text.substr(at)); login > 0) {
        out += kLeftOut;
        at += login;
      }
      continue;
    }
    if (!is_name_character(text[at])) {
      out += text[at++];
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && is_name_character(text[at])) ++at;
    const std::string_view name = text.substr(begin, at - begin);
    out += name;
    std::size_t sign = at;
    while (sign < text.size() && (text[sign] == ' ' || text[sign] == '"')) ++sign;
    if (sign >= text.size() || (text[sign] != '=' && text[sign] != ':') || !is_secret_name(name))
      continue;
    ++sign;
    while (sign < text.size() && text[sign] == ' ') ++sign;
    out += text.substr(at, sign - at);
    const std::size_t length = value_length(text.substr(sign));
    if (length > 0) out += kLeftOut;
    at = sign + length;
  }
  return out;
}

std::string without_secrets_json(const std::string& text) {
  Document document = Document::parse(text, nullptr, false);
  if (document.is_discarded())
    return cat("left out: ", text.size(), " bytes that are no JSON document\n");
  leave_out(document, false);
  return document.dump(2, ' ', false, Document::error_handler_t::replace) + "\n";
}

}  // namespace nettune::tools::doctor
