// SPDX-License-Identifier: Apache-2.0
#include "profile/compose.hpp"

#include "base/digest.hpp"
#include "base/text.hpp"
#include "profile/schema.hpp"

namespace nettune::profile {

std::string label(const Item& item) { return cat('[', item.section, "] ", item.key); }

const toml::Node& plain_value(const toml::Node& node) {
  const toml::Node* const value = node.find("value");
  return value != nullptr ? *value : node;
}

Result<Expanded> Composer::value_of(const Item& item) {
  TRY_ASSIGN(Expanded expanded, expander_.expand(item.value));
  TRY(validate_value(expanded.node, item.path, label(item)));
  out_.shown.push_back({item.section, item.key, toml::shown(expanded.node), item.value.origin});
  return expanded;
}

Result<> Composer::add(Setting setting) {
  const auto [old, fresh] = seen_.try_emplace(setting.address, setting.origin);
  if (!fresh) {
    const bool derived = setting.origin.line == 0;
    return toml::fail_at(derived ? old->second : setting.origin,
                         cat(setting.address.text, " is set twice: here and by ",
                             derived ? "nettune itself, for the next boot" : old->second.text()));
  }
  TRY(check_elements(setting));
  out_.desired.settings.push_back(std::move(setting));
  return {};
}

Result<> Composer::check_elements(const Setting& setting) const {
  const std::string& text = setting.address.text;
  const std::string whole = text.substr(0, text.find('#'));
  const auto other =
      whole == text ? seen_.lower_bound(Address{cat(text, '#')}) : seen_.find(Address{whole});
  if (other == seen_.end()) return {};
  if (whole == text && !other->first.text.starts_with(cat(text, '#'))) return {};
  return toml::fail_at(setting.origin,
                       cat(whole, " is set both as a whole and by elements: here and in ",
                           other->second.text(), "; remove one"));
}

Result<> Composer::add_file(const std::string& path, std::string content, std::uint32_t mode,
                            const std::string& owner, const Origin& origin) {
  std::string digits = "0000";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    digits[3 - i] = static_cast<char>('0' + ((mode >> (3 * i)) & 7U));
  }
  TRY(add_directories_above(path, origin));
  const std::string digest = sha256_hex(content);
  Setting setting;
  setting.address = {cat("file:", path)};
  setting.want = cat("sha256:", digest, " mode ", digits, " owner ", owner);
  setting.origin = origin;
  TRY(add(std::move(setting)));
  out_.desired.contents.emplace(digest, std::move(content));
  return {};
}

Result<> Composer::add_directories_above(const std::string& path, const Origin& origin) {
  for (std::string above = parent_path(path); above != "/etc" && above != "/";
       above = parent_path(above)) {
    Setting setting;
    setting.address = {cat("dir:", above)};
    if (seen_.contains(setting.address)) continue;
    setting.want = "present";
    setting.origin = origin;
    TRY(add(std::move(setting)));
  }
  return {};
}

void Composer::leave_out(const Item& item, const std::string& why, bool optional) {
  if (optional) {
    skip(cat(label(item), ": ", why, "; skipped"));
  } else {
    misfit(cat(label(item), ": ", why), item.value.origin);
  }
}

void Composer::left_out(const Item& item, const std::vector<std::string>& empty_sets,
                        bool optional) {
  leave_out(item, cat("the device set ", join(empty_sets, ", "), " is empty"), optional);
}

bool Composer::is_whole(const Item& item, const Expanded& expanded, bool optional) {
  if (!expanded.disagree.empty())
    leave_out(item, expanded.disagree, optional);
  else if (!expanded.empty_sets.empty())
    left_out(item, expanded.empty_sets, optional);
  else
    return true;
  return false;
}

void Composer::misfit(const std::string& text, const Origin& origin) {
  out_.misfits.push_back(cat(text, " (", origin.text(), ")"));
}

}  // namespace nettune::profile
