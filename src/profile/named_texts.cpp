// SPDX-License-Identifier: Apache-2.0
#include "profile/named_texts.hpp"

#include <algorithm>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "core/journal_lines.hpp"

namespace nettune::profile {
namespace {

constexpr std::string_view kToken = "nt.";
constexpr std::size_t kTokenDigits = 10;
constexpr std::size_t kTokenSize = kToken.size() + kTokenDigits;

/// A name in the form of a sysctl key, where dots separate.
std::string slashed(std::string text) {
  std::ranges::replace(text, '.', '/');
  return text;
}

}  // namespace

std::string token_of_device(std::string_view identity) {
  return cat(kToken, sha256_hex(identity).substr(0, kTokenDigits));
}

bool NamedTexts::empty() const {
  return values.empty() && contents.empty() && variables.empty() && admissions.empty();
}

/// In one pass: a name may look like a token.
std::string NamedTexts::put_in(std::string_view text) const {
  std::string out;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find(kToken.substr(0, 2)), text.size());
    out += text.substr(0, begin);
    text.remove_prefix(begin);
    const std::string_view token = text.substr(0, kTokenSize);
    const auto device = std::ranges::find_if(devices, [&](const NamedDevice& one) {
      return token == one.token || token == slashed(one.token);
    });
    if (device != devices.end()) {
      out += token == device->token ? device->name : slashed(device->name);
      text.remove_prefix(kTokenSize);
    } else if (!text.empty()) {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

bool NamedTexts::is_about(std::string_view text, std::string_view device) const {
  return std::ranges::any_of(devices, [&](const NamedDevice& one) {
    return one.device == device && (text.find(one.token) != std::string_view::npos ||
                                    text.find(slashed(one.token)) != std::string_view::npos);
  });
}

void keep_named_texts(const NamedTexts& texts, Desired& desired) {
  std::string text = encode_named_texts(texts);
  desired.names = sha256_hex(text);
  desired.contents.emplace(desired.names, std::move(text));
}

std::string encode_named_texts(const NamedTexts& texts) {
  LineWriter out;
  out.line("format", 1);
  for (const NamedDevice& one : texts.devices) out.line("device", one.token, one.name, one.device);
  for (const auto& [address, text] : texts.values) out.line("value", address, text);
  for (const auto& [address, text] : texts.contents) out.line("content", address, text);
  for (const auto& [name, text] : texts.variables) out.line("variable", name, text);
  for (const auto& [name, text] : texts.admissions) out.line("admission", name, text);
  for (const NamedGid& one : texts.gids) out.line("gid", one.variable, one.set, one.index);
  return out.take();
}

Result<NamedTexts> decode_named_texts(std::string_view text) {
  NamedTexts texts;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    LineReader fields(line);
    const std::string_view key = fields.word();
    const auto entry = [&](std::map<std::string, std::string>& of) {
      std::string name = fields.text();
      of[std::move(name)] = fields.text();
    };
    bool known = true;
    if (key == "format") {
      known = fields.number() == 1;
    } else if (key == "device") {
      NamedDevice one;
      one.token = fields.text();
      one.name = fields.text();
      one.device = fields.text();
      texts.devices.push_back(std::move(one));
    } else if (key == "value") {
      entry(texts.values);
    } else if (key == "content") {
      entry(texts.contents);
    } else if (key == "variable") {
      entry(texts.variables);
    } else if (key == "admission") {
      entry(texts.admissions);
    } else if (key == "gid") {
      NamedGid one;
      one.variable = fields.text();
      one.set = fields.text();
      one.index = static_cast<int>(fields.number());
      texts.gids.push_back(std::move(one));
    } else {
      known = false;
    }
    if (!known || !fields.complete())
      return fail(Errc::corrupt,
                  cat("the texts with names of devices have a line that is not "
                      "understood: \"",
                      printable(line.substr(0, 60)), "\"; a newer nettune may have written it"));
  }
  return texts;
}

}  // namespace nettune::profile
