// SPDX-License-Identifier: Apache-2.0
#include "kinds/boot/provider.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "kinds/boot/argument.hpp"
#include "kinds/boot/effect.hpp"
#include "kinds/boot/grub.hpp"
#include "kinds/common/staging.hpp"

namespace nettune::kinds::boot {

namespace {

constexpr std::uint64_t kMostLineBytes =
    65536;  // COMMAND_LINE_SIZE is 2 KiB on x86, 4 KiB elsewhere

Value value_of(const Values& values, std::string_view name) {
  const auto found = values.find(name);
  return found == values.end() ? Value() : Value(found->second);
}

Values with(Values values, std::span<const Write> unit) {
  for (const Write& write : unit) {
    const std::string name(write.address.rest());
    if (write.after)
      values[name] = *write.after;
    else
      values.erase(name);
  }
  return values;
}

}  // namespace

Result<Value> BootProvider::canonical(const Address& address, const Value& want) const {
  if (!want) {
    TRY(argument_of(address.rest()));
    return want;
  }
  TRY_ASSIGN(std::string value, canonical_value(address.rest(), *want));
  return Value(std::move(value));
}

std::vector<std::string> BootProvider::command_line() const {
  const auto text = disk_.read(places_.kernel_command_line, kMostLineBytes);
  return split_command_line(text && *text ? std::string_view(**text) : std::string_view());
}

std::vector<Reading> BootProvider::read_command_line(std::span<const Address> addresses,
                                                     const std::string& why) const {
  const std::vector<std::string> words = command_line();
  std::vector<Reading> readings;
  for (const Address& address : addresses) {
    Reading reading{Presence::not_permitted,
                    "",
                    cat("this node does not boot by Debian's GRUB (", why,
                        "): set it where its command line is made; nettune only checks it"),
                    {}};
    // The value that it has, if it is one that can be compared.
    const Got now = got(address.rest(), "", words);
    if (const auto value = canonical_value(address.rest(), now.other); value && now.found)
      reading = {Presence::present, *value, "", {}};
    readings.push_back(std::move(reading));
  }
  return readings;
}

std::vector<Reading> BootProvider::read(std::span<const Address> addresses) {
  if (const std::string why = live_ ? why_not_grub(disk_) : std::string(); !why.empty())
    return read_command_line(addresses, why);
  const auto present = files_.load();
  std::vector<Reading> readings(addresses.size());
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    Reading& reading = readings[i];
    if (!present) {
      reading = {Presence::not_permitted, "", present.error().text, {}};
      reading.displaced = present.error().code == Errc::conflict;
      continue;
    }
    const std::string_view name = addresses[i].rest();
    const Values values = present->script ? present->script->wanted : Values();
    const Value value = value_of(values, name);
    // An undo that did not get to the menu: the value is there until it does.
    if (const Got left = got(name, "", present->left_in_menu); left.found)
      reading = {Presence::present, left.other, "", {}};
    else if (value && present->unmade.empty())
      reading = {Presence::present, *value, "", {}};
    else
      reading = {Presence::absent, "", value ? present->unmade : std::string(), {}};
  }
  return readings;
}

Effects BootProvider::effects(const Address& address, const Value&, const Value& after) {
  Effects effects;
  common::note_barriers(disk_, std::string(kScriptFile), effects);
  if (!live_ || !why_not_grub(disk_).empty()) return effects;
  if (effects.not_permitted.empty()) common::note_barriers(disk_, std::string(kMenuFile), effects);
  if (!after) return effects;
  const auto row = argument_of(address.rest());
  if (!row) return effects;
  effects.impossible = why_impossible(disk_, **row, address.rest(), *after);
  if (const auto weak = words((*row)->weak); std::ranges::find(weak, *after) != weak.end())
    effects.asks = {"--allow-weaker-security", cat("it weakens this node: ", (*row)->opens)};
  else if (const auto why = why_no_trial(disk_); !why || !why->empty())
    effects.asks = {"--allow-no-trial",
                    cat("its first boot cannot be a trial that ends automatically: ",
                        why ? *why : why.error().text)};
  return effects;
}

InEffect BootProvider::in_effect(const Address& address, const Value& written) {
  const std::vector<std::string> words = command_line();
  if (!written) return {InEffect::State::yes, "", false};
  const auto row = argument_of(address.rest());
  const Got now = got(address.rest(), *written, words);
  if (row && now.is) return shown(disk_, **row, address.rest(), *written);
  const std::string name(word_name(words_of(address.rest(), *written).back()));
  InEffect out{InEffect::State::no,
               !now.found ? std::string("/proc/cmdline does not have it")
                          : cat("/proc/cmdline has ", name, " = ", printable(now.other)),
               false};
  const auto next = is_trial_next(disk_);
  out.due = live_ && next && *next;
  return out;
}

std::string BootProvider::takes_effect(const Address&) const {
  const auto why_not = why_no_trial(disk_);
  const bool is_tried = live_ && why_not_grub(disk_).empty() && why_not && why_not->empty();
  return is_tried ? cat(kAtNextBoot, ", as a trial") : std::string(kAtNextBoot);
}

std::string BootProvider::directory(const Address&) const {
  return parent_path(std::string(kScriptFile));
}

Result<> BootProvider::write(std::span<const Write> unit, const Contents&,
                             const std::string& transaction) {
  if (live_)
    if (const std::string why = why_not_grub(disk_); !why.empty())
      return fail(Errc::unsupported, cat("this node does not boot by Debian's GRUB: ", why));
  TRY_ASSIGN(const BootFiles::Present present, files_.load());
  const Script now = present.script.value_or(Script());
  TRY_ASSIGN(const Script script, files_.changed(now, with(now.wanted, unit)));
  return files_.stage(script, transaction);
}

Result<> BootProvider::place(std::span<const Write> unit, const std::string& transaction) {
  TRY_ASSIGN(const BootFiles::Present present, files_.load());
  const Script now = present.script.value_or(Script());
  const Values wanted = with(now.wanted, unit);
  // Whether it is a trial was decided when it was prepared, or, after a crash behind the script's
  // rename, is what the script says.
  if (wanted == now.wanted && present.script) return files_.place(now, transaction);
  TRY_ASSIGN(const auto prepared, files_.staged(transaction));
  if (prepared && prepared->wanted == wanted) return files_.place(*prepared, transaction);
  TRY_ASSIGN(const Script script, files_.changed(now, wanted));
  return files_.place(script, transaction);
}

Result<> BootProvider::discard(std::span<const Write>, const std::string& transaction) {
  return files_.discard(transaction);
}

}  // namespace nettune::kinds::boot
