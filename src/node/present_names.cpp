// SPDX-License-Identifier: Apache-2.0
#include "node/present_names.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "core/contents_view.hpp"
#include "profile/device_match.hpp"
#include "profile/devices.hpp"

namespace nettune::node {

namespace {

using profile::NamedDevice;
using profile::NamedTexts;

/// Texts by what they are of, under the names of before.
std::map<std::string, const std::string*> by_name(const NamedTexts& before,
                                                  const std::map<std::string, std::string>& texts) {
  std::map<std::string, const std::string*> found;
  for (const auto& [name, text] : texts) found.emplace(before.put_in(name), &text);
  return found;
}

/// Whether a device has another name than its texts. One that no text can take keeps the old one.
bool take_present_names(const DeviceNames& devices, NamedTexts& texts,
                        std::vector<std::string>& notes) {
  bool changed = false;
  for (NamedDevice& one : texts.devices) {
    const auto now = devices.name_of(one.device);
    if (!now || *now == one.name) continue;
    if (!profile::is_plain_name(*now)) {
      notes.push_back(cat(one.name, " is ", printable(*now),
                          " now, a name that cannot be put into files and variables; give it "
                          "another one"));
      continue;
    }
    one.name = *now;
    changed = true;
  }
  return changed;
}

void put_into_settings(const NamedTexts& before, const NamedTexts& texts, Desired& desired) {
  const auto values = by_name(before, texts.values);
  const auto contents = by_name(before, texts.contents);
  for (Setting& setting : desired.settings) {
    if (const auto value = values.find(setting.address.text); value != values.end())
      setting.want = texts.put_in(*value->second);
    const auto content = contents.find(setting.address.text);
    const std::string digest = content_digest(setting.want);
    if (content == contents.end() || digest.empty()) continue;
    std::string text = texts.put_in(*content->second);
    const std::string new_digest = sha256_hex(text);
    setting.want->replace(setting.want->find(digest), digest.size(), new_digest);
    desired.contents.emplace(new_digest, std::move(text));
  }
}

/// "mlx5_0" of an RDMA port "mlx5_0:1", whose identity is that of its device and its number.
void put_into_members(const DeviceNames& devices, std::vector<Member>& members) {
  for (Member& member : members) {
    const std::string device = member.device.substr(0, member.device.rfind(" port "));
    const bool of_port = member.device.starts_with("rdma ");
    const auto now = devices.name_of(of_port ? device : member.device);
    if (!now) continue;
    const auto colon = of_port ? member.name.rfind(':') : std::string::npos;
    member.name = cat(*now, colon == std::string::npos ? "" : member.name.substr(colon));
  }
}

}  // namespace

Result<NamedTexts> named_texts_of(State& state, const Desired& desired) {
  if (desired.names.empty()) return NamedTexts();
  const auto fresh = desired.contents.find(desired.names);
  if (fresh != desired.contents.end()) return profile::decode_named_texts(fresh->second);
  TRY_ASSIGN(const std::string text, state.blob(desired.names));
  return profile::decode_named_texts(text);
}

void put_in_present_names(State& state, const DeviceNames& devices, Desired& desired) {
  put_into_members(devices, desired.members);
  auto read = named_texts_of(state, desired);
  if (!read) {
    desired.notes.push_back(
        cat("names of devices in files and variables stay as they were: ", read.error().text,
            "; apply ", printable(desired.profile), " again"));
    return;
  }
  const NamedTexts before = *read;
  NamedTexts texts = std::move(*read);
  if (!take_present_names(devices, texts, desired.notes)) return;
  put_into_settings(before, texts, desired);
  for (JobVariable& variable : desired.variables)
    if (const auto text = texts.variables.find(variable.name); text != texts.variables.end())
      variable.value = texts.put_in(text->second);
  for (Admission& admission : desired.admissions)
    if (const auto text = texts.admissions.find(admission.name); text != texts.admissions.end())
      admission.opening = texts.put_in(text->second);
  keep_named_texts(texts, desired);
}

std::set<Address> settings_about(State& state, const Desired& desired, const std::string& device,
                                 const facts::Facts& facts) {
  std::set<Address> about;
  const auto texts = named_texts_of(state, desired);
  if (!texts || device.empty()) return about;
  std::vector<std::string> devices = {device};
  for (const facts::NetDevice& interface : facts.net)
    for (const facts::RdmaDevice& rdma : facts.rdma)
      if (interface.identity == device &&
          std::ranges::find(interface.rdma_devices, rdma.name) != interface.rdma_devices.end())
        devices.push_back(rdma.identity);
  for (const auto* const of : {&texts->values, &texts->contents})
    for (const auto& [address, text] : *of)
      for (const std::string& one : devices)
        if (texts->is_about(text, one)) about.insert({texts->put_in(address)});
  return about;
}

bool has_gid_index(const Transaction& generation) {
  return std::ranges::any_of(generation.variables, [](const JobVariable& variable) {
    return variable.of_this_node && variable.name.find("GID_INDEX") != std::string::npos;
  });
}

namespace {

PlanItem wrong_now(const Transaction& generation, const JobVariable& variable, std::string should,
                   std::string_view why) {
  PlanItem item;
  item.setting.address = {cat("nccl.conf:", variable.name)};
  item.setting.want = std::move(should);
  item.setting.origin = variable.origin;
  item.verdict = Verdict::different;
  item.now = {Presence::present,
              variable.value,
              cat(why, "; nettune apply ", shell_word(generation.profile), " corrects it"),
              {}};
  return item;
}

/// The devices of a set, as far as they are here.
profile::DeviceSet set_of(const std::vector<Member>& members, const std::string& name,
                          const facts::Facts& facts) {
  profile::DeviceSet set;
  set.name = name;
  for (const Member& member : members) {
    if (member.set != name) continue;
    for (const facts::NetDevice& device : facts.net)
      if (device.identity == member.device)
        std::ranges::move(facts.rdma_ports_of(device.name), std::back_inserter(set.ports));
    for (const facts::RdmaDevice& device : facts.rdma)
      for (const facts::RdmaPort& port : device.ports)
        if (member.device == cat(device.identity, " port ", port.number))
          set.ports.push_back({&device, &port});
  }
  return set;
}

/// A text with each whole word that is an old name replaced by the new one. A word is letters,
/// digits, '_', '-' and '.'.
std::string with_new_names(std::string_view text,
                           const std::map<std::string, std::string, std::less<>>& names) {
  const auto is_in_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.';
  };
  std::string out;
  while (!text.empty()) {
    const auto size =
        static_cast<std::size_t>(std::ranges::find_if_not(text, is_in_word) - text.begin());
    const std::string_view word = text.substr(0, std::max<std::size_t>(size, 1));
    const auto found = names.find(word);
    out += found == names.end() ? word : std::string_view(found->second);
    text.remove_prefix(word.size());
  }
  return out;
}

void add_old_names(const Transaction& generation, const facts::Facts& facts,
                   std::vector<PlanItem>& items) {
  std::vector<Member> members = generation.members;
  put_into_members(DeviceNames(facts), members);
  std::map<std::string, std::string, std::less<>> names;
  for (std::size_t i = 0; i < members.size(); ++i)
    names.emplace(generation.members[i].name, members[i].name);
  for (const JobVariable& variable : generation.variables) {
    if (!variable.of_this_node) continue;
    std::string should = with_new_names(variable.value, names);
    if (should != variable.value)
      items.push_back(wrong_now(generation, variable, std::move(should),
                                "a device has another name now, and the nettune that applied this "
                                "did not remember where names are"));
  }
}

}  // namespace

std::vector<PlanItem> left_behind(State& state, const Transaction& generation,
                                  const facts::Facts& facts) {
  std::vector<PlanItem> items;
  if (generation.names.empty()) {
    add_old_names(generation, facts, items);
    return items;
  }
  const auto texts = named_texts_of(state, desired_of(generation));
  if (!texts) return items;
  for (const profile::NamedGid& gid : texts->gids) {
    const auto variable = std::ranges::find(generation.variables, gid.variable, &JobVariable::name);
    const auto now = profile::gid_index_of(set_of(generation.members, gid.set, facts));
    // No GID, as before an interface has its address, says nothing.
    if (variable == generation.variables.end() || !now || !*now || **now == gid.index) continue;
    std::string should = variable->value;
    const std::string old_index = std::to_string(gid.index);
    if (const auto at = should.rfind(old_index); at != std::string::npos)
      should.replace(at, old_index.size(), std::to_string(**now));
    items.push_back(wrong_now(generation, *variable, std::move(should),
                              cat("the GID index of ", gid.set, " has changed")));
  }
  return items;
}

}  // namespace nettune::node
