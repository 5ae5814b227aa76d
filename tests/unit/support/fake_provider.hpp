// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "core/provider.hpp"

namespace nettune::test {

/// A kernel in memory: names with values, some of which others change along, and some that appear
/// only after another. Shared by providers of several kinds, so that a test can keep it over a
/// crash.
struct FakeKernel {
  std::map<std::string, std::string> values;         ///< by address text
  std::map<std::string, std::string> appears_after;  ///< address -> address that brings it
  std::map<std::string, std::map<std::string, std::string>> moves;  ///< address -> what moves along
  std::map<std::string, std::string> born;        ///< values that appear with their cause
  std::map<std::string, std::string> gone;        ///< address -> why it is missing
  std::map<std::string, std::string> unreadable;  ///< address -> why the read of it fails
  /// Address -> what has to be there for it to be read; its value stays all the same.
  std::map<std::string, std::string> shown_by;
  std::set<std::string> one_way;                 ///< what can never be set back
  std::set<std::string> barred;                  ///< what this process may not write
  std::map<std::string, std::string> device_of;  ///< address -> device
  std::set<std::string> away;                    ///< devices; they keep their values
  std::set<std::string> refusing;                ///< addresses that take no write
  std::map<std::string, std::string> protects;   ///< address -> the value that protects others
  /// Address -> the address whose protection keeps a write of it from cutting "eth0".
  std::map<std::string, std::string> exposes;
  std::set<std::string> listed;  ///< "address=value": what the kernel lists

  bool is_away(const std::string& address) const {
    const auto found = device_of.find(address);
    return found != device_of.end() && away.contains(found->second);
  }
};

class FakeProvider final : public Provider {
 public:
  FakeProvider(std::string kind, FakeKernel& kernel, Lifetime lifetime = Lifetime::runtime)
      : kind_(std::move(kind)), kernel_(kernel), lifetime_(lifetime) {}

  /// Called before each single value is written; may throw Crash or return a text to fail with.
  std::function<std::string(const Address&)> before_write = [](const Address&) {
    return std::string();
  };
  /// What the kernel makes of a written value.
  std::function<Value(const Address&, Value)> bend = [](const Address&, Value value) {
    return value;
  };
  std::function<void()> on_read = [] {};
  std::function<void(std::span<const Write>)> on_write = [](std::span<const Write>) {};
  std::map<std::string, std::string> units;            ///< address -> unit, where it is not its own
  std::map<std::string, std::string> given_back_last;  ///< address -> what goes back before it
  std::string stays_text;
  Impact impact = Impact::none;
  std::string cuts;
  int writes = 0;

  std::string_view kind() const override { return kind_; }
  Result<Value> canonical(const Address& address, const Value& want) const override {
    if (want && want->find('!') != std::string::npos)
      return fail(Errc::invalid, cat(address.text, ": ", *want, " is no value"));
    return want;
  }
  std::vector<Reading> read(std::span<const Address> addresses) override {
    on_read();
    std::vector<Reading> readings;
    for (const Address& address : addresses) readings.push_back(read_one(address));
    return readings;
  }
  std::string unit(const Address& address) const override {
    const auto found = units.find(address.text);
    return found == units.end() ? address.text : found->second;
  }
  std::vector<Address> needs(const Address& address) const override {
    const auto found = kernel_.appears_after.find(address.text);
    if (found != kernel_.appears_after.end()) return {Address{found->second}};
    std::vector<Address> first;
    for (const auto& [inner, outer] : kernel_.shown_by) {
      const bool there = kernel_.values.contains(outer);
      if (address.text == inner && !there) first.push_back(Address{outer});
      if (address.text == outer && there) first.push_back(Address{inner});
    }
    return first;
  }
  std::vector<Address> given_back_after(const Address& address) const override {
    const auto found = given_back_last.find(address.text);
    return found == given_back_last.end() ? needs(address)
                                          : std::vector<Address>{Address{found->second}};
  }
  Effects effects(const Address& address, const Value&, const Value&) override {
    Effects effects;
    effects.impact = impact;
    effects.cuts = cuts;
    if (kernel_.one_way.contains(address.text)) effects.undo = Undo::none;
    if (const auto shield = kernel_.exposes.find(address.text); shield != kernel_.exposes.end())
      effects.hazards.push_back({Address{shield->second}, kernel_.protects.at(shield->second),
                                 "eth0", "its routes are gone"});
    if (kernel_.barred.contains(address.text)) effects.not_permitted = "it is barred";
    if (const auto found = kernel_.moves.find(address.text); found != kernel_.moves.end())
      for (const auto& [other, value] : found->second)
        effects.touches.push_back({Address{other}, device_text(other), value, "the kernel does"});
    return effects;
  }
  std::string_view stays() const override { return stays_text; }
  Lifetime lifetime(const Address&) const override { return lifetime_; }
  Turn turn(const Address& address, const Value& before, const Value& after) const override {
    const auto found = kernel_.protects.find(address.text);
    if (found == kernel_.protects.end()) return Turn::usual;
    if (after == found->second) return Turn::first;
    return before == found->second ? Turn::last : Turn::usual;
  }
  bool lists(const Address& address, const std::string& value) override {
    return kernel_.listed.contains(cat(address.text, "=", value));
  }
  Result<> write(std::span<const Write> unit, const Contents&, const std::string&) override {
    on_write(unit);
    for (const Write& write : unit) {
      if (kernel_.is_away(write.address.text))
        return fail(Errc::not_found, cat(write.address.text, ": no such device"));
      if (kernel_.refusing.contains(write.address.text))
        return fail(Errc::io, cat(write.address.text, ": the driver refuses"));
      if (const std::string why = before_write(write.address); !why.empty())
        return fail(Errc::io, cat(write.address.text, ": ", why));
      ++writes;
      const Value made = bend(write.address, write.after);
      if (made)
        kernel_.values[write.address.text] = *made;
      else
        kernel_.values.erase(write.address.text);
      if (const auto found = kernel_.moves.find(write.address.text); found != kernel_.moves.end())
        for (const auto& [other, value] : found->second) kernel_.values[other] = value;
      for (const auto& [late, cause] : kernel_.appears_after)
        if (cause == write.address.text && kernel_.born.contains(late))
          kernel_.values.try_emplace(late, kernel_.born.at(late));
    }
    return {};
  }

 private:
  std::string device_text(const std::string& address) const {
    const auto found = kernel_.device_of.find(address);
    return found == kernel_.device_of.end() ? std::string() : found->second;
  }

  Reading read_one(const Address& address) const {
    if (const auto why = kernel_.gone.find(address.text); why != kernel_.gone.end())
      return {Presence::missing, "", why->second};
    if (const auto why = kernel_.unreadable.find(address.text); why != kernel_.unreadable.end())
      return {Presence::not_permitted, "", why->second};
    if (kernel_.is_away(address.text)) return {Presence::missing, "", "its device is away"};
    if (const auto outer = kernel_.shown_by.find(address.text);
        outer != kernel_.shown_by.end() && !kernel_.values.contains(outer->second))
      return {Presence::not_yet, "", outer->second};
    if (const auto value = kernel_.values.find(address.text); value != kernel_.values.end())
      return {Presence::present, value->second, ""};
    if (const auto cause = kernel_.appears_after.find(address.text);
        cause != kernel_.appears_after.end())
      return {Presence::not_yet, "", cause->second};
    return {Presence::absent, "", ""};
  }

  std::string kind_;
  FakeKernel& kernel_;
  Lifetime lifetime_;
};

}  // namespace nettune::test
